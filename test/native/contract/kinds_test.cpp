// What is special to each kind.

#include "native/contract/fixture.h"

namespace nextid::contract {
namespace {

// --- dated

class DatedContract : public EachStore {
 protected:
  void prune(const std::string& name, const std::vector<int64_t>& prefixes, int64_t expected) {
    const Result<int64_t> removed = store_->prune(name, prefixes);
    ASSERT_TRUE(removed.ok()) << removed.error().message;
    EXPECT_EQ(removed.value(), expected);
  }
};

TEST_P(DatedContract, EachPeriodOfEachNameHasItsOwnCounter) {
  const std::vector<CounterKey> keys{dated(14062513), dated(140625), dated(1406),
                                     dated(14),       dated(140626), dated(140625, "bills")};
  for (const CounterKey& key : keys) EXPECT_EQ(reserve(ask(key, 10)), (Range{1, 11})) << describe(key);
  for (const CounterKey& key : keys) EXPECT_EQ(reserve(ask(key, 10)), (Range{11, 21})) << describe(key);
}

TEST_P(DatedContract, APrunedPeriodDoesNotBeginAgain) {
  for (const int64_t day : {140601, 140602, 140603}) reserve(ask(dated(day), 5));
  reserve(ask(dated(1406), 5));
  reserve(ask(dated(140601, "bills"), 5));
  prune("orders", {140601, 140602}, 2);
  prune("orders", {140601, 140602}, 0);
  for (const int64_t day : {140531, 140601, 140602}) {
    expect_refused(ask(dated(day), 1), ErrorCode::kPeriodPruned);
    expect_refused(ask(dated(day), 1, 6), ErrorCode::kPeriodPruned);
    EXPECT_EQ(error_of(store_->advance({.counter = dated(day), .next = 9})).code, ErrorCode::kPeriodPruned);
  }
  for (const CounterKey& key : {dated(140603), dated(1406), dated(140601, "bills")}) {
    EXPECT_EQ(reserve(ask(key, 1)).first, 6) << describe(key);
  }
  EXPECT_EQ(advance({.counter = dated(140602), .next = 6, .restore = true}), 6);
  EXPECT_EQ(reserve(ask(dated(140602), 1)).first, 6);
}

// --- cyclic

class CyclicContract : public EachStore {
 protected:
  static ReserveRequest unbroken(const CounterKey& key, int64_t count) {
    ReserveRequest request = ask(key, count);
    request.unbroken = true;
    return request;
  }
};

TEST_P(CyclicContract, GivesWhatCountingOneByOneGives) {
  for (const int64_t cycle : {1, 3, 7}) {
    int64_t val = 0;
    const CounterKey key{.name = "by " + std::to_string(cycle), .kind = Cyclic{cycle}};
    for (const int64_t count : {1, 2, 7, 3, 15, 1}) {
      Range range = reserve(ask(key, count));
      EXPECT_LE(range.first, cycle);
      EXPECT_EQ(range.count(), count);
      for (; !range.empty(); range.take_front(1)) {
        val = (val >= cycle ? 0 : val) + 1;
        ASSERT_EQ((range.first - 1) % cycle + 1, val);
      }
    }
  }
}

TEST_P(CyclicContract, AnUnbrokenRangeDoesNotWrapAround) {
  EXPECT_EQ(reserve(unbroken(cyclic(10), 4)), (Range{1, 5}));
  expect_refused(unbroken(cyclic(10), 7), ErrorCode::kAcrossWrap);
  EXPECT_EQ(reserve(unbroken(cyclic(10), 6)), (Range{5, 11}));
  expect_refused(unbroken(cyclic(10), 11), ErrorCode::kAcrossWrap);
  EXPECT_EQ(reserve(unbroken(cyclic(10), 10)), (Range{1, 11}));
}

TEST_P(CyclicContract, AValuePastTheEndCountsAsTheEnd) {
  for (const int64_t val : {int64_t{10}, int64_t{11}, kLargestNumber}) {
    under_test_->write(cyclic(10), {val, int64_t{10}});
    EXPECT_EQ(next_of(cyclic(10)), 1);
    EXPECT_EQ(reserve(ask(cyclic(10), 0)), (Range{1, 1}));
    EXPECT_EQ(reserve(ask(cyclic(10), 2)), (Range{1, 3}));
    EXPECT_EQ(next_of(cyclic(10)), 3);
  }
}

TEST_P(CyclicContract, TheLongestCycleAndTheLargestBatchFitTogether) {
  constexpr int64_t kBatch = 1'000'000'000;
  const CounterKey key = cyclic(kLargestSafeInteger);
  put(key, kLargestSafeInteger);
  EXPECT_EQ(reserve(ask(key, kBatch)), (Range{kLargestSafeInteger, kLargestSafeInteger + kBatch}));
  EXPECT_EQ(next_of(key), kBatch);
  expect_refused(ask(key, kLargestNumber), ErrorCode::kIdOverflow);
  EXPECT_EQ(next_of(key), kBatch);
}

TEST_P(CyclicContract, AnotherCycleIsRefusedWhateverItsVal) {
  reserve(ask(cyclic(10), 4));
  for (const int64_t cycle : {9, 11}) expect_refused(ask(cyclic(cycle), 1), ErrorCode::kOptionsConflict);
  EXPECT_EQ(reserve(ask(cyclic(10), 1)), (Range{5, 6}));
  under_test_->write(cyclic(10), {std::string("two"), int64_t{10}});
  expect_refused(ask(cyclic(9), 1), ErrorCode::kOptionsConflict);
  for (const int64_t maxval : {int64_t{0}, kLargestSafeInteger + 1}) {
    under_test_->write(cyclic(10), {int64_t{3}, maxval});
    expect_refused(ask(cyclic(10), 1), ErrorCode::kCounterInvalid);
  }
}

// --- time-stamped

class TimestampedContract : public EachStore {};

int64_t shown = 0;
ReserveRequest at(int64_t now, const CounterKey& key, int64_t count) {
  shown = now;
  ReserveRequest request = ask(key, count);
  request.clock = [] { return shown; };
  return request;
}

TEST_P(TimestampedContract, FollowsTheClockButNeverGoesBack) {
  const CounterKey key = timestamped(1);
  const auto slot = [](int64_t microseconds) { return (kNow + microseconds) * 10; };
  EXPECT_EQ(reserve(at(kNow, key, 30)), (Range{slot(0), slot(3)}));
  EXPECT_EQ(reserve(at(kNow + 2, key, 1)), (Range{slot(3), slot(3) + 1}));
  EXPECT_EQ(reserve(at(kNow + 4, key, 0)), (Range{slot(4), slot(4)}));
  EXPECT_EQ(reserve(at(kNow + 4, key, 1)), (Range{slot(4), slot(4) + 1}));
  EXPECT_EQ(reserve(at(kNow - 3'600'000'000, key, 2)), (Range{slot(4) + 1, slot(4) + 3}));
}

TEST_P(TimestampedContract, AClockOutsideOfAllSlotsIsRefused) {
  for (const int64_t now : {INT64_MIN, int64_t{-1}, int64_t{0}}) {
    expect_refused(at(now, timestamped(2), 1), ErrorCode::kIdOverflow);
  }
  const int64_t last = slot_epoch(4) + INT64_MAX / 10'000;  // in 2049
  for (const int64_t now : {slot_epoch(4), last + 1, INT64_MAX}) {
    expect_refused(at(now, timestamped(4), 1), ErrorCode::kIdOverflow);
  }
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(reserve(at(1, timestamped(2), 1)), (Range{100, 101}));
  EXPECT_EQ(reserve(at(last, {.name = "last", .kind = Timestamped{4}}, 1)).first,
            INT64_MAX / 10'000 * 10'000);
}

TEST_P(TimestampedContract, TheClockMustBeBelowTheLimitToo) {
  ReserveRequest request = ask(timestamped(0), 1);
  under_test_->write(timestamped(0), {kNow - 100, int64_t{0}});
  request.limit = kNow;
  expect_refused(request, ErrorCode::kIdOverflow);
  EXPECT_EQ(next_of(timestamped(0)), kNow - 99);
}

TEST_P(TimestampedContract, OtherDigitsAndTimeZonesAreRefused) {
  const Range range = reserve(ask(timestamped(2, "+08:00"), 1));
  EXPECT_EQ(info_of(timestamped())->key, timestamped(2, "+08:00"));
  for (const CounterKey& key :
       {timestamped(0, "+08:00"), timestamped(4), timestamped(2), timestamped(2, "-08:00")}) {
    expect_refused(ask(key, 1), ErrorCode::kOptionsConflict);
    for (const bool restore : {false, true}) {
      EXPECT_EQ(error_of(store_->advance({.counter = key, .next = 9, .restore = restore})).code,
                ErrorCode::kOptionsConflict);
    }
  }
  EXPECT_EQ(reserve(ask(timestamped(2, "+08:00"), 1)).first, range.end);
}

TEST_P(TimestampedContract, TheLastSlotOfAllIsTheEnd) {
  under_test_->write(timestamped(0), {kLargestNumber, int64_t{0}});
  expect_refused(ask(timestamped(0), 1), ErrorCode::kIdOverflow);
  EXPECT_EQ(error_of(store_->advance({.counter = timestamped(0), .next = 5, .restore = true})).code,
            ErrorCode::kIdOverflow);
  EXPECT_NE(info_of(timestamped(0))->problem, "");
}

// --- all

class ListContract : public EachStore {};

TEST_P(ListContract, IsInTheOrderOfNameKindAndPeriod) {
  const auto named = [](CounterKey key, const char* name) {
    key.name = name;
    return key;
  };
  const std::vector<CounterKey> in_order{
      named(plain(), "a"),       named(cyclic(), "a"), named(plain(), "b"),  dated(14, "b"),
      dated(1406, "b"),          dated(140624, "b"),   dated(14062513, "b"), named(cyclic(), "b"),
      named(timestamped(), "b"), dated(140625, "c"),   named(plain(), "d")};
  for (size_t i = 0; i < in_order.size(); ++i) reserve(ask(in_order[i * 7 % in_order.size()], 1));
  std::vector<CounterKey> listed;
  for (const CounterInfo& info : list()) listed.push_back(info.key);
  EXPECT_EQ(listed, in_order);
}

INSTANTIATE_TEST_SUITE_P(All, DatedContract, testing::ValuesIn(all_stores()), name_of);
INSTANTIATE_TEST_SUITE_P(All, CyclicContract, testing::ValuesIn(all_stores()), name_of);
INSTANTIATE_TEST_SUITE_P(All, TimestampedContract, testing::ValuesIn(all_stores()), name_of);
INSTANTIATE_TEST_SUITE_P(All, ListContract, testing::ValuesIn(all_stores()), name_of);

}  // namespace
}  // namespace nextid::contract
