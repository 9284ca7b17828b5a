#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

constexpr int64_t kLongestCycle = 9'007'199'254'740'991;

class SqliteCyclicTest : public SqliteStoreTest {
 protected:
  std::string row() { return run_sql(path_, "SELECT val, maxval FROM cyclic_counters"); }
  // Leaves the counter as if `val` had been given last.
  void make(int64_t val, int64_t maxval) {
    reserve(*store_, ask(cyclic(maxval), 0));
    run_sql(path_, "UPDATE cyclic_counters SET val = " + std::to_string(val));
  }
};

ReserveRequest unbroken(const CounterKey& key, int64_t count) {
  ReserveRequest request = ask(key, count);
  request.unbroken = true;
  return request;
}

TEST_F(SqliteCyclicTest, GoesFrom1ToTheEndAndFrom1Again) {
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 0)), (Range{1, 1}));
  EXPECT_EQ(row(), "0|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 4)), (Range{1, 5}));
  EXPECT_EQ(row(), "4|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 6)), (Range{5, 11}));
  EXPECT_EQ(row(), "10|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 0)), (Range{1, 1}));
  EXPECT_EQ(row(), "10|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 1)), (Range{1, 2}));
  EXPECT_EQ(row(), "1|10");
}

TEST_F(SqliteCyclicTest, ARangeGoesPastTheEndAndRoundAsOftenAsItIsLong) {
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 8)), (Range{1, 9}));
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 4)), (Range{9, 13})) << "9, 10, 1, 2";
  EXPECT_EQ(row(), "2|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 35)), (Range{3, 38}));
  EXPECT_EQ(row(), "7|10");
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 3)), (Range{8, 11}));
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 30)), (Range{1, 31}));
  EXPECT_EQ(row(), "10|10");
}

// What a program that counts one by one, as `{_id, val, maxval}` documents are counted, would give.
TEST_F(SqliteCyclicTest, GivesWhatCountingOneByOneGives) {
  for (const int64_t cycle : {1, 2, 3, 7}) {
    const CounterKey key = cyclic(cycle, "by " + std::to_string(cycle));
    int64_t val = 0;
    for (int64_t count = 1; count < 20; ++count) {
      Range range = reserve(*store_, ask(key, count));
      EXPECT_LE(range.first, cycle);
      for (; !range.empty(); range.take_front(1)) {
        val = (val >= cycle ? 0 : val) + 1;
        ASSERT_EQ((range.first - 1) % cycle + 1, val);
      }
      ASSERT_EQ(run_sql(path_, "SELECT val FROM cyclic_counters WHERE name = '" + key.name + "'"),
                std::to_string(val));
    }
  }
}

TEST_F(SqliteCyclicTest, AnUnbrokenRangeDoesNotGoPastTheEnd) {
  EXPECT_EQ(reserve(*store_, unbroken(cyclic(10), 4)), (Range{1, 5}));
  const Error error = error_of(store_->reserve(unbroken(cyclic(10), 7)));
  for (const std::string& part : {"the counter 'serial' in sqlite:" + path_, std::string("has 6 ids left"),
                                  std::string("reserve at most 6")}) {
    expect_error(error, ErrorCode::kAcrossWrap, ErrorClass::kFinal, part);
  }
  EXPECT_EQ(row(), "4|10");
  EXPECT_EQ(reserve(*store_, unbroken(cyclic(10), 6)), (Range{5, 11}));
  expect_error(error_of(store_->reserve(unbroken(cyclic(10), 11))), ErrorCode::kAcrossWrap,
               ErrorClass::kFinal, "has 10 ids left");
  EXPECT_EQ(reserve(*store_, unbroken(cyclic(10), 10)), (Range{1, 11}));
  expect_error(error_of(store_->reserve(unbroken(cyclic(10, "new"), 11))), ErrorCode::kAcrossWrap,
               ErrorClass::kFinal, "'new'");
  EXPECT_EQ(store_->list().value().size(), 1u) << "made a counter although it refused";
}

TEST_F(SqliteCyclicTest, AnotherCycleIsRefusedAndLeftAlone) {
  reserve(*store_, ask(cyclic(10), 4));
  for (const int64_t cycle : {9, 11}) {
    for (const int64_t count : {0, 1}) {
      const Error error = error_of(store_->reserve(ask(cyclic(cycle), count)));
      expect_error(error, ErrorCode::kOptionsConflict, ErrorClass::kFinal,
                   "counts with cycle: 10, and cycle: " + std::to_string(cycle) + " was asked for");
      expect_error(error, ErrorCode::kOptionsConflict, ErrorClass::kFinal,
                   "open the sequence with cycle: 10");
    }
  }
  EXPECT_EQ(row(), "4|10");
}

TEST_F(SqliteCyclicTest, AValuePastTheEndBeginsAgain) {
  for (const int64_t val : {int64_t{10}, int64_t{11}, INT64_MAX}) {
    make(val, 10);
    EXPECT_EQ(store_->list().value().front().next, 1);
    EXPECT_EQ(reserve(*store_, ask(cyclic(10), 0)), (Range{1, 1}));
    EXPECT_EQ(reserve(*store_, ask(cyclic(10), 2)), (Range{1, 3}));
    EXPECT_EQ(row(), "2|10");
  }
}

TEST_F(SqliteCyclicTest, TheLongestCycleAndTheLargestBatchFitTogether) {
  constexpr int64_t kBatch = 1'000'000'000;
  make(kLongestCycle - 1, kLongestCycle);
  EXPECT_EQ(reserve(*store_, ask(cyclic(kLongestCycle), kBatch)),
            (Range{kLongestCycle, kLongestCycle + kBatch}));
  EXPECT_EQ(row(), std::to_string(kBatch - 1) + "|" + std::to_string(kLongestCycle));
  EXPECT_EQ(reserve(*store_, ask(cyclic(kLongestCycle), int64_t{1} << 62)).first, kBatch);
  const std::string before = row();
  expect_error(error_of(store_->reserve(ask(cyclic(kLongestCycle), INT64_MAX))), ErrorCode::kIdOverflow,
               ErrorClass::kFinal, "ids at once; ask for fewer");
  EXPECT_EQ(row(), before);
}

TEST_F(SqliteCyclicTest, ACycleOf1GivesOnly1) {
  EXPECT_EQ(reserve(*store_, ask(cyclic(1), 3)), (Range{1, 4}));
  EXPECT_EQ(reserve(*store_, ask(cyclic(1), 1)), (Range{1, 2}));
  EXPECT_EQ(row(), "1|1");
}

TEST_F(SqliteCyclicTest, OnlyThatTheCounterExistsIsAskedOfAFloor) {
  reserve(*store_, ask(cyclic(10), 4));
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 1, 1000)), (Range{5, 6}));
  ReserveRequest request = ask(cyclic(10), 1);
  request.limit = 1;
  EXPECT_EQ(reserve(*store_, request), (Range{6, 7})) << "a limit says nothing";

  run_sql(path_, "DELETE FROM cyclic_counters");
  const Error error = error_of(store_->reserve(ask(cyclic(10), 1, 1)));
  expect_error(error, ErrorCode::kSequenceMissing, ErrorClass::kFinal, "this process was given ids of it");
  mend(*store_, error.message, {.counter = cyclic(10), .next = 7}, false);
  EXPECT_EQ(reserve(*store_, ask(cyclic(10), 1, 1)), (Range{7, 8}));
}

TEST_F(SqliteCyclicTest, IsListedWithTheIdToBeGivenNext) {
  reserve(*store_, ask(cyclic(10), 9));
  auto counter = store_->list().value().front();
  EXPECT_EQ(counter.key, cyclic(10));
  EXPECT_EQ(counter.next, 10);
  reserve(*store_, ask(cyclic(10), 1));
  EXPECT_EQ(store_->list().value().front().next, 1);
}

}  // namespace
}  // namespace nextid::sqlite
