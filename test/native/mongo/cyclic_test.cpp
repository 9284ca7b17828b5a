// Cyclic counters, on a real server.

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "native/mongo/fixture.h"
#include "native/mongo/other_programs.h"

namespace nextid::mongo {
namespace {

ReserveRequest request(int64_t cycle, int64_t count, std::optional<int64_t> floor = std::nullopt) {
  return {.counter = {.name = "serial", .kind = Cyclic{cycle}}, .count = count, .floor = floor};
}
ReserveRequest unbroken(int64_t cycle, int64_t count) {
  ReserveRequest asked = request(cycle, count);
  asked.unbroken = true;
  return asked;
}

AdvanceRequest advance(int64_t cycle, int64_t next, bool restore = false) {
  return {.counter = request(cycle, 0).counter, .next = next, .restore = restore};
}

class MongoCyclic : public MongoStoreTest {
 protected:
  void put(const std::string& val, const std::string& maxval) {
    database_->put(R"("serial")", document(val, maxval), "counters");
  }
  static std::string document(const std::string& val, const std::string& maxval) {
    return R"({"_id":"serial","val":)" + val + R"(,"maxval":)" + maxval + "}";
  }
  std::string counter() { return database_->documents(R"({"_id": "serial"})", "counters"); }
  void expect_counter(int64_t val, int64_t maxval) {
    EXPECT_EQ(counter(), "[" + document(int64(val), int64(maxval)) + "]");
  }
};

TEST_F(MongoCyclic, IsMadeAndBeginsWithOne) {
  expect_value(store_->reserve(request(99, 3)), Range{1, 4});
  expect_counter(3, 99);
  expect_value(store_->reserve(request(99, 1)), Range{4, 5});
}

// Against counting one by one.
TEST_F(MongoCyclic, AnyNumberOfRoundsAtOnce) {
  for (const int64_t cycle : {1, 2, 3, 7}) {
    for (int64_t val = 0; val <= cycle + 1; ++val) {
      for (const int64_t count : {1, 2, 3, 6, 7, 8, 15}) {
        put(int64(val), int64(cycle));
        const int64_t first = val >= cycle ? 1 : val + 1;
        expect_value(store_->reserve(request(cycle, count)), Range{first, first + count});
        expect_counter((first + count - 2) % cycle + 1, cycle);
      }
    }
  }
}

TEST_F(MongoCyclic, CountsOnFromWhatOtherProgramsWrite) {
  for (const std::string& val : {int32(7), int64(7), real("7.0")}) {
    for (const std::string& maxval : {int32(99), int64(99), real("99.0")}) {
      put(val, maxval);
      expect_value(store_->reserve(request(99, 2)), Range{8, 10});
      EXPECT_EQ(counter(), "[" + document(int64(9), maxval) + "]");
    }
  }
  for (const std::string& val : {int32(99), real("99.0"), real("100.0"), int64(INT64_MAX)}) {
    put(val, int32(99));
    expect_value(store_->reserve(request(99, 2)), Range{1, 3});
  }
}

TEST_F(MongoCyclic, OtherFieldsAreKept) {
  database_->put(R"("serial")", R"({"_id": "serial", "note": "kept", "maxval": 9, "val": 3})", "counters");
  expect_value(store_->reserve(request(9, 1)), Range{4, 5});
  EXPECT_EQ(counter(),
            R"([{"_id":"serial","note":"kept","maxval":)" + int32(9) + R"(,"val":)" + int64(4) + "}]");
}

TEST_F(MongoCyclic, AnotherCycleIsRefusedAndBothAreNamed) {
  for (const std::string& maxval : {int32(50), int64(50), real("50.0")}) {
    put(int32(3), maxval);
    const std::string before = counter();
    expect_refused(store_->reserve(request(99, 1)), ErrorCode::kOptionsConflict,
                   {"'serial'", "'counters'", "50", "99"});
    expect_refused(store_->reserve(request(99, 0)), ErrorCode::kOptionsConflict, {"50", "99"});
    EXPECT_EQ(counter(), before);
  }
}

TEST_F(MongoCyclic, DamageIsNamedAndLeftAsItIs) {
  for (const std::string& val : {int32(-1), int64(-5), real("1.5"), real("-1.0"), real("NaN"),
                                 real("Infinity"), real("1e300"), std::string(R"("5")"), std::string("[5]"),
                                 std::string("null"), std::string("true"), std::string("{}")}) {
    put(val, int32(99));
    const std::string before = counter();
    for (const auto& asked : {request(99, 1), request(99, 0), request(99, 1, 5), unbroken(99, 1)}) {
      expect_refused(store_->reserve(asked), ErrorCode::kCounterInvalid,
                     {"'serial'", "val", "with: nextid advance --store URL --restore --cycle 99 serial N"});
    }
    EXPECT_EQ(counter(), before);
    expect_refused(store_->advance(advance(99, 7)), ErrorCode::kCounterInvalid, {"val"});
    EXPECT_EQ(counter(), before);
    expect_stands_at(store_->advance(advance(99, 7, true)), 7);
    expect_value(store_->reserve(request(99, 1)), Range{7, 8});
  }
  for (const std::string& maxval : {int32(0), real("1.5"), std::string(R"("99")"), std::string("[99]")}) {
    put(int32(5), maxval);
    const std::string before = counter();
    expect_refused(store_->reserve(request(99, 1)), ErrorCode::kCounterInvalid,
                   {"maxval", "with: nextid advance --store URL --restore --cycle 99 serial N"});
    EXPECT_EQ(counter(), before);
    expect_stands_at(store_->advance(advance(99, 3, true)), 6);
    expect_value(store_->reserve(request(99, 1)), Range{6, 7});
  }
  for (const char* document : {R"({"_id": "serial", "val": 5})", R"({"_id": "serial", "maxval": 99})",
                               R"({"_id": "serial", "note": "of somebody"})"}) {
    database_->put(R"("serial")", document, "counters");
    const std::string before = counter();
    expect_refused(store_->reserve(request(99, 1)), ErrorCode::kCounterInvalid, {"no field"});
    expect_refused(store_->advance(advance(99, 7, true)), ErrorCode::kCounterInvalid, {"no field"});
    EXPECT_EQ(counter(), before);
  }
}

TEST_F(MongoCyclic, AdvancesWithinItsRound) {
  AdvanceRequest request_50 = advance(99, 50);
  request_50.make = false;
  expect_stands_at(store_->advance(request_50), std::nullopt);
  EXPECT_EQ(counter(), "[]");
  expect_stands_at(store_->advance(advance(99, 50)), 50);
  expect_stands_at(store_->advance(advance(99, 20)), 50);
  expect_value(store_->reserve(request(99, 2)), Range{50, 52});
  for (const std::string& val : {int32(20), int64(20), real("20.0")}) {
    put(val, int32(99));
    expect_stands_at(store_->advance(request_50), 50);
    expect_value(store_->reserve(request(99, 1)), Range{50, 51});
  }
  for (const std::string& val : {int32(99), int64(150), real("99.0")}) {
    put(val, int32(99));
    for (const bool restore : {false, true}) expect_stands_at(store_->advance(advance(99, 50, restore)), 1);
    expect_value(store_->reserve(request(99, 1)), Range{1, 2});
  }
  put(int32(20), int32(50));
  const std::string before = counter();
  for (const bool restore : {false, true}) {
    expect_refused(store_->advance(advance(99, 50, restore)), ErrorCode::kOptionsConflict, {"50", "99"});
  }
  EXPECT_EQ(counter(), before);
}

TEST_F(MongoCyclic, SixteenFirstComersMakeOneCounter) {
  for (int round = 0; round < 5; ++round) {
    database_->remove(R"("serial")", "counters");
    const auto stores = open_many(*database_, 16);
    const auto ranges = reserve_in_threads(pointers(stores), 1, request(1'000'000, 1));
    ASSERT_EQ(ranges.size(), 16u);
    expect_side_by_side(ranges, 1, 1 + total(ranges));
  }
}

TEST_F(MongoCyclic, BesideProgramsThatCompareAndSetEachIdComesAsOftenAsAnother) {
  constexpr int64_t kCycle = 100;
  put(int32(0), int32(kCycle));
  const auto stores = open_many(*database_, 4);
  std::vector<int64_t> theirs;
  const auto ranges = reserve_in_threads(pointers(stores), 30, request(kCycle, 1), [&] {
    OtherProgram other(*database_);
    for (int i = 0; i < 60; ++i) theirs.push_back(other.next_of_cycle("serial"));
  });
  std::map<int64_t, int> times;
  int64_t given = static_cast<int64_t>(theirs.size());
  for (const int64_t id : theirs) ++times[id];
  for (const Range& range : ranges) {
    for (int64_t x = range.first; x < range.end; ++x) ++times[(x - 1) % kCycle + 1];
    given += range.count();
  }
  for (int64_t id = 1; id <= kCycle; ++id) {
    EXPECT_EQ(times[id], given / kCycle + (id <= given % kCycle ? 1 : 0))
        << id << " came twice, or is missing";
  }
  EXPECT_EQ(times.size(), static_cast<size_t>(kCycle));
}

TEST_F(MongoCyclic, SharesADocumentWithOtherKindsWhereTheyShareACollection) {
  store_ = open_mongo(database_->url(), "all", "all");
  const ReserveRequest plain{.counter = {.name = "serial"}, .start = 7, .count = 1, .floor = std::nullopt};
  const ReserveRequest stamped{
      .counter = {.name = "serial", .kind = Timestamped{}}, .count = 1, .floor = std::nullopt};
  expect_value(store_->reserve(request(9, 1)), Range{1, 2});
  expect_value(store_->reserve(plain), Range{7, 8});
  const Range slots = reserve(*store_, stamped);
  EXPECT_GT(slots.first, 1'000'000'000'000'000);
  expect_value(store_->reserve(plain), Range{8, 9});
  expect_value(store_->reserve(request(9, 1)), Range{2, 3});
  EXPECT_GE(reserve(*store_, stamped).first, slots.end);
  const auto list = store_->list();
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list.value().size(), 3u);

  for (const auto& first : {plain, stamped}) {
    database_->remove(R"("serial")", "all");
    reserve(*store_, first);
    std::vector<Store*> same(16, store_.get());
    const auto ranges = reserve_in_threads(same, 1, request(1000, 1));
    expect_side_by_side(ranges, 1, 1 + total(ranges));
  }
}

}  // namespace
}  // namespace nextid::mongo
