#include <gtest/gtest.h>

#include <string>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

TEST_F(SqliteStoreTest, EachPeriodOfEachNameCountsFrom1) {
  for (const CounterKey& key : {dated(14062513), dated(140625), dated(1406), dated(14), dated(140626),
                                dated(140625, ""), dated(140625, "it's")}) {
    ReserveRequest request = ask(key, 10);
    request.start = 1000;  // of plain counters
    EXPECT_EQ(reserve(*store_, request), (Range{1, 11})) << describe(key);
    EXPECT_EQ(reserve(*store_, request), (Range{11, 21})) << describe(key);
  }
  EXPECT_EQ(run_sql(path_, "SELECT * FROM dated_counters WHERE prefix = 14"), "orders|14|21");
}

TEST_F(SqliteStoreTest, ADatedTailIsGivenBackIfNobodyReservedAfterIt) {
  const CounterKey today = dated(140625);
  reserve(*store_, ask(today, 10));
  reserve(*store_, ask(dated(140624), 10));
  reserve(*store_, ask(dated(140625, ""), 10));
  EXPECT_FALSE(store_->release(dated(140626), {5, 11}).value());
  EXPECT_TRUE(store_->release(today, {5, 11}).value());
  EXPECT_EQ(reserve(*store_, ask(dated(140624), 1)), (Range{11, 12}));
  EXPECT_EQ(reserve(*store_, ask(dated(140625, ""), 1)), (Range{11, 12}));
  EXPECT_EQ(reserve(*store_, ask(today, 10)), (Range{5, 15}));
  reserve(*store_, ask(today, 1));
  EXPECT_FALSE(store_->release(today, {10, 15}).value());
  EXPECT_EQ(reserve(*store_, ask(today, 1)), (Range{16, 17}));
  store_->prune("orders", {140625}).value();
  EXPECT_FALSE(store_->release(today, {16, 17}).value()) << "made anew";
}

TEST_F(SqliteStoreTest, ADatedCounterThatIsGoneIsMadeAnewAsTheErrorSays) {
  for (const CounterKey& key : {dated(140625), dated(140625, ""), dated(140625, "it's")}) {
    const Range given = reserve(*store_, ask(key, 10));
    run_sql(path_, "DELETE FROM dated_counters");
    const Error error = error_of(store_->reserve(ask(key, 10, given.end)));
    expect_error(error, ErrorCode::kSequenceMissing, ErrorClass::kFinal, "counts below 11");
    EXPECT_TRUE(store_->list().value().empty());
    mend(*store_, error.message, {.counter = key, .next = 11}, true);
    EXPECT_EQ(reserve(*store_, ask(key, 10, given.end)), (Range{11, 21}));
  }
}

TEST_F(SqliteStoreTest, ADatedCounterBelowWhatWasGivenIsMovedUpAsTheErrorSays) {
  const Range given = reserve(*store_, ask(dated(140625), 10));
  reserve(*store_, ask(dated(140624), 3));
  run_sql(path_, "UPDATE dated_counters SET next = 10 WHERE prefix = 140625");
  const Error error = error_of(store_->reserve(ask(dated(140625), 10, given.end)));
  expect_error(error, ErrorCode::kSequenceRewound, ErrorClass::kFinal,
               "the counter of 140625 of 'orders' in sqlite:" + path_ + " stands at 10");
  EXPECT_EQ(reserve(*store_, ask(dated(140625), 0)), (Range{10, 10}));
  mend(*store_, error.message, {.counter = dated(140625), .next = 11}, true);
  EXPECT_EQ(reserve(*store_, ask(dated(140625), 10, given.end)), (Range{11, 21}));
  EXPECT_EQ(reserve(*store_, ask(dated(140624), 1)), (Range{4, 5}));
}

TEST_F(SqliteStoreTest, CountsEndAtTheLimitAndAt64Bits) {
  ReserveRequest request = ask(dated(140625), 10);
  request.limit = 10;
  EXPECT_EQ(reserve(*store_, request), (Range{1, 11}));
  expect_error(error_of(store_->reserve(request)), ErrorCode::kIdOverflow, ErrorClass::kFinal,
               "counts of this sequence must be below 10; choose a shorter period");
  EXPECT_EQ(reserve(*store_, ask(dated(140625), 0)), (Range{11, 11}));
  run_sql(path_, "UPDATE dated_counters SET next = 9223372036854775800");
  expect_error(error_of(store_->reserve(ask(dated(140625), 8))), ErrorCode::kIdOverflow, ErrorClass::kFinal,
               "9223372036854775807");
  EXPECT_EQ(reserve(*store_, ask(dated(140625), 7)).end, INT64_MAX);
}

}  // namespace
}  // namespace nextid::sqlite
