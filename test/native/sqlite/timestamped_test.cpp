#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

constexpr int64_t kSecond = 1'000'000;                     // microseconds
constexpr int64_t kNoon2014 = 1'403'697'600 * kSecond;     // 2014-06-25T12:00Z
constexpr int64_t kStartOf2020 = 1'577'836'800 * kSecond;  // 2020-01-01T00:00Z

std::atomic<int64_t> shown = 0;
int64_t test_clock() { return shown; }

class SqliteTimestampTest : public SqliteStoreTest {
 protected:
  static ReserveRequest at(int64_t now, const CounterKey& key, int64_t count,
                           std::optional<int64_t> floor = std::nullopt) {
    shown = now;
    ReserveRequest request = ask(key, count, floor);
    request.clock = test_clock;
    request.max_skew = 0;  // the file has no clock that ours could be ahead of
    return request;
  }
  std::string row() { return run_sql(path_, "SELECT slot, digits FROM timestamp_counters"); }
};

TEST_F(SqliteTimestampTest, BeginsAtTheSlotOfTheClock) {
  int64_t slots = 1;
  for (const int digits : {0, 1, 2, 3}) {
    const CounterKey key = timestamped(digits, "digits" + std::to_string(digits));
    const int64_t first = kNoon2014 * slots;
    EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 5)), (Range{first, first + 5}));
    slots *= 10;
  }
  const int64_t first = 7 * kSecond * 10'000;
  EXPECT_EQ(reserve(*store_, at(kStartOf2020 + 7 * kSecond, timestamped(4), 5)), (Range{first, first + 5}));
}

TEST_F(SqliteTimestampTest, FollowsTheClockButNeverGoesBack) {
  const CounterKey key = timestamped(1);
  const auto slot = [](int64_t microseconds) { return (kNoon2014 + microseconds) * 10; };
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 3)), (Range{slot(0), slot(0) + 3}));
  EXPECT_EQ(row(), std::to_string(slot(0) + 2) + "|1");
  // Standing still, over more than one microsecond.
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 30)), (Range{slot(0) + 3, slot(3) + 3}));
  // Going on, but not past what was given.
  EXPECT_EQ(reserve(*store_, at(kNoon2014 + 3, key, 1)), (Range{slot(3) + 3, slot(3) + 4}));
  EXPECT_EQ(reserve(*store_, at(kNoon2014 + 4, key, 1)), (Range{slot(4), slot(4) + 1}));
  // An hour back, and an hour ahead.
  EXPECT_EQ(reserve(*store_, at(kNoon2014 - 3600 * kSecond, key, 2)), (Range{slot(4) + 1, slot(4) + 3}));
  const int64_t ahead = slot(3600 * kSecond);
  EXPECT_EQ(reserve(*store_, at(kNoon2014 + 3600 * kSecond, key, 1)), (Range{ahead, ahead + 1}));
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 1)), (Range{ahead + 1, ahead + 2}));
  EXPECT_EQ(store_->list().value().front().next, ahead + 2);
}

TEST_F(SqliteTimestampTest, ReservingNothingTellsWhereTheNextRangeWouldBegin) {
  const CounterKey key = timestamped(0);
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 0)), (Range{kNoon2014, kNoon2014}));
  EXPECT_EQ(row(), std::to_string(kNoon2014 - 1) + "|0");
  EXPECT_EQ(reserve(*store_, at(kNoon2014 + 5, key, 0)), (Range{kNoon2014 + 5, kNoon2014 + 5}));
  EXPECT_EQ(reserve(*store_, at(kNoon2014 - 5, key, 0)), (Range{kNoon2014, kNoon2014}));
  EXPECT_EQ(row(), std::to_string(kNoon2014 - 1) + "|0");
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 1)), (Range{kNoon2014, kNoon2014 + 1}));
}

// While it waits for its turn, time goes on.
TEST_F(SqliteTimestampTest, ReadsTheClockWhenItsTurnHasCome) {
  reserve(*store_, at(kNoon2014, timestamped(0), 1));
  OtherProgram other(path_);
  other.run("BEGIN IMMEDIATE");
  const ReserveRequest request = at(kNoon2014 + 1, timestamped(0), 1);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    shown = kNoon2014 + kSecond;
    other.run("COMMIT");
  });
  EXPECT_EQ(reserve(*store_, request).first, kNoon2014 + kSecond);
  later.join();
}

TEST_F(SqliteTimestampTest, UsesTheMachinesClockIfNotToldOtherwise) {
  const int64_t before = wall_clock();
  const Range range = reserve(*store_, ask(timestamped(2), 1));
  EXPECT_GE(range.first, before * 100);
  EXPECT_LE(range.first, wall_clock() * 100);
}

TEST_F(SqliteTimestampTest, AClockBeforeTheFirstSlotIsRefused) {
  for (const int64_t now : {INT64_MIN, int64_t{-1}, int64_t{0}}) {
    expect_error(error_of(store_->reserve(at(now, timestamped(2), 1))), ErrorCode::kIdOverflow,
                 ErrorClass::kFinal, "shows " + std::to_string(now) + " microseconds since 1970");
    expect_error(error_of(store_->reserve(at(now, timestamped(2), 0))), ErrorCode::kIdOverflow,
                 ErrorClass::kFinal, "go from 1 to 92233720368547758; set the clock");
  }
  expect_error(error_of(store_->reserve(at(kStartOf2020, timestamped(4), 1))), ErrorCode::kIdOverflow,
               ErrorClass::kFinal, "go from 1577836800000001 to ");
  EXPECT_TRUE(store_->list().value().empty());
  EXPECT_EQ(reserve(*store_, at(1, timestamped(2), 1)), (Range{100, 101}));
  EXPECT_EQ(reserve(*store_, at(kStartOf2020 + 1, timestamped(4, "four"), 0)), (Range{10'000, 10'000}));
  // It stays refused when there is a counter.
  EXPECT_EQ(error_of(store_->reserve(at(0, timestamped(2), 1))).code, ErrorCode::kIdOverflow);
}

TEST_F(SqliteTimestampTest, AClockAfterTheLastSlotIsRefused) {
  const int64_t last = kStartOf2020 + INT64_MAX / 10'000;  // in 2049
  expect_error(error_of(store_->reserve(at(last + 1, timestamped(4), 1))), ErrorCode::kIdOverflow,
               ErrorClass::kFinal, "to " + std::to_string(last) + "; set the clock, or choose fewer digits");
  expect_error(error_of(store_->reserve(at(INT64_MAX, timestamped(4), 1))), ErrorCode::kIdOverflow,
               ErrorClass::kFinal, "set the clock");
  expect_error(error_of(store_->reserve(at(INT64_MAX, timestamped(0), 1))), ErrorCode::kIdOverflow,
               ErrorClass::kFinal, "set the clock");
  EXPECT_TRUE(store_->list().value().empty());
  EXPECT_EQ(reserve(*store_, at(last, timestamped(4), 1)).first, INT64_MAX / 10'000 * 10'000);
}

TEST_F(SqliteTimestampTest, SlotsEndAtTheLimitAndAt64Bits) {
  ReserveRequest request = at(kNoon2014, timestamped(0), 10);
  request.limit = kNoon2014 + 1;
  EXPECT_EQ(reserve(*store_, request), (Range{kNoon2014, kNoon2014 + 10}));
  expect_error(
      error_of(store_->reserve(request)), ErrorCode::kIdOverflow, ErrorClass::kFinal,
      "slots of this sequence must be below " + std::to_string(kNoon2014 + 1) + "; choose fewer digits");
  run_sql(path_, "UPDATE timestamp_counters SET slot = 9223372036854775800");
  const std::string before = row();
  expect_error(error_of(store_->reserve(at(kNoon2014, timestamped(0), 7))), ErrorCode::kIdOverflow,
               ErrorClass::kFinal, "9223372036854775807");
  EXPECT_EQ(row(), before);
  EXPECT_EQ(reserve(*store_, at(kNoon2014, timestamped(0), 6)).end, INT64_MAX);
  EXPECT_EQ(store_->list().value().front().next, INT64_MAX);
  EXPECT_EQ(error_of(store_->reserve(at(kNoon2014, timestamped(0), 0))).code, ErrorCode::kIdOverflow);
}

TEST_F(SqliteTimestampTest, OtherDigitsAreRefused) {
  reserve(*store_, at(kNoon2014, timestamped(2), 1));
  const std::string before = row();
  for (const int digits : {0, 1, 3, 4}) {
    const Error error = error_of(store_->reserve(at(kStartOf2020 + 1, timestamped(digits), 1)));
    expect_error(error, ErrorCode::kOptionsConflict, ErrorClass::kFinal,
                 "counts with digits: 2, and digits: " + std::to_string(digits) + " was asked for");
  }
  EXPECT_EQ(row(), before);
}

TEST_F(SqliteTimestampTest, AnotherTimeZoneIsRefused) {
  CounterKey key = timestamped(2);
  std::get<Timestamped>(key.kind).time_zone = "+08:00";
  reserve(*store_, at(kNoon2014, key, 1));
  EXPECT_EQ(std::get<Timestamped>(store_->list().value().front().key.kind).time_zone, "+08:00");
  reserve(*store_, at(kNoon2014, key, 1));
  const std::string before = row();
  for (const char* other : {"UTC", "-08:00"}) {
    std::get<Timestamped>(key.kind).time_zone = other;
    const Error error = error_of(store_->reserve(at(kNoon2014, key, 1)));
    expect_error(error, ErrorCode::kOptionsConflict, ErrorClass::kFinal,
                 "counts with timeZone: '+08:00', and timeZone: '" + std::string(other) + "' was asked for");
  }
  EXPECT_EQ(row(), before);
}

TEST_F(SqliteTimestampTest, ACounterThatIsGoneOrBelowWhatWasGivenIsRefused) {
  const CounterKey key = timestamped(2, "it's");
  const Range given = reserve(*store_, at(kNoon2014, key, 10));
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 1, given.end)).first, given.end);
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 0, given.end + 1)).first, given.end + 1);

  run_sql(path_, "UPDATE timestamp_counters SET slot = slot - 1");
  Error error = error_of(store_->reserve(at(kNoon2014 + kSecond, key, 1, given.end + 1)));
  expect_error(error, ErrorCode::kSequenceRewound, ErrorClass::kFinal,
               "stands at " + std::to_string(given.end));
  mend(*store_, error.message, {.counter = key, .next = given.end + 1}, true);
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 1, given.end + 1)).first, given.end + 1);

  run_sql(path_, "DELETE FROM timestamp_counters");
  error = error_of(store_->reserve(at(kNoon2014 + kSecond, key, 1, given.end + 2)));
  expect_error(error, ErrorCode::kSequenceMissing, ErrorClass::kFinal,
               "slots below " + std::to_string(given.end + 2));
  EXPECT_TRUE(store_->list().value().empty());
  mend(*store_, error.message, {.counter = key, .next = given.end + 2}, true);
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 1, given.end + 2)).first, given.end + 2);
}

}  // namespace
}  // namespace nextid::sqlite
