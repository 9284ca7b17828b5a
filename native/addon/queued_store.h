#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addon/async_store.h"
#include "core/store.h"

namespace nextid {

// An AsyncStore that runs at most `limit` requests at a time. The others wait in order. A subclass runs them.
class QueuedStore : public AsyncStore, public std::enable_shared_from_this<QueuedStore> {
 public:
  explicit QueuedStore(size_t limit) : limit_(limit) {}

  uint64_t reserve(std::shared_ptr<Reservation> reservation) override;
  size_t ahead_of(uint64_t place) const override;
  void release(const CounterKey& counter, Range unused, Done<bool> done) override;
  void advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) override;
  void list(Done<std::vector<CounterInfo>> done) override;
  void prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) override;
  void close(Done<bool> done) override;
  const Error* last_error() const override;

 protected:
  // Each starts a request and calls `done` once, after it has returned. It may throw if it started nothing.
  virtual void start_reserve(const ReserveRequest& request, Done<Range> done) = 0;
  // `refused`: to fail with this error, without a request.
  virtual void start_release(const CounterKey& counter, Range unused, const std::optional<Error>& refused,
                             Done<bool> done) = 0;
  virtual void start_advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) = 0;
  virtual void start_list(Done<std::vector<CounterInfo>> done) = 0;
  virtual void start_prune(const std::string& name, const std::vector<int64_t>& prefixes,
                           Done<int64_t> done) = 0;
  virtual void start_close(Done<bool> done) = 0;

  // The environment is being torn down: queued requests are never started.
  void stop();

 private:
  // Starts a request and returns true, or returns false if there is nothing to start. Must not throw: no
  // caller could handle it when another request has ended.
  using Start = std::function<bool()>;

  void enqueue(Start start);
  template <typename T, typename Begin>
  void enqueue(Done<T> done, Begin begin);
  void start_next();
  // `done` for a request that has been started.
  template <typename T>
  Done<T> finishing(Done<T> done);
  // Keeps the error of a result, or forgets the last one.
  template <typename T>
  void note(const Result<T>& result);

  const size_t limit_;
  size_t running_ = 0;
  uint64_t enqueued_ = 0;
  std::deque<Start> waiting_;
  std::optional<Error> last_error_;
  std::optional<Error> release_error_;  // of the last release(), until any request succeeds
};

}  // namespace nextid
