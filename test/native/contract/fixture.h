#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "native/contract/store_under_test.h"

namespace nextid {

inline void PrintTo(const CounterKey& key, std::ostream* out) {
  *out << to_string(key.kind) << ": " << describe(key);
}

}  // namespace nextid

namespace nextid::contract {

constexpr int64_t kNow = 1'700'000'000'000'000;  // microseconds since 1970
inline int64_t stopped_clock() { return kNow; }

inline CounterKey plain() { return {.name = "orders"}; }
inline CounterKey dated(int64_t prefix = 140625, std::string name = "orders") {
  return {.name = std::move(name), .kind = Dated{prefix}};
}
inline CounterKey cyclic(int64_t cycle = 1000) { return {.name = "serial", .kind = Cyclic{cycle}}; }
inline CounterKey timestamped(int digits = 2, std::string zone = "UTC") {
  return {.name = "trace", .kind = Timestamped{digits, std::move(zone)}};
}

// A request at kNow.
inline ReserveRequest ask(CounterKey counter, int64_t count, std::optional<int64_t> floor = std::nullopt) {
  return {.counter = std::move(counter), .count = count, .floor = floor, .clock = stopped_clock};
}

// What a fresh counter gives first.
inline int64_t first_of(const CounterKey& key) {
  const auto* kind = std::get_if<Timestamped>(&key.kind);
  return kind == nullptr ? 1 : (kNow - slot_epoch(kind->digits)) * slots_per_microsecond(kind->digits);
}

template <typename T>
Error error_of(const Result<T>& result) {
  if (!result.ok()) return result.error();
  ADD_FAILURE() << "succeeded, though an error was expected";
  return out_of_memory(ErrorClass::kFinal);
}

// For suites of one store each: the store is made, and the test skipped where that is not possible.
class StoreTest : public testing::Test {
 protected:
  void begin(const StoreName& name) {
    if (!name.is_here()) {
      const char* all = std::getenv("NEXTID_REQUIRE_ALL");
      if (all != nullptr && all == std::string("1")) FAIL() << name.name << " is not here";
      GTEST_SKIP() << "SKIPPED: needs a server of " << name.name;
    }
    under_test_ = name.make();
    store_ = under_test_->open();
  }

  Range reserve(const ReserveRequest& request) {
    const Result<Range> range = store_->reserve(request);
    if (range.ok()) return range.value();
    ADD_FAILURE() << range.error().message;
    return {};
  }
  void expect_refused(const ReserveRequest& request, ErrorCode code) {
    const Error error = error_of(store_->reserve(request));
    EXPECT_EQ(to_string(error.code), to_string(code)) << error.message;
    EXPECT_EQ(error.error_class, ErrorClass::kFinal) << error.message;
    EXPECT_EQ(error.lost, 0);
  }
  std::optional<int64_t> advance(const AdvanceRequest& request) {
    const Result<std::optional<int64_t>> stands_at = store_->advance(request);
    if (stands_at.ok()) return stands_at.value();
    ADD_FAILURE() << stands_at.error().message;
    return std::nullopt;
  }
  std::vector<CounterInfo> list() {
    Result<std::vector<CounterInfo>> list = store_->list();
    if (list.ok()) return list.take();
    ADD_FAILURE() << list.error().message;
    return {};
  }
  // As list() shows the counter.
  std::optional<CounterInfo> info_of(const CounterKey& key) {
    for (CounterInfo& info : list()) {
      if (info.key.name == key.name && info.key.kind.index() == key.kind.index() &&
          prefix_of(info.key) == prefix_of(key)) {
        return std::move(info);
      }
    }
    return std::nullopt;
  }
  std::optional<int64_t> next_of(const CounterKey& key) {
    const auto info = info_of(key);
    return info ? info->next : std::nullopt;
  }

  // Writes what makes the counter give `next` next.
  void put(const CounterKey& key, int64_t next) {
    if (is<Plain>(key)) return under_test_->write(key, {next});
    if (is<Dated>(key)) return under_test_->write(key, {next - 1});
    if (const auto* kind = std::get_if<Cyclic>(&key.kind)) {
      return under_test_->write(key, {next - 1, kind->cycle});
    }
    under_test_->write(key, {next - 1, int64_t{std::get<Timestamped>(key.kind).digits}});
  }

  std::unique_ptr<StoreUnderTest> under_test_;
  std::unique_ptr<Store> store_;
};

// A suite that is tried on each store.
class EachStore : public StoreTest, public testing::WithParamInterface<StoreName> {
 protected:
  void SetUp() override { begin(GetParam()); }
};

// A suite that is tried on each store with a counter of each kind.
class EachKind : public StoreTest, public testing::WithParamInterface<std::tuple<StoreName, CounterKey>> {
 protected:
  void SetUp() override { begin(std::get<0>(GetParam())); }

  const CounterKey& key() const { return std::get<1>(GetParam()); }
  int64_t first() const { return first_of(key()); }
  bool grows() const { return !is<Cyclic>(key()); }
};

inline std::string name_of(const testing::TestParamInfo<StoreName>& info) { return info.param.name; }
inline std::string name_with_kind(const testing::TestParamInfo<std::tuple<StoreName, CounterKey>>& info) {
  const auto& [store, key] = info.param;
  std::string kind = to_string(key.kind);
  std::erase(kind, '-');
  return std::string(store.name) + "_" + kind + std::to_string(info.index);
}

}  // namespace nextid::contract
