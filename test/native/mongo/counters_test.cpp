// The counters, on a real server.

#include "stores/mongo/mongo_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "native/child.h"
#include "native/mongo/fixture.h"

namespace nextid::mongo {
namespace {

constexpr int64_t kTwoTo53 = 9007199254740992;

std::string document(const std::string& index) { return R"({"_id":"orders","index":)" + index + "}"; }
ReserveRequest request(int64_t count, std::optional<int64_t> floor = std::nullopt,
                       int64_t limit = INT64_MAX) {
  return {.counter = {.name = "orders"}, .count = count, .floor = floor, .limit = limit};
}

// A request that begins with `start`.
ReserveRequest beginning(int64_t start, int64_t count) {
  return {.counter = {.name = "orders"}, .start = start, .count = count, .floor = std::nullopt};
}

class MongoCounter : public MongoStoreTest {
 protected:
  void put(const std::string& index) { database_->put("\"orders\"", document(index)); }
  std::string counter() {
    return database_->documents(R"({"_id": "orders"})", "ids", R"({"indexAdvanced": 0, "indexReturned": 0})");
  }
  void expect_counter(const std::string& index) { EXPECT_EQ(counter(), "[" + document(index) + "]"); }
};

// --- reserve -------------------------------------------------------------------------------------

TEST_F(MongoCounter, MakesACounterWithItsStart) {
  expect_value(store_->reserve(beginning(1000, 10)), Range{1000, 1010});
  expect_counter(int64(1010));
}

TEST_F(MongoCounter, OtherFieldsOfTheDocumentAreKept) {
  database_->put("\"orders\"", R"({"_id": "orders", "note": "kept", "index": 7})");
  expect_value(store_->reserve(request(3)), Range{7, 10});
  EXPECT_EQ(counter(), R"([{"_id":"orders","note":"kept","index":)" + int64(10) + "}]");
}

TEST_F(MongoCounter, AnyNameIsAName) {
  const std::vector<std::string> names = {"",       "$inc",    "a.b",  "with 'quotes' \"and\" \\",
                                          "größe№", "orders ", "null", std::string("a\0b", 3)};
  for (const std::string& name : names) {
    expect_value(store_->reserve({.counter = {.name = name}, .start = 5, .count = 2, .floor = std::nullopt}),
                 Range{5, 7});
    expect_value(store_->release({.name = name}, Range{6, 7}), true);
  }
  const auto counters = store_->list();
  ASSERT_TRUE(counters.ok());
  EXPECT_EQ(counters.value().size(), names.size());
  for (const CounterInfo& counter : counters.value()) EXPECT_EQ(counter.next, 6);
}

TEST_F(MongoCounter, CountsOnFromAnInt32) {
  put(int32(1000));
  expect_value(store_->reserve(request(10)), Range{1000, 1010});
  expect_counter(int64(1010));
}

TEST_F(MongoCounter, CountsPast32Bits) {
  put(int32(INT32_MAX));
  expect_value(store_->reserve(request(10)), Range{INT32_MAX, INT32_MAX + 10LL});
}

TEST_F(MongoCounter, CountsOnFromADoubleAndMakesItAnInt64) {
  put(real("1000.0"));
  expect_value(store_->reserve(request(10)), Range{1000, 1010});
  expect_counter(int64(1010));
}

TEST_F(MongoCounter, ADoubleIsExactUpTo53Bits) {
  put(real("9007199254740991.0"));
  expect_value(store_->reserve(request(3)), Range{kTwoTo53 - 1, kTwoTo53 + 2});
  expect_counter(int64(kTwoTo53 + 2));
}

TEST_F(MongoCounter, ZeroIsACounterAlsoAsMinusZero) {
  put(real("-0.0"));
  expect_value(store_->reserve(request(2)), Range{0, 2});
  put(int32(0));
  expect_value(store_->reserve(request(2)), Range{0, 2});
}

TEST_F(MongoCounter, ADoubleFromWhichDoublesSkipNumbersIsRefused) {
  put(real("9007199254740992.0"));
  const std::string before = counter();
  expect_refused(store_->reserve(request(1)), ErrorCode::kIdOverflow, {"the double", "2^53", "--restore"});
  expect_refused(store_->advance("orders", 5), ErrorCode::kIdOverflow, {"the double", "2^53", "--restore"});
  EXPECT_EQ(counter(), before);
}

TEST_F(MongoCounter, CountsUpToTheLastNumberThereIs) {
  put(int64(INT64_MAX - 10));
  expect_value(store_->reserve(request(10)), Range{INT64_MAX - 10, INT64_MAX});
  expect_refused(store_->reserve(request(1)), ErrorCode::kIdOverflow, {"9223372036854775807"});
  expect_counter(int64(INT64_MAX));
}

TEST_F(MongoCounter, ReservesNothingRatherThanPassTheLastNumberThereIs) {
  put(int64(INT64_MAX - 10));
  expect_refused(store_->reserve(request(11)), ErrorCode::kIdOverflow, {"9223372036854775807"});
  expect_counter(int64(INT64_MAX - 10));
}

TEST_F(MongoCounter, TheLimitIsForTheCounterNotForTheRange) {
  put(int64(kTwoTo53 - 1));
  expect_value(store_->reserve(request(10, std::nullopt, kTwoTo53)), Range{kTwoTo53 - 1, kTwoTo53 + 9});
  const auto again = store_->reserve(request(10, std::nullopt, kTwoTo53));
  expect_refused(again, ErrorCode::kIdOverflow, {"9007199254741001", "9007199254740992", "bigint"});
  expect_counter(int64(kTwoTo53 + 9));
}

TEST_F(MongoCounter, TheLimitIsForDoublesToo) {
  put(real("100.0"));
  expect_refused(store_->reserve(request(1, std::nullopt, 100)), ErrorCode::kIdOverflow, {"100"});
  EXPECT_EQ(counter(), "[" + document(real("100.0")) + "]");
}

// --- the floor -----------------------------------------------------------------------------------

TEST_F(MongoCounter, ACounterThatWasThereIsNotMadeAnew) {
  expect_refused(store_->reserve(request(10, 150)), ErrorCode::kSequenceMissing,
                 {"orders", "150", "nextid advance --store URL orders 150"});
  EXPECT_EQ(database_->documents(), "[]");
}

TEST_F(MongoCounter, ACounterThatWasSetBackIsRefused) {
  for (const std::string& index : {int64(149), int32(100), real("149.0")}) {
    put(index);
    const std::string before = counter();
    expect_refused(
        store_->reserve(request(10, 150)), ErrorCode::kSequenceRewound,
        {"orders", index == int32(100) ? "100" : "149", "150", "nextid advance --store URL orders 150"});
    EXPECT_EQ(counter(), before);
  }
}

TEST_F(MongoCounter, ACounterAtTheFloorOrAboveIsFine) {
  for (const std::string& index : {int64(150), int32(150), real("150.0")}) {
    put(index);
    expect_value(store_->reserve(request(10, 150)), Range{150, 160});
  }
  put(int64(151));
  expect_value(store_->reserve(request(10, 150)), Range{151, 161});
}

TEST_F(MongoCounter, TheFloorHoldsForReservingNothing) {
  expect_refused(store_->reserve(request(0, 150)), ErrorCode::kSequenceMissing, {"150"});
  put(int64(149));
  expect_refused(store_->reserve(request(0, 150)), ErrorCode::kSequenceRewound, {"149"});
}

// --- damaged counters ----------------------------------------------------------------------------

struct Damage {
  std::string index;       // extended JSON
  std::string in_message;  // how an error calls it
};

void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.index; }

class DamagedMongoCounter : public MongoCounter, public testing::WithParamInterface<Damage> {};

TEST_P(DamagedMongoCounter, IsNamedAndLeftAsItIs) {
  put(GetParam().index);
  const std::string before = counter();
  const std::vector<std::string> in_message = {
      "'orders'", "'ids'", GetParam().in_message,
      "with: nextid advance --store URL --restore orders N (N: past"};
  expect_refused(store_->reserve(request(10)), ErrorCode::kCounterInvalid, in_message);
  expect_refused(store_->reserve(request(0)), ErrorCode::kCounterInvalid, in_message);
  expect_refused(store_->reserve(request(10, 1)), ErrorCode::kCounterInvalid, in_message);
  expect_refused(store_->advance("orders", 1000), ErrorCode::kCounterInvalid, in_message);
  EXPECT_EQ(counter(), before);

  const auto counters = store_->list();
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  ASSERT_EQ(counters.value().size(), 1u);
  EXPECT_EQ(counters.value()[0].next, std::nullopt);
  EXPECT_NE(counters.value()[0].problem.find(GetParam().in_message), std::string::npos)
      << counters.value()[0].problem;

  for (const int64_t next : {500, 400}) {
    expect_stands_at(store_->advance({.counter = {.name = "orders"}, .next = next, .restore = true}), 500);
  }
  expect_counter(int64(500));
}

TEST_F(MongoCounter, ALargerNumberIsNotReplaced) {
  for (const std::string& index :
       {real("60.5"), real("9007199254740992.0"), std::string(R"({"$numberDecimal": "60.0"})")}) {
    put(index);
    const std::string before = counter();
    const AdvanceRequest restore{.counter = {.name = "orders"}, .next = 60, .restore = true};
    EXPECT_FALSE(store_->advance(restore).ok());
    EXPECT_EQ(counter(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Any, DamagedMongoCounter,
    testing::Values(Damage{R"("12")", "the string '12'"}, Damage{real("1.5"), "the double 1.5"},
                    Damage{real("-1.0"), "the double -1"}, Damage{real("NaN"), "the double nan"},
                    Damage{real("Infinity"), "the double inf"}, Damage{int32(-1), "the integer -1"},
                    Damage{int64(-5000000000), "the integer -5000000000"}, Damage{"null", "null"},
                    Damage{"[5]", "the array [ 5 ]"}, Damage{"[]", "the array"},
                    Damage{R"({"a": 5})", "the object"},
                    Damage{R"({"$numberDecimal": "5"})", "the decimal128"},
                    Damage{"true", "the boolean true"},
                    Damage{R"({"$date": {"$numberLong": "5"}})", "the date"}));

TEST_F(MongoCounter, ADocumentWithoutIndexIsDamaged) {
  database_->put("\"orders\"", R"({"_id": "orders", "n": 5})");
  const std::string before = counter();
  expect_refused(store_->reserve(request(1)), ErrorCode::kCounterInvalid, {"no field index"});
  expect_refused(store_->advance("orders", 5), ErrorCode::kCounterInvalid, {"no field index"});
  expect_refused(store_->advance({.counter = {.name = "orders"}, .restore = true}),
                 ErrorCode::kCounterInvalid, {"no field index"});
  EXPECT_EQ(counter(), before);
}

TEST_F(MongoCounter, ALongValueIsShownInPartAndInWholeCharacters) {
  for (const std::string begin : {"", "a", "ab", "abc"}) {
    std::string text = begin;
    for (int i = 0; i < 1000; ++i) text += "€";
    put("\"" + text + "\"");
    const auto result = store_->reserve(request(1));
    expect_refused(result, ErrorCode::kCounterInvalid, {"the string '" + begin + "€€€", "€…'"});
    const std::string& message = result.error().message;
    EXPECT_LT(message.size(), 600u);
    EXPECT_TRUE(bson_utf8_validate(message.data(), message.size(), false));
  }
}

// --- release -------------------------------------------------------------------------------------

TEST_F(MongoCounter, TakesBackNothingOfACounterThatIsGone) {
  expect_value(store_->release({.name = "orders"}, Range{160, 200}), false);
  EXPECT_EQ(database_->documents(), "[]");
}

TEST_F(MongoCounter, TakesBackFromACounterOfAnyTypeOfNumber) {
  for (const std::string& index : {int32(200), real("200.0")}) {
    put(index);
    expect_value(store_->release({.name = "orders"}, Range{160, 200}), true);
    expect_counter(int64(160));
  }
}

// --- advance -------------------------------------------------------------------------------------

TEST_F(MongoCounter, AdvanceMakesTheCounter) {
  expect_value<int64_t>(store_->advance("orders", 500), 500);
  expect_counter(int64(500));
}

TEST_F(MongoCounter, AdvanceMakesNoneWhereItMustNot) {
  expect_stands_at(store_->advance({.counter = {.name = "orders"}, .next = 500, .make = false}),
                   std::nullopt);
  EXPECT_EQ(database_->documents(), "[]");
  put(int32(100));
  expect_stands_at(store_->advance({.counter = {.name = "orders"}, .next = 500, .make = false}), 500);
}

TEST_F(MongoCounter, AdvanceMovesUpNeverDown) {
  for (const std::string& index : {int32(100), int64(100), real("100.0")}) {
    put(index);
    expect_value<int64_t>(store_->advance("orders", 500), 500);
    expect_counter(int64(500));
    put(index);
    expect_value<int64_t>(store_->advance("orders", 50), 100);
    expect_value<int64_t>(store_->advance("orders", 100), 100);
    expect_value(store_->reserve(request(1)), Range{100, 101});
  }
}

TEST_F(MongoCounter, AdvanceGoesToTheLastNumberThereIs) {
  expect_value<int64_t>(store_->advance("orders", INT64_MAX), INT64_MAX);
  expect_value<int64_t>(store_->advance("orders", 5), INT64_MAX);
}

// --- many at once --------------------------------------------------------------------------------

std::vector<Range> reserve_in_threads(const std::vector<Store*>& stores, int times) {
  return nextid::mongo::reserve_in_threads(stores, times, beginning(1000, 1));
}

TEST_F(MongoCounter, SixteenThreadsOfOneStoreGetDistinctRanges) {
  const std::vector<Range> ranges = reserve_in_threads(std::vector<Store*>(16, store_.get()), 25);
  ASSERT_EQ(ranges.size(), 400u);
  expect_side_by_side(ranges, 1000, 1000 + total(ranges));
  expect_counter(int64(1000 + total(ranges)));
}

TEST_F(MongoCounter, SixteenFirstComersMakeOneCounter) {
  for (int round = 0; round < 5; ++round) {
    database_->remove("\"orders\"");
    std::vector<std::unique_ptr<Store>> stores;
    std::vector<Store*> pointers;
    for (int i = 0; i < 16; ++i) {
      stores.push_back(open_mongo(database_->url()));
      ASSERT_TRUE(stores.back()->list().ok());  // is connected
      pointers.push_back(stores.back().get());
    }
    const std::vector<Range> ranges = reserve_in_threads(pointers, 1);
    ASSERT_EQ(ranges.size(), 16u);
    expect_side_by_side(ranges, 1000, 1000 + total(ranges));
  }
}

TEST_F(MongoCounter, ADoubleIsCountedOnOnceByManyAtOnce) {
  for (int round = 0; round < 5; ++round) {
    put(real("1000.0"));
    const std::vector<Range> ranges = reserve_in_threads(std::vector<Store*>(16, store_.get()), 2);
    ASSERT_EQ(ranges.size(), 32u);
    expect_side_by_side(ranges, 1000, 1000 + total(ranges));
  }
}

TEST_F(MongoCounter, AdvancingAndReservingAtOnceGivesNothingTwice) {
  std::thread advancing([&] {
    const auto other = open_mongo(database_->url());
    for (int64_t next = 1000; next < 3000; next += 50) EXPECT_TRUE(other->advance("orders", next).ok());
  });
  std::vector<Range> ranges = reserve_in_threads(std::vector<Store*>(8, store_.get()), 25);
  advancing.join();
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  for (size_t i = 1; i < ranges.size(); ++i)
    EXPECT_GE(ranges[i].first, ranges[i - 1].end) << "numbers came twice";
}

TEST_F(MongoCounter, ReturnedRangesAreAnArrayOfInt64) {
  expect_value(store_->reserve(beginning(1000, 30)), Range{1000, 1030});
  expect_value(store_->release({.name = "orders"}, Range{1003, 1010}), true);
  expect_value(store_->release({.name = "orders"}, Range{1020, 1025}), true);
  expect_value(store_->advance("orders", 1015), int64_t{1030});
  EXPECT_EQ(database_->documents(), R"([{"_id":"orders","index":)" + int64(1030) + R"(,"indexReturned":[)" +
                                        int64(1020) + "," + int64(1025) + R"(],"indexAdvanced":)" +
                                        int64(1015) + "}]");
}

TEST_F(MongoCounter, EightProcessesGetDistinctRangesAndGiveTheRestBack) {
  constexpr int kProcesses = 8;
  constexpr int kTimes = 40;
  store_.reset();
  int pipe_ends[2];
  ASSERT_EQ(::pipe(pipe_ends), 0);
  Gate gate;
  std::vector<Child> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.emplace_back([&, i] {
      const auto store = open_mongo(database_->url());
      gate.wait();
      for (int n = 0; n < kTimes; ++n) {
        ReserveRequest request = beginning(1000, 1 + (i + n) % 7);
        request.returned_from = 0;  // so that the list stays short, and nothing is lost
        const auto reserved = store->reserve(request);
        ASSERT_TRUE(reserved.ok()) << reserved.error().message;
        Range kept = reserved.value();
        if (kept.count() > 1) {
          const auto released = store->release({.name = "orders"}, Range{kept.end - 1, kept.end});
          ASSERT_TRUE(released.ok()) << released.error().message;
          if (released.value()) --kept.end;
        }
        ASSERT_EQ(::write(pipe_ends[1], &kept, sizeof kept), static_cast<ssize_t>(sizeof kept));
      }
    });
  }
  ::close(pipe_ends[1]);
  gate.open();
  std::vector<Range> ranges;
  Range range;
  while (::read(pipe_ends[0], &range, sizeof range) == static_cast<ssize_t>(sizeof range))
    ranges.push_back(range);
  ::close(pipe_ends[0]);
  for (Child& child : children) EXPECT_TRUE(child.succeeds());
  ASSERT_EQ(ranges.size(), static_cast<size_t>(kProcesses * kTimes));
  store_ = open_mongo(database_->url());
  for (ReserveRequest rest = beginning(1000, 1); store_->list().value()[0].returned > 0;) {
    rest.returned_from = 0;
    ranges.push_back(reserve(*store_, rest));
  }
  expect_side_by_side(ranges, 1000, 1000 + total(ranges));
  expect_counter(int64(1000 + total(ranges)));
}

}  // namespace
}  // namespace nextid::mongo
