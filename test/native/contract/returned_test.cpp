// What core/store.h promises of returned ranges.

#include <barrier>
#include <set>
#include <thread>

#include "native/contract/fixture.h"

namespace nextid::contract {
namespace {

class ReturnedContract : public EachKind {
 protected:
  // As an instance asks that was given nothing from `from` on.
  ReserveRequest ask_from(int64_t from, int64_t count) {
    ReserveRequest request = ask(key(), count);
    if (from > 0) request.floor = from;
    request.returned_from = from;
    return request;
  }
  Range reserve_from(int64_t from, int64_t count) { return reserve(ask_from(from, count)); }
  bool release(Range unused) { return store_->release(key(), unused).value(); }
};

TEST_P(ReturnedContract, WhatOthersReservedAfterIsGivenToTheNextOne) {
  reserve(ask(key(), 10));
  reserve(ask(key(), 10));
  EXPECT_TRUE(release({4, 11}));
  EXPECT_EQ(next_of(key()), 21);
  EXPECT_EQ(info_of(key())->returned, 7);
  EXPECT_EQ(reserve(ask(key(), 1)), (Range{21, 22})) << "who does not ask gets new numbers";
  EXPECT_EQ(reserve_from(0, 100), (Range{4, 11}));
  EXPECT_EQ(reserve_from(0, 100), (Range{22, 122}));
}

TEST_P(ReturnedContract, AreGivenInPartAndTheLowestFirst) {
  for (int i = 0; i < 4; ++i) reserve(ask(key(), 10));
  EXPECT_TRUE(release({25, 31}));
  EXPECT_TRUE(release({5, 11}));
  EXPECT_EQ(reserve_from(0, 4), (Range{5, 9}));
  EXPECT_EQ(reserve_from(9, 4), (Range{9, 11}));
  EXPECT_EQ(reserve_from(0, 1), (Range{25, 26}));
  EXPECT_EQ(reserve_from(0, 0), (Range{41, 41})) << "reserving nothing takes nothing";
  EXPECT_EQ(reserve_from(0, 50), (Range{26, 31}));
  EXPECT_EQ(reserve_from(0, 1), (Range{41, 42}));
}

TEST_P(ReturnedContract, AreGivenOnlyToThoseWhoHoldNothingAbove) {
  for (int i = 0; i < 3; ++i) reserve(ask(key(), 10));
  EXPECT_TRUE(release({5, 11}));
  EXPECT_EQ(reserve_from(11, 1), (Range{31, 32}));
  EXPECT_EQ(reserve_from(6, 1), (Range{32, 33}));
  EXPECT_TRUE(release({12, 15}));
  EXPECT_EQ(reserve_from(11, 1), (Range{12, 13}));
  EXPECT_EQ(reserve_from(5, 9), (Range{5, 11}));
}

TEST_P(ReturnedContract, ATailLowersTheCounterAndTheRestStays) {
  for (int i = 0; i < 3; ++i) reserve(ask(key(), 10));
  EXPECT_TRUE(release({15, 21}));
  EXPECT_TRUE(release({22, 31}));
  EXPECT_EQ(next_of(key()), 22);
  EXPECT_EQ(reserve_from(0, 9), (Range{15, 21}));
  EXPECT_EQ(reserve_from(0, 9), (Range{22, 31}));
}

TEST_P(ReturnedContract, AreKeptUpToABound) {
  reserve(ask(key(), 1000));
  constexpr auto kMost = static_cast<int64_t>(ReturnedRanges::kMost);
  for (int64_t i = 0; i <= kMost; ++i) EXPECT_TRUE(release({2 * i + 1, 2 * i + 2}));
  for (int64_t i = 1; i <= kMost; ++i) EXPECT_EQ(reserve_from(0, 9), (Range{2 * i + 1, 2 * i + 2}));
  EXPECT_EQ(reserve_from(0, 9), (Range{1001, 1010}));
}

TEST_P(ReturnedContract, AdvancingDropsWhatLiesBelowAndNothingComesBackThere) {
  reserve(ask(key(), 40));
  EXPECT_TRUE(release({5, 8}));
  EXPECT_TRUE(release({18, 23}));
  EXPECT_TRUE(release({30, 33}));
  EXPECT_EQ(advance({.counter = key(), .next = 20}), 41) << "nothing but the list is below";
  EXPECT_EQ(reserve_from(0, 9), (Range{30, 33}));
  EXPECT_FALSE(release({10, 12}));
  EXPECT_FALSE(release({19, 41}));
  EXPECT_EQ(next_of(key()), 41);
  EXPECT_TRUE(release({20, 25}));
  EXPECT_EQ(advance({.counter = key(), .next = 100}), 100);
  EXPECT_FALSE(release({35, 41}));
  EXPECT_EQ(reserve_from(0, 9), (Range{100, 109}));
}

TEST_P(ReturnedContract, WhatDoesNotLieBelowTheCounterIsNotTakenBack) {
  EXPECT_FALSE(release({1, 5})) << "there is no counter";
  EXPECT_FALSE(info_of(key()));
  reserve(ask(key(), 10));
  EXPECT_FALSE(release({5, 12}));
  EXPECT_FALSE(release({11, 15}));
}

TEST_P(ReturnedContract, ADamagedListIsRefusedAndAdvancingDropsIt) {
  for (const Raw& list :
       {Raw("5 60"), Raw("9 12 10 11"), Raw("8 8"), Raw("12 9"), Raw("1 2 3"), Raw(int64_t{7})}) {
    put(key(), 50);
    under_test_->write_returned(key(), list);
    expect_refused(ask_from(0, 5), ErrorCode::kCounterInvalid);
    EXPECT_NE(info_of(key())->problem, "");
    EXPECT_EQ(reserve(ask(key(), 5)), (Range{50, 55})) << "who does not ask does not meet it";
    under_test_->write_returned(key(), list);
    EXPECT_EQ(advance({.counter = key(), .next = 70}), 70);
    EXPECT_EQ(reserve_from(0, 5), (Range{70, 75}));
    under_test_->remove(key());
  }
}

TEST_P(ReturnedContract, ACounterSetBackIsSeenBeforeTheListIsUsed) {
  reserve(ask(key(), 60));
  release({30, 40});
  put(key(), 20);
  under_test_->write_returned(key(), "30 40");
  expect_refused(ask_from(25, 5), ErrorCode::kSequenceRewound);
  expect_refused(ask_from(0, 5), ErrorCode::kCounterInvalid);
}

TEST_P(ReturnedContract, ManyAtOnceAreGivenEachNumberOnce) {
  constexpr int kThreads = 8, kRounds = 12;
  std::mutex mutex;
  std::vector<Range> given;
  std::barrier begin(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const std::unique_ptr<Store> store = under_test_->open();
      begin.arrive_and_wait();
      for (int round = 0; round < kRounds; ++round) {
        // A fresh instance that is given a range, uses three numbers of it, and closes.
        Result<Range> range = store->reserve(ask_from(0, 7));
        while (!range.ok() && range.error().error_class != ErrorClass::kFinal) {
          range = store->reserve(ask_from(0, 7));
        }
        ASSERT_TRUE(range.ok()) << range.error().message;
        Range unused = range.value();
        const Range used = unused.take_front(3);
        {
          const std::lock_guard lock(mutex);
          given.push_back(used);
        }
        if (unused.empty()) continue;
        const Result<bool> back = store->release(key(), unused);
        EXPECT_TRUE(back.ok() && back.value()) << (back.ok() ? "refused" : back.error().message);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Nothing is lost: given, or on the list, or not reserved yet.
  while (info_of(key())->returned > 0) given.push_back(reserve_from(0, 7));
  std::sort(given.begin(), given.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  int64_t next = 1;
  for (const Range& range : given) {
    EXPECT_EQ(range.first, next) << "twice, or missing";
    next = range.end;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ReturnedContract,
                         testing::Combine(testing::ValuesIn(all_stores()), testing::Values(plain(), dated())),
                         name_with_kind);

}  // namespace
}  // namespace nextid::contract
