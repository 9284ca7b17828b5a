#include <gtest/gtest.h>

#include <string>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

TEST_F(SqliteStoreTest, OpensNothingBeforeTheFirstOperation) { EXPECT_FALSE(fs::exists(path_)); }

TEST_F(SqliteStoreTest, CountersOfDifferentNamesAreIndependent) {
  for (const std::string name : {"a", "A", "it's", "two words", "Zähler", "計数器", "%", ""}) {
    ReserveRequest request;
    request.counter.name = name;
    request.count = 5;
    EXPECT_EQ(reserve(*store_, request), (Range{1, 6})) << name;
    EXPECT_EQ(reserve(*store_, request), (Range{6, 11})) << name;
  }
  EXPECT_EQ(store_->list().value().size(), 8u);
}

TEST_F(SqliteStoreTest, GivingBackMakesNoFile) {
  EXPECT_FALSE(store_->release(kOrders, {1, 2}).value());
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SqliteStoreTest, ListsCountersByNameAndSaysWhatIsWrongWithDamagedOnes) {
  store_->advance("c", 3);
  store_->advance("a", 1);
  store_->advance("b", 2);
  run_sql(path_, "PRAGMA ignore_check_constraints = ON; UPDATE counters SET next = 'two' WHERE name = 'b'");
  const auto counters = store_->list().value();
  ASSERT_EQ(counters.size(), 3u);
  EXPECT_EQ(counters[0].key.name, "a");
  EXPECT_EQ(counters[0].next, 1);
  EXPECT_EQ(counters[0].problem, "");
  EXPECT_EQ(counters[1].key.name, "b");
  EXPECT_EQ(counters[1].next, std::nullopt);
  EXPECT_NE(counters[1].problem.find("the string 'two'"), std::string::npos) << counters[1].problem;
  EXPECT_EQ(counters[2].key.name, "c");
}

TEST_F(SqliteStoreTest, ListingWhereThereIsNothingMakesNothing) {
  EXPECT_TRUE(store_->list().value().empty());
  EXPECT_FALSE(fs::exists(path_));
  write_file(path_, "");
  EXPECT_TRUE(store_->list().value().empty());
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(SqliteStoreTest, NumbersEndAtTheLimitAndAt64Bits) {
  ReserveRequest request = orders(10);
  request.limit = 100;
  store_->advance("orders", 99);
  EXPECT_EQ(reserve(*store_, request), (Range{99, 109}));
  expect_error(error_of(store_->reserve(request)), ErrorCode::kIdOverflow, ErrorClass::kFinal,
               "bigint: true");
  EXPECT_EQ(reserve(*store_, orders(0)), (Range{109, 109}));

  store_->advance("orders", INT64_MAX - 9);
  expect_error(error_of(store_->reserve(orders(10))), ErrorCode::kIdOverflow, ErrorClass::kFinal,
               "9223372036854775807");
  EXPECT_EQ(reserve(*store_, orders(9)), (Range{INT64_MAX - 9, INT64_MAX}));
  expect_error(error_of(store_->reserve(orders(0))), ErrorCode::kIdOverflow, ErrorClass::kFinal,
               "another sequence");
  EXPECT_EQ(store_->list().value().front().next, INT64_MAX);

  request.counter.name = "new";
  request.start = 100;
  expect_error(error_of(store_->reserve(request)), ErrorCode::kIdOverflow, ErrorClass::kFinal, "below 100");
  EXPECT_EQ(store_->list().value().size(), 1u) << "made a counter although it refused";
}

TEST_F(SqliteStoreTest, TheCommandThatMakesItAnewCanBePastedIntoAShell) {
  reserve(*store_, orders(1));
  const auto missing = [this](const char* name) {
    ReserveRequest request = orders(1, 11);
    request.counter.name = name;
    return error_of(store_->reserve(request)).message;
  };
  EXPECT_NE(missing("shop/orders-2.eu").find("URL shop/orders-2.eu 11"), std::string::npos)
      << missing("shop/orders-2.eu");
  EXPECT_NE(missing("Tom's $1").find(R"(URL 'Tom'\''s $1' 11)"), std::string::npos) << missing("Tom's $1");
}

TEST_F(SqliteStoreTest, AFloorWithoutAFileMakesNone) {
  expect_error(error_of(store_->reserve(orders(1, 11))), ErrorCode::kSequenceMissing, ErrorClass::kFinal,
               "ids below 11");
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SqliteStoreTest, ACounterDamagedWhileInUseIsRefused) {
  const Range given = reserve(*store_, orders(10));
  run_sql(path_, "PRAGMA ignore_check_constraints = ON; UPDATE counters SET next = 'it''s'");
  expect_error(error_of(store_->reserve(orders(1, given.end))), ErrorCode::kCounterInvalid,
               ErrorClass::kFinal, "the string 'it's'");
  run_sql(path_, "UPDATE counters SET next = 11");
  EXPECT_EQ(reserve(*store_, orders(1, given.end)), (Range{11, 12}));
}

struct Value {
  const char* sql;
  std::optional<ErrorCode> error;  // none: it can be read
  const char* part;                // of the message, or the number that is read
};

TEST_F(SqliteStoreTest, ReturnedRangesArePairsOfNumbers) {
  EXPECT_EQ(reserve(*store_, orders(30)), (Range{1, 31}));
  EXPECT_TRUE(store_->release({.name = "orders"}, {4, 11}).value());
  EXPECT_TRUE(store_->release({.name = "orders"}, {20, 22}).value());
  EXPECT_TRUE(store_->release({.name = "orders"}, {24, 25}).value());
  EXPECT_EQ(store_->advance("orders", 15).value(), 31);
  EXPECT_EQ(run_sql(path_, "SELECT next, returned, advanced FROM counters"), "31|20 22 24 25|15");
}

class SqliteValueTest : public SqliteStoreTest, public testing::WithParamInterface<Value> {};

TEST_P(SqliteValueTest, IsReadOrRefusedByName) {
  // A column without a type keeps every value as it is written.
  run_sql(
      path_,
      std::string("CREATE TABLE counters (name PRIMARY KEY, next); INSERT INTO counters VALUES ('orders', ") +
          GetParam().sql + "); PRAGMA application_id = 0x4e784964; PRAGMA user_version = 1");
  const std::string stored = run_sql(path_, "SELECT quote(next) FROM counters");
  const Result<Range> range = store_->reserve(orders(2));
  const Result<int64_t> advanced = store_->advance("orders", 1);
  if (!GetParam().error) {
    ASSERT_TRUE(range.ok()) << range.error().message;
    EXPECT_EQ(std::to_string(range.value().first), GetParam().part);
    EXPECT_EQ(run_sql(path_, "SELECT typeof(next), next FROM counters"),
              "integer|" + std::to_string(range.value().end));
    return;
  }
  ASSERT_FALSE(range.ok());
  for (const std::string& part : {std::string(GetParam().part), "the counter 'orders' in sqlite:" + path_,
                                  std::string("with: nextid advance --store URL --restore orders N")}) {
    expect_error(range.error(), *GetParam().error, ErrorClass::kFinal, part);
  }
  ASSERT_FALSE(advanced.ok());
  EXPECT_EQ(advanced.error().code, *GetParam().error);
  EXPECT_EQ(run_sql(path_, "SELECT quote(next) FROM counters"), stored) << "was not left as it is";
  EXPECT_EQ(store_->list().value().front().next, std::nullopt);

  // A number is not replaced by a smaller one.
  const AdvanceRequest restore{.counter = kOrders, .next = 1, .restore = true};
  const bool is_larger = run_sql(path_,
                                 "SELECT next >= 1 AND next < 9.3e18 AND typeof(next) IN "
                                 "('integer', 'real') FROM counters") == "1";
  EXPECT_EQ(store_->advance(restore).ok(), !is_larger);
  if (is_larger) {
    EXPECT_EQ(run_sql(path_, "SELECT quote(next) FROM counters"), stored);
  }
  mend(*store_, range.error().message, {.counter = kOrders, .next = INT64_MAX - 9, .restore = true}, false);
  EXPECT_EQ(reserve(*store_, orders(2)), (Range{INT64_MAX - 9, INT64_MAX - 7}));
}

INSTANTIATE_TEST_SUITE_P(All, SqliteValueTest,
                         testing::Values(Value{"0", {}, "0"}, Value{"7.0", {}, "7"},
                                         Value{"3e15", {}, "3000000000000000"},
                                         Value{"9007199254740991.0", {}, "9007199254740991"},
                                         Value{"9007199254740993", {}, "9007199254740993"},
                                         Value{"9007199254740992.0", ErrorCode::kIdOverflow, "2^53"},
                                         Value{"1e18", ErrorCode::kIdOverflow, "1e+18"},
                                         Value{"9e999", ErrorCode::kCounterInvalid, "the double inf"},
                                         Value{"1.5", ErrorCode::kCounterInvalid, "the double 1.5"},
                                         Value{"-1", ErrorCode::kCounterInvalid, "the integer -1"},
                                         Value{"-1e300", ErrorCode::kCounterInvalid, "the double -1e+300"},
                                         Value{"'42'", ErrorCode::kCounterInvalid, "the string '42'"},
                                         Value{"''", ErrorCode::kCounterInvalid, "the string ''"},
                                         Value{"'a long text whose end nobody wants to reäd'",
                                               ErrorCode::kCounterInvalid,
                                               "the string 'a long text whose end nobody wants to re…'"},
                                         Value{"x'010203'", ErrorCode::kCounterInvalid, "a blob of 3 bytes"},
                                         Value{"NULL", ErrorCode::kCounterInvalid, "NULL"}));

}  // namespace
}  // namespace nextid::sqlite
