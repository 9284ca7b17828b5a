#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "native/sqlite/fixture.h"
#include "native/sqlite/journal.h"

namespace nextid::sqlite {
namespace {

// What holds for counters of every kind.
class SqliteKindTest : public SqliteStoreTest, public testing::WithParamInterface<CounterKey> {
 protected:
  // Where the first range begins; a time-stamped one begins at the present.
  bool begins_at_1() const { return !is<Timestamped>(GetParam()); }
};

TEST_P(SqliteKindTest, EightFirstComersMakeOneCounterAndTheirRangesAdjoin) {
  constexpr int kThreads = 8;
  constexpr int kEach = 5;
  std::vector<std::vector<Range>> given(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto store = make_store(path_);
      for (int n = 0; n < kEach; ++n) given[i].push_back(reserve(*store, ask(GetParam(), 7)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Range> ranges;
  for (const auto& some : given) ranges.insert(ranges.end(), some.begin(), some.end());
  EXPECT_EQ(ranges.size(), size_t{kThreads * kEach});
  if (begins_at_1()) {
    expect_unbroken(ranges, 1);
  } else {
    expect_disjoint(ranges, 1);
  }
  const auto counters = store_->list().value();
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0].key, GetParam());
  EXPECT_EQ(counters[0].next, sorted(ranges).back().end);
}

TEST_P(SqliteKindTest, ACounterThatIsGoneIsNotMadeAnew) {
  expect_error(error_of(store_->reserve(ask(GetParam(), 1, 11))), ErrorCode::kSequenceMissing,
               ErrorClass::kFinal, "create it again");
  EXPECT_EQ(read_file(path_), "") << "made a file";
  reserve(*store_, ask({.name = "another"}, 1));
  const Error error = error_of(store_->reserve(ask(GetParam(), 1, 11)));
  for (const std::string& part :
       {describe(GetParam()) + " in sqlite:" + path_ + " is gone: ", std::string("this process was given"),
        std::string("create it again with")}) {
    expect_error(error, ErrorCode::kSequenceMissing, ErrorClass::kFinal, part);
  }
  EXPECT_EQ(store_->list().value().size(), 1u);
}

TEST_P(SqliteKindTest, AdvancesUpNeverDown) {
  const int64_t next = 900;
  AdvanceRequest request{.counter = GetParam(), .next = next, .make = false};
  EXPECT_EQ(store_->advance(request).value(), std::nullopt);
  EXPECT_EQ(read_file(path_), "") << "made a file";
  request.make = true;
  EXPECT_EQ(store_->advance(request).value(), next);
  EXPECT_EQ(store_->list().value().front().key, GetParam());
  for (const bool restore : {false, true}) {
    EXPECT_EQ(store_->advance({.counter = GetParam(), .next = 1, .make = false, .restore = restore}).value(),
              next);
  }
  EXPECT_EQ(store_->list().value().front().next, next);
  const Range given = reserve(*store_, ask(GetParam(), 10));
  EXPECT_GE(given.first, next);
  if (begins_at_1()) {
    EXPECT_EQ(given.first, next);
  }
  EXPECT_EQ(store_->advance(request).value(), given.end);
}

INSTANTIATE_TEST_SUITE_P(All, SqliteKindTest,
                         testing::Values(kOrders, dated(140625), dated(14062513), dated(140625, ""),
                                         cyclic(1000), timestamped(0), timestamped(2), timestamped(4)));

// A value that is no number, in one column of a table without types, which keeps every value as it is
// written.
struct Column {
  CounterKey key;
  const char* table;
  const char* columns;
  const char* row;  // with a % where the value goes
  const char* as;
};

void PrintTo(const Column& column, std::ostream* out) { *out << column.table << " " << column.row; }

class SqliteDamageTest : public SqliteStoreTest,
                         public testing::WithParamInterface<std::tuple<Column, const char*>> {
 protected:
  void write(const Column& column, const std::string& value) {
    reserve(*store_, orders(1));
    const std::string table = column.table;
    std::string row = column.row;
    row.replace(row.find('%'), 1, value);
    run_sql(path_, "DROP TABLE " + table + "; CREATE TABLE " + table + " (" + column.columns +
                       "); INSERT INTO " + table + " VALUES (" + row + ")");
  }
};

TEST_P(SqliteDamageTest, IsRefusedByNameAndLeftAloneUntilItIsMended) {
  const auto& [column, value] = GetParam();
  write(column, value);
  const auto content = [&, table = std::string(column.table)] {
    return run_sql(path_, "SELECT * FROM " + table) + run_sql(path_, "SELECT count(*) FROM " + table);
  };
  const std::string before = content();
  const Error error = error_of(store_->reserve(ask(column.key, 1)));
  const bool counts = !is<Cyclic>(column.key) && column.as != std::string(" in digits");
  const auto code =
      std::string(value) == "1e18" && counts ? ErrorCode::kIdOverflow : ErrorCode::kCounterInvalid;
  for (const std::string& part : {describe(column.key) + " in sqlite:" + path_ + " holds ",
                                  std::string(column.as) + ": expected an integer from "}) {
    expect_error(error, code, ErrorClass::kFinal, part);
  }
  EXPECT_EQ(content(), before) << "was not left as it is";
  const CounterInfo shown = store_->list().value().front();
  EXPECT_EQ(shown.key.name, column.key.name);
  EXPECT_EQ(shown.next, std::nullopt);
  EXPECT_NE(shown.problem.find(column.as), std::string::npos) << shown.problem;

  EXPECT_EQ(error_of(store_->advance({.counter = column.key, .next = 9})).code, code);
  EXPECT_EQ(content(), before) << "was not left as it is";
  const AdvanceRequest restore{.counter = column.key, .next = 9, .restore = true};
  const bool is_larger =
      std::string(value) == "1e18" && !is<Cyclic>(column.key) && column.as != std::string(" in digits");
  EXPECT_EQ(store_->advance(restore).ok(), !is_larger);
  if (!is_larger) {
    mend(*store_, error.message, restore, false);
    const Range range = reserve(*store_, ask(column.key, 1));
    if (!is<Timestamped>(column.key)) {
      EXPECT_EQ(range, (Range{9, 10}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, SqliteDamageTest,
    testing::Combine(
        testing::Values(
            Column{dated(140625, "it's"), "dated_counters",
                   "name, prefix, next, returned, advanced, PRIMARY KEY (name, prefix)",
                   "'it''s', 140625, %, '', 0", " in next"},
            Column{cyclic(99, "it's"), "cyclic_counters", "name PRIMARY KEY, val, maxval", "'it''s', %, 99",
                   " in val"},
            Column{cyclic(99, "it's"), "cyclic_counters", "name PRIMARY KEY, val, maxval", "'it''s', 7, %",
                   " in maxval"},
            Column{timestamped(2, "it's"), "timestamp_counters", "name PRIMARY KEY, slot, digits, time_zone",
                   "'it''s', %, 2, 'UTC'", " in slot"},
            Column{timestamped(2, "it's"), "timestamp_counters", "name PRIMARY KEY, slot, digits, time_zone",
                   "'it''s', 7, %, 'UTC'", " in digits"}),
        testing::Values("'42'", "''", "1.5", "-1", "-3.0", "-1e300", "9e999", "1e18", "x'010203'", "NULL")));

struct Edge {
  CounterKey key;
  const char* sql;
  std::optional<int64_t> first;  // none: refused
};

TEST_F(SqliteStoreTest, NumbersAtTheEdgesAreReadOrRefused) {
  const std::vector<Edge> edges = {
      {cyclic(99), "cyclic_counters VALUES ('serial', 98.0, 99.0)", 99},
      {cyclic(99), "cyclic_counters VALUES ('serial', 9223372036854775807, 99)", 1},
      {cyclic(99), "cyclic_counters VALUES ('serial', 9007199254740991.0, 99)", 1},
      {cyclic(99), "cyclic_counters VALUES ('serial', 1, 0)", {}},
      {cyclic(99), "cyclic_counters VALUES ('serial', 1, 9007199254740992)", {}},
      {timestamped(0), "timestamp_counters VALUES ('trace', 9223372036854775806, 0, 'UTC')", {}},
      {timestamped(0), "timestamp_counters VALUES ('trace', 9223372036854775807, 0, 'UTC')", {}},
      {timestamped(0), "timestamp_counters VALUES ('trace', 9e15, 0, 'UTC')", 9'000'000'000'000'001},
      {timestamped(0), "timestamp_counters VALUES ('trace', 7, 5, 'UTC')", {}},
      {dated(140625), "dated_counters (name, prefix, next) VALUES ('orders', 140625, 7.0)", 7},
      {dated(140625), "dated_counters (name, prefix, next) VALUES ('orders', 140625, 0)", {}},
      {dated(140625),
       "dated_counters (name, prefix, next) VALUES ('orders', 140625, 9223372036854775807)",
       {}},
  };
  reserve(*store_, orders(1));
  run_sql(path_,
          "DROP TABLE dated_counters; CREATE TABLE dated_counters (name, prefix, next, "
          "returned DEFAULT '', advanced DEFAULT 0, PRIMARY KEY (name, prefix));"
          "DROP TABLE cyclic_counters; CREATE TABLE cyclic_counters (name PRIMARY KEY, val, maxval);"
          "DROP TABLE timestamp_counters; CREATE TABLE timestamp_counters (name PRIMARY KEY, slot, digits, "
          "time_zone)");
  for (const Edge& edge : edges) {
    run_sql(path_, std::string("INSERT OR REPLACE INTO ") + edge.sql);
    const Result<Range> range = store_->reserve(ask(edge.key, 1));
    if (edge.first) {
      ASSERT_TRUE(range.ok()) << edge.sql << range.error().message;
      EXPECT_EQ(range.value(), (Range{*edge.first, *edge.first + 1})) << edge.sql;
    } else {
      EXPECT_FALSE(range.ok()) << edge.sql;
      EXPECT_TRUE(store_->list().ok());
    }
  }
}

TEST_F(SqliteStoreTest, APrefixThatIsNoneIsListedAsDamage) {
  reserve(*store_, ask(dated(140625), 1));
  run_sql(path_, "PRAGMA ignore_check_constraints = ON; UPDATE dated_counters SET prefix = 'today'");
  const auto counters = store_->list().value();
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0].key, dated(0));
  EXPECT_EQ(counters[0].next, std::nullopt);
  EXPECT_NE(counters[0].problem.find("the string 'today' in prefix"), std::string::npos);
}

}  // namespace
}  // namespace nextid::sqlite
