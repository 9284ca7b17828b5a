#pragma once

#include <napi.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addon/queued_store.h"

namespace nextid {

// Makes an AsyncStore of a blocking Store. Requests run on libuv's worker threads, at most `limit` at a time,
// which leaves threads for files, DNS and crypto while a database hangs.
class ThreadedStore final : public QueuedStore {
 public:
  ThreadedStore(Napi::Env env, std::shared_ptr<Store> store, size_t limit);

 private:
  template <typename T>
  class Worker;

  void start_reserve(const ReserveRequest& request, Done<Range> done) override;
  void start_release(const CounterKey& counter, Range unused, const std::optional<Error>& refused,
                     Done<bool> done) override;
  void start_advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) override;
  void start_list(Done<std::vector<CounterInfo>> done) override;
  void start_prune(const std::string& name, const std::vector<int64_t>& prefixes,
                   Done<int64_t> done) override;
  void start_close(Done<bool> done) override;

  template <typename T, typename Work>
  void start(Done<T> done, Work work);

  const Napi::Env env_;
  // Null after close(). Earlier requests hold the store themselves.
  std::shared_ptr<Store> store_;
};

}  // namespace nextid
