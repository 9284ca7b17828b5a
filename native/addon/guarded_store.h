#pragma once

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/store.h"

namespace nextid {

// Keeps exceptions inside the module of a store. A prebuilt module has its own C++ library: its
// std::bad_alloc is another type here, would not be caught, and would end the process.
class GuardedStore final : public Store {
 public:
  explicit GuardedStore(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  void disconnect() override { store_->disconnect(); }

  Result<Range> reserve(const ReserveRequest& request) override {
    return guarded<Range>([&] { return store_->reserve(request); });
  }
  Result<bool> release(const CounterKey& counter, Range unused) override {
    return guarded<bool>([&] { return store_->release(counter, unused); });
  }
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override {
    return guarded<std::optional<int64_t>>([&] { return store_->advance(request); });
  }
  Result<std::vector<CounterInfo>> list() override {
    return guarded<std::vector<CounterInfo>>([&] { return store_->list(); });
  }
  Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes) override {
    return guarded<int64_t>([&] { return store_->prune(name, prefixes); });
  }

  // Doubtful: the store may have done its work before memory ran out.
  template <typename T, typename Work>
  static Result<T> guarded(Work work) {
    try {
      return work();
    } catch (...) {
      return out_of_memory(ErrorClass::kDoubtful);  // a Store throws nothing else
    }
  }

 private:
  const std::unique_ptr<Store> store_;
};

}  // namespace nextid
