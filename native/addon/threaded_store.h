#pragma once

#include <napi.h>

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

// Makes an AsyncStore of a blocking Store. Calls run on libuv's worker threads, at most `limit` at a time;
// the others wait in order. The limit leaves threads for files, DNS and crypto while a database hangs.
class ThreadedStore final : public AsyncStore, public std::enable_shared_from_this<ThreadedStore> {
 public:
  ThreadedStore(Napi::Env env, std::shared_ptr<Store> store, size_t limit);

  uint64_t reserve(std::shared_ptr<Reservation> reservation) override;
  size_t ahead_of(uint64_t place) const override;
  void release(const CounterKey& counter, Range unused, Done<bool> done) override;
  void advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) override;
  void list(Done<std::vector<CounterInfo>> done) override;
  void prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) override;
  void close(Done<bool> done) override;
  const Error* last_error() const override;

 private:
  template <typename T>
  class Worker;
  // Starts a call and returns true, or returns false if there is nothing to start. Must not throw: no caller
  // could handle it when another call has ended.
  using Start = std::function<bool()>;

  void enqueue(Start start);
  void start_next();
  // A call has ended.
  void finished();
  // The environment is being torn down: queued calls are never started.
  void stop();
  // Keeps the error of a result, or forgets the last one.
  template <typename T>
  void note(const Result<T>& result);

  template <typename T, typename Work>
  void enqueue_work(Work work, Done<T> done);
  template <typename T, typename Work>
  bool start_work(Work work, const Done<T>& done);

  const Napi::Env env_;
  // Null after close(). Earlier requests hold the store themselves.
  std::shared_ptr<Store> store_;
  const size_t limit_;
  size_t running_ = 0;
  uint64_t enqueued_ = 0;
  std::deque<Start> waiting_;
  std::optional<Error> last_error_;
  std::optional<Error> release_error_;  // of the last release(), until any request succeeds
};

}  // namespace nextid
