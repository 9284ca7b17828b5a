#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "native/sqlite/fixture.h"
#include "native/sqlite/journal.h"
#include "native/sqlite/wal_watch.h"

namespace nextid::sqlite {
namespace {

class SqlitePruneTest : public SqliteStoreTest {
 protected:
  void expect_pruned(const CounterKey& key, const std::string& part = "",
                     std::optional<int64_t> floor = std::nullopt) {
    expect_error(error_of(store_->reserve(ask(key, 1, floor))), ErrorCode::kPeriodPruned, ErrorClass::kFinal,
                 part);
  }
  void make(const std::vector<CounterKey>& keys) {
    for (const CounterKey& key : keys) reserve(*store_, ask(key, 10));
  }
};

TEST_F(SqlitePruneTest, RemovesTheCountersAndSaysHowManyThereWere) {
  make({dated(140623), dated(140624), dated(140625), dated(140623, "")});
  EXPECT_EQ(store_->prune("orders", {140610, 140623, 140624}).value(), 2);
  EXPECT_EQ(store_->prune("orders", {140610, 140623, 140624}).value(), 0);
  const auto left = store_->list().value();
  ASSERT_EQ(left.size(), 2u);
  EXPECT_EQ(left[0].key, dated(140623, ""));
  EXPECT_EQ(left[1].key, dated(140625));
  EXPECT_EQ(left[1].next, 11);
}

TEST_F(SqlitePruneTest, NothingToPruneClosesNothingAndMakesNoFile) {
  EXPECT_EQ(store_->prune("orders", {}).value(), 0);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
}

TEST_F(SqlitePruneTest, APrunedPeriodDoesNotBeginAgain) {
  make({dated(140623)});
  store_->prune("orders", {140623}).value();
  for (int i = 0; i < 2; ++i) {
    for (const char* part :
         {"the counter of 140623 of 'orders' in sqlite:", "each day up to 140623 was pruned",
          "if this machine's clock was set back",
          "with: nextid advance --store URL --restore --prefix 140623 orders N (N: past the largest count"}) {
      expect_pruned(dated(140623), part);
    }
    expect_pruned(dated(140623), "up to 140623", 11);
    expect_pruned(dated(140622));
    expect_pruned(dated(100101));
    EXPECT_EQ(error_of(store_->reserve(ask(dated(140623), 0))).code, ErrorCode::kPeriodPruned);
    store_ = make_store(path_);
  }
  EXPECT_TRUE(store_->list().value().empty());
  EXPECT_EQ(reserve(*store_, ask(dated(140624), 1)), (Range{1, 2}));
}

TEST_F(SqlitePruneTest, APrunedPeriodIsRestoredOnRequestAlone) {
  make({dated(140623)});
  store_->prune("orders", {140623}).value();
  const AdvanceRequest advance{.counter = dated(140623), .next = 11};
  EXPECT_EQ(error_of(store_->advance(advance)).code, ErrorCode::kPeriodPruned);
  AdvanceRequest restore = advance;
  restore.restore = true;
  restore.make = false;
  EXPECT_EQ(store_->advance(restore).value(), std::nullopt);
  EXPECT_TRUE(store_->list().value().empty());
  restore.make = true;
  EXPECT_EQ(store_->advance(restore).value(), 11);
  EXPECT_EQ(reserve(*store_, ask(dated(140623), 10)), (Range{11, 21}));
  EXPECT_EQ(store_->advance(restore).value(), 21);
  expect_pruned(dated(140622));
}

TEST_F(SqlitePruneTest, ClosesPeriodsOfTheNameAndKindAlone) {
  store_->prune("orders", {140623}).value();
  for (const CounterKey& key : {dated(140623, ""), dated(140623, "Orders"), dated(14), dated(1406),
                                dated(1001), dated(14062313), dated(10010100)}) {
    EXPECT_EQ(reserve(*store_, ask(key, 1)), (Range{1, 2})) << describe(key);
  }
  store_->prune("orders", {14062312}).value();
  store_->prune("orders", {1405}).value();
  store_->prune("orders", {13}).value();
  store_->prune("", {140601}).value();
  expect_pruned(dated(14062311), "each hour up to 14062312");
  expect_pruned(dated(140623), "each day up to 140623");
  expect_pruned(dated(1405), "each month up to 1405");
  expect_pruned(dated(12), "each year up to 13");
  expect_pruned(dated(140601, ""), "the counter of 140601 in sqlite:");
  EXPECT_EQ(reserve(*store_, ask(dated(14062313), 1)), (Range{2, 3}));
}

TEST_F(SqlitePruneTest, CountersThatWereKeptGoOn) {
  make({dated(140620), dated(140621), dated(140622)});
  EXPECT_EQ(store_->prune("orders", {140620, 140622}).value(), 2);
  EXPECT_EQ(reserve(*store_, ask(dated(140621), 10, 11)), (Range{11, 21}));
  expect_pruned(dated(140620));
  expect_pruned(dated(140622));
}

TEST_F(SqlitePruneTest, WhatIsClosedStaysClosed) {
  make({dated(140610)});
  store_->prune("orders", {140623}).value();
  EXPECT_EQ(store_->prune("orders", {140610}).value(), 1);
  expect_pruned(dated(140623), "up to 140623");
  EXPECT_EQ(run_sql(path_, "SELECT * FROM closed_periods"), "orders|day|140623");
  store_->prune("orders", {140624}).value();
  expect_pruned(dated(140624), "up to 140624");
}

TEST_F(SqlitePruneTest, ClosesPeriodsOfAFileThatIsNotThereYet) {
  EXPECT_EQ(store_->prune("orders", {140623}).value(), 0);
  expect_pruned(dated(140623));
}

TEST_F(SqlitePruneTest, APruneThatFailsRemovesNothingAndClosesNothing) {
  WalWatch wal;
  make({dated(140623)});
  wal.at_sync = [] { return SQLITE_IOERR_FSYNC; };
  EXPECT_EQ(error_of(store_->prune("orders", {140623})).error_class, ErrorClass::kDoubtful);
  wal.at_sync = nullptr;
  EXPECT_EQ(store_->prune("orders", {140623}).value(), 1);

  make({dated(140624), dated(140625)});
  run_sql(path_,
          "CREATE TRIGGER stop BEFORE DELETE ON dated_counters WHEN old.prefix = 140625"
          " BEGIN SELECT raise(ABORT, 'stop'); END");
  EXPECT_FALSE(store_->prune("orders", {140624, 140625}).ok());
  EXPECT_EQ(run_sql(path_, "SELECT up_to FROM closed_periods"), "140623");
  EXPECT_EQ(reserve(*store_, ask(dated(140624), 1)), (Range{11, 12}));
  EXPECT_EQ(reserve(*store_, ask(dated(140625), 1)), (Range{11, 12}));
}

// Were a period closed before or after its counter goes, somebody could begin at 1 again in between, or be
// refused while the counter is there.
TEST_F(SqlitePruneTest, IsOneStepForThoseWhoReserveMeanwhile) {
  constexpr int kThreads = 2;
  for (int64_t day = 140601; day <= 140612; ++day) {
    std::atomic<int> begun = 0;
    std::atomic<bool> is_pruned = false;
    std::vector<std::vector<Range>> given(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        const auto store = make_store(path_);
        for (int tries_after = 0; tries_after < 3; tries_after += is_pruned) {
          const bool must_fail = is_pruned;
          const Result<Range> range = store->reserve(ask(dated(day), 3));
          ++begun;
          if (range.ok()) {
            EXPECT_FALSE(must_fail);
            given[i].push_back(range.value());
          } else {
            EXPECT_EQ(range.error().code, ErrorCode::kPeriodPruned) << range.error().message;
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));  // lets the others in
        }
      });
    }
    while (begun < kThreads) std::this_thread::yield();
    EXPECT_EQ(store_->prune("orders", {day}).value(), 1);
    is_pruned = true;
    for (std::thread& thread : threads) thread.join();
    std::vector<Range> ranges;
    for (const auto& some : given) ranges.insert(ranges.end(), some.begin(), some.end());
    expect_unbroken(ranges, 1);
  }
  EXPECT_TRUE(store_->list().value().empty());
}

TEST_F(SqlitePruneTest, AMarkThatIsDamagedIsRefusedUntilItIsMended) {
  for (const char* value : {"'140623'", "1.5", "-1", "7", "100000000", "x'00'", "NULL"}) {
    reserve(*store_, orders(1));
    run_sql(path_,
            std::string("DROP TABLE closed_periods;"
                        "CREATE TABLE closed_periods (name, period, up_to, PRIMARY KEY (name, period));"
                        "INSERT INTO closed_periods VALUES ('it''s', 'day', ") +
                value + ")");
    const Error error = error_of(store_->reserve(ask(dated(140601, "it's"), 1)));
    expect_error(error, ErrorCode::kCounterInvalid, ErrorClass::kFinal,
                 "the mark in sqlite:" + path_ + " up to which each day of 'it's' was pruned holds ");
    EXPECT_EQ(error_of(store_->prune("it's", {140623})).code, ErrorCode::kCounterInvalid);
    EXPECT_EQ(store_->list().value().size(), 1u);
    const std::string sql = remedy_in(error.message, "140623");
    run_sql(path_, sql);
    expect_pruned(dated(140601, "it's"));
    run_sql(path_, std::regex_replace(sql, std::regex("= 140623"), "= 100101") + "; ");
    EXPECT_EQ(run_sql(path_, "SELECT up_to FROM closed_periods"), "140623") << "a sound mark was set back";
  }
}

}  // namespace
}  // namespace nextid::sqlite
