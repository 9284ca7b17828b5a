// Time-stamped counters, on a real server.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/mongo/fixture.h"

namespace nextid::mongo {
namespace {

// What a clock of the tests shows.
std::atomic<int64_t> shown{0};
int64_t shown_clock() { return shown; }

constexpr int64_t kMoment = 1'403'704'800'123'456;  // 2014-06-25
constexpr int64_t kSecond = 1'000'000;

ReserveRequest request(int digits, int64_t count, WallClock clock = wall_clock) {
  ReserveRequest asked;
  asked.counter = {.name = "trace", .kind = Timestamped{digits}};
  asked.count = count;
  asked.clock = clock;
  return asked;
}
ReserveRequest at(int64_t moment, int digits, int64_t count) {
  shown = moment;
  return request(digits, count, shown_clock);
}

constexpr const char* kRestore =
    "with: nextid advance --store URL --restore --timestamp --digits 0 trace N (N: past";

AdvanceRequest advance(int64_t next, bool restore = false) {
  return {.counter = request(0, 0).counter, .next = next, .restore = restore};
}

class MongoTimestamped : public MongoStoreTest {
 protected:
  void put(const std::string& slot, const std::string& digits) {
    database_->put(R"("trace")", document(slot, digits), "counters");
  }
  static std::string document(const std::string& slot, const std::string& digits) {
    return R"({"_id":"trace","slot":)" + slot + R"(,"digits":)" + digits + "}";
  }
  std::string counter() { return database_->documents(R"({"_id": "trace"})", "counters"); }
};

TEST_F(MongoTimestamped, BeginsAtTheSlotOfTheClock) {
  for (int digits = 0; digits <= 3; ++digits) {
    database_->remove(R"("trace")", "counters");
    const int64_t slot = kMoment * slots_per_microsecond(digits);
    expect_value(store_->reserve(at(kMoment, digits, 3)), Range{slot, slot + 3});
    EXPECT_EQ(counter(), "[" + document(int64(slot + 2), int32(digits)) + "]");
    const int64_t later = slot + slots_per_microsecond(digits) * 10;
    expect_value(store_->reserve(at(kMoment + 10, digits, 1)), Range{later, later + 1});
  }
}

TEST_F(MongoTimestamped, TheClockIsReadJustBefore) {
  const int64_t before = wall_clock();
  const Range range = reserve(*store_, request(0, 1));
  EXPECT_GE(range.first, before);
  EXPECT_LE(range.first, wall_clock());
}

TEST_F(MongoTimestamped, ReservingNothingMakesTheCounterAndReadsIt) {
  expect_value(store_->reserve(at(kMoment, 0, 0)), Range{kMoment, kMoment});
  expect_value(store_->reserve(at(kMoment, 0, 5)), Range{kMoment, kMoment + 5});
  expect_value(store_->reserve(at(kMoment, 0, 0)), Range{kMoment + 5, kMoment + 5});
}

TEST_F(MongoTimestamped, AnotherTimeZoneIsRefusedAndBothAreNamed) {
  const auto in_zone = [](const std::string& zone, std::optional<int64_t> floor = std::nullopt) {
    ReserveRequest asked = at(kMoment, 0, 1);
    std::get<Timestamped>(asked.counter.kind).time_zone = zone;
    asked.floor = floor;
    return asked;
  };
  const auto put_zone = [this](const std::string& zone) {
    database_->put(R"("trace")", R"({"_id": "trace", "slot": 5, "digits": 0, "timeZone": )" + zone + "}",
                   "counters");
  };
  // No field, null and 'UTC' are all UTC.
  expect_value(store_->reserve(in_zone("UTC")), Range{kMoment, kMoment + 1});
  EXPECT_EQ(counter(), "[" + document(int64(kMoment), int32(0)) + "]");
  expect_refused(store_->reserve(in_zone("+08:00")), ErrorCode::kOptionsConflict,
                 {"'trace'", "timeZone: 'UTC'", "timeZone: '+08:00'"});
  for (const std::string& utc : {std::string("null"), std::string(R"("UTC")")}) {
    put_zone(utc);
    expect_value(store_->reserve(in_zone("UTC")), Range{kMoment, kMoment + 1});
    expect_refused(store_->reserve(in_zone("+08:00")), ErrorCode::kOptionsConflict, {"timeZone: 'UTC'"});
  }

  database_->run(R"({"delete": "counters", "deletes": [{"q": {}, "limit": 0}]})");
  expect_refused(store_->reserve(in_zone("+08:00", 7)), ErrorCode::kSequenceMissing, {"--time-zone +08:00"});
  expect_value(store_->reserve(in_zone("+08:00")), Range{kMoment, kMoment + 1});
  EXPECT_EQ(counter(), R"([{"_id":"trace","slot":)" + int64(kMoment) + R"(,"digits":)" + int32(0) +
                           R"(,"timeZone":"+08:00"}])");
  expect_value(store_->reserve(in_zone("+08:00")), Range{kMoment + 1, kMoment + 2});
  for (const char* other : {"UTC", "-08:00"}) {
    expect_refused(store_->reserve(in_zone(other)), ErrorCode::kOptionsConflict,
                   {"timeZone: '+08:00'", other});
  }
  EXPECT_EQ(std::get<Timestamped>(store_->list().value().front().key.kind).time_zone, "+08:00");

  put_zone("8");
  expect_refused(store_->reserve(in_zone("UTC")), ErrorCode::kCounterInvalid, {"timeZone", "--restore"});
  EXPECT_NE(store_->list().value().front().problem, "");
  for (const char* zone : {"UTC", "+08:00"}) {
    put_zone("8");
    AdvanceRequest restore{.counter = in_zone(zone).counter, .next = 3, .restore = true};
    expect_stands_at(store_->advance(restore), 6);
    expect_value(store_->reserve(in_zone(zone)), Range{kMoment, kMoment + 1});
  }
}

TEST_F(MongoTimestamped, CountsOnFromWhatOtherProgramsWrite) {
  for (const std::string& slot : {int64(kMoment + 9), real("1403704800123465.0")}) {
    for (const std::string& digits : {int32(0), int64(0), real("0.0")}) {
      put(slot, digits);
      expect_value(store_->reserve(at(kMoment, 0, 2)), Range{kMoment + 10, kMoment + 12});
      EXPECT_EQ(counter(), "[" + document(int64(kMoment + 11), digits) + "]");
    }
  }
}

TEST_F(MongoTimestamped, DamageIsNamedAndLeftAsItIs) {
  for (const std::string& slot : {int32(-1), real("1.5"), real("NaN"), std::string(R"("5")"),
                                  std::string("[5]"), std::string("null")}) {
    put(slot, int32(0));
    const std::string before = counter();
    for (const int64_t count : {0, 1}) {
      expect_refused(store_->reserve(request(0, count)), ErrorCode::kCounterInvalid,
                     {"'trace'", "'counters'", kRestore});
    }
    EXPECT_EQ(counter(), before);
    expect_refused(store_->advance(advance(7)), ErrorCode::kCounterInvalid, {kRestore});
    EXPECT_EQ(counter(), before);
    expect_stands_at(store_->advance(advance(7, true)), 7);
    EXPECT_EQ(counter(), "[" + document(int64(6), int32(0)) + "]");
  }
  put(real("9007199254740992.0"), int32(0));
  expect_refused(store_->reserve(request(0, 1)), ErrorCode::kIdOverflow, {"2^53", "--restore"});
  EXPECT_FALSE(store_->advance(advance(7, true)).ok());
  for (const std::string& digits : {int32(5), int32(-1), std::string(R"("0")"), std::string("[0]")}) {
    put(int64(5), digits);
    expect_refused(store_->reserve(request(0, 1)), ErrorCode::kCounterInvalid, {"digits", kRestore});
    expect_stands_at(store_->advance(advance(3, true)), 6);
    EXPECT_EQ(counter(), "[" + document(int64(5), int32(0)) + "]");
  }
  database_->put(R"("trace")", R"({"_id": "trace", "slot": 5})", "counters");
  expect_refused(store_->reserve(request(0, 1)), ErrorCode::kCounterInvalid, {"no field digits"});
  database_->put(R"("trace")", R"({"_id": "trace", "digits": 0})", "counters");
  expect_refused(store_->reserve(request(0, 1)), ErrorCode::kCounterInvalid, {"no field slot"});
  expect_refused(store_->advance(advance(3, true)), ErrorCode::kCounterInvalid, {"no field slot"});
}

TEST_F(MongoTimestamped, AdvancesUpNeverDown) {
  AdvanceRequest asked = advance(2 * kMoment);
  asked.make = false;
  expect_stands_at(store_->advance(asked), std::nullopt);
  EXPECT_EQ(counter(), "[]");
  expect_stands_at(store_->advance(advance(2 * kMoment)), 2 * kMoment);
  EXPECT_EQ(counter(), "[" + document(int64(2 * kMoment - 1), int32(0)) + "]");
  for (const bool restore : {false, true}) {
    expect_stands_at(store_->advance(advance(5, restore)), 2 * kMoment);
  }
  expect_value(store_->reserve(at(kMoment, 0, 2)), Range{2 * kMoment, 2 * kMoment + 2});
  for (const std::string& slot : {int64(kMoment), real("1403704800123465.0")}) {
    put(slot, real("0.0"));
    expect_stands_at(store_->advance(asked), 2 * kMoment);
  }
  const std::string before = counter();
  asked.counter.kind = Timestamped{2};
  for (const bool restore : {false, true}) {
    asked.restore = restore;
    expect_refused(store_->advance(asked), ErrorCode::kOptionsConflict, {"digits: 0", "digits: 2"});
  }
  EXPECT_EQ(counter(), before);
}

TEST_F(MongoTimestamped, TheFloorHolds) {
  ReserveRequest asked = at(kMoment, 0, 1);
  asked.floor = kMoment + 100;
  expect_refused(store_->reserve(asked), ErrorCode::kSequenceMissing,
                 {"'trace'", "with: nextid advance --store URL --timestamp --digits 0 trace " +
                                 std::to_string(kMoment + 100) + " (or higher"});
  EXPECT_EQ(counter(), "[]");
  put(int64(kMoment + 98), int32(0));
  expect_refused(store_->reserve(asked), ErrorCode::kSequenceRewound,
                 {std::to_string(kMoment + 99), "--digits 0 trace " + std::to_string(kMoment + 100)});
  put(int64(kMoment + 99), int32(0));
  expect_value(store_->reserve(asked), Range{kMoment + 100, kMoment + 101});
}

TEST_F(MongoTimestamped, TheLimitHolds) {
  ReserveRequest asked = at(kMoment, 0, 5);
  asked.limit = kMoment + 1;
  expect_value(store_->reserve(asked), Range{kMoment, kMoment + 5});
  expect_refused(store_->reserve(asked), ErrorCode::kIdOverflow, {std::to_string(kMoment + 1)});
  EXPECT_EQ(counter(), "[" + document(int64(kMoment + 4), int32(0)) + "]");
  put(int64(kMoment - 100), int32(0));
  asked.limit = kMoment;  // the clock's slot is not below it, though the counter is
  expect_refused(store_->reserve(asked), ErrorCode::kIdOverflow, {std::to_string(kMoment)});
  EXPECT_EQ(counter(), "[" + document(int64(kMoment - 100), int32(0)) + "]");
}

TEST_F(MongoTimestamped, AClockOutsideOfAllSlotsIsRefused) {
  for (const int64_t moment : {int64_t{0}, int64_t{-5}, INT64_MIN / 2}) {
    expect_refused(store_->reserve(at(moment, 2, 1)), ErrorCode::kIdOverflow, {"clock", "go from"});
  }
  expect_refused(store_->reserve(at(kMoment, 4, 1)), ErrorCode::kIdOverflow, {"clock", "go from"});
  expect_refused(store_->reserve(at(INT64_MAX / 1000 + 1, 3, 1)), ErrorCode::kIdOverflow,
                 {"clock", "go from"});
  expect_refused(store_->reserve(at(INT64_MAX / 1000, 3, 1'000'000)), ErrorCode::kIdOverflow,
                 {"clock", "go from"});
  EXPECT_EQ(counter(), "[]");
  put(int64(INT64_MAX - 5), int32(0));
  expect_refused(store_->reserve(request(0, 5)), ErrorCode::kIdOverflow, {"9223372036854775807"});
  expect_value(store_->reserve(request(0, 4)), Range{INT64_MAX - 4, INT64_MAX});
}

TEST_F(MongoTimestamped, AClockTooFarAheadIsRefusedBeforeAndAfterTheCounterIsMade) {
  ReserveRequest ahead = at(wall_clock() + 3600 * kSecond, 2, 1);
  ahead.max_skew = 10 * kSecond;
  const std::vector<std::string> parts = {"ahead", "10.000 s", "'trace'", "maxSkew"};
  expect_refused(store_->reserve(ahead), ErrorCode::kClockAhead, parts);
  EXPECT_EQ(counter(), "[]");

  reserve(*store_, request(2, 1));
  const std::string before = counter();
  expect_refused(store_->reserve(ahead), ErrorCode::kClockAhead, parts);
  ahead.count = 0;
  expect_refused(store_->reserve(ahead), ErrorCode::kClockAhead, parts);
  EXPECT_EQ(counter(), before);

  ahead.max_skew = 3700 * kSecond;
  ahead.count = 1;
  expect_value(store_->reserve(ahead), Range{shown * 100, shown * 100 + 1});
}

TEST_F(MongoTimestamped, AClockThatIsRightOrBehindIsFine) {
  for (const int64_t behind : {int64_t{0}, 3600 * kSecond}) {
    database_->remove(R"("trace")", "counters");
    ReserveRequest asked = at(wall_clock() - behind, 0, 1);
    asked.max_skew = 10 * kSecond;
    expect_value(store_->reserve(asked), Range{shown, shown + 1});
  }
}

TEST_F(MongoTimestamped, WhateverClocksDoNoSlotComesTwice) {
  for (int round = 0; round < 3; ++round) {
    database_->remove(R"("trace")", "counters");
    shown = kMoment;
    const auto stores = open_many(*database_, 16);
    auto ranges = reserve_in_threads(pointers(stores), 20, request(1, 1, [] {
                                       const int64_t moment = shown.fetch_add(7) % 100;
                                       return kMoment + moment;  // to and fro
                                     }));
    ASSERT_EQ(ranges.size(), 320u);
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
    EXPECT_GE(ranges[0].first, kMoment * 10);
    for (size_t i = 1; i < ranges.size(); ++i)
      ASSERT_GE(ranges[i].first, ranges[i - 1].end) << "slots came twice";
  }
}

}  // namespace
}  // namespace nextid::mongo
