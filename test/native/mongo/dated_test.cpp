// Dated counters, on a real server.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "native/mongo/fixture.h"
#include "native/mongo/other_programs.h"

namespace nextid::mongo {
namespace {

constexpr int64_t kDay = 140625;

ReserveRequest request(const std::string& name, int64_t count, std::optional<int64_t> floor = std::nullopt,
                       int64_t limit = INT64_MAX) {
  return {.counter = {.name = name, .kind = Dated{kDay}}, .count = count, .floor = floor, .limit = limit};
}
CounterKey key(const std::string& name) { return request(name, 0).counter; }

// With a name and without.
class MongoDated : public MongoStoreTest, public testing::WithParamInterface<std::string> {
 protected:
  const std::string name_ = GetParam();

  // A document of another program: extended JSON.
  void put(const std::string& count) {
    database_->remove("null");  // else the first of them would be kept
    database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
    database_->insert(name_.empty()
                          ? R"({"prefix": 140625, "count": )" + count + "}"
                          : R"({"_id": "orders:140625", "name": "orders", "prefix": 140625, "count": )" +
                                count + "}");
  }
  std::string counter() {
    return database_->documents("{}", "ids", R"({"_id": 0, "countAdvanced": 0, "countReturned": 0})");
  }
  std::string document(const std::string& count, bool prefix_is_ours = true) {
    const std::string prefix = prefix_is_ours ? int64(kDay) : int32(kDay);
    if (name_.empty()) return R"([{"prefix":)" + prefix + R"(,"count":)" + count + "}]";
    return R"([{"name":"orders","prefix":)" + prefix + R"(,"count":)" + count + "}]";
  }
  Range reserve(int64_t count) { return nextid::mongo::reserve(*store_, request(name_, count)); }
  AdvanceRequest advance(int64_t next) { return {.counter = request(name_, 0).counter, .next = next}; }
  AdvanceRequest restore(int64_t next) {
    AdvanceRequest request = advance(next);
    request.restore = true;
    return request;
  }
};

INSTANTIATE_TEST_SUITE_P(Any, MongoDated, testing::Values("orders", ""),
                         [](const auto& info) { return info.param.empty() ? "Nameless" : "Named"; });

TEST_P(MongoDated, IsMadeAndBeginsWithOne) {
  EXPECT_EQ(reserve(10), (Range{1, 11}));
  EXPECT_EQ(counter(), document(int64(10)));
  EXPECT_EQ(reserve(1), (Range{11, 12}));
  EXPECT_EQ(counter(), document(int64(11)));
}

TEST_P(MongoDated, EachPeriodHasItsOwn) {
  ReserveRequest asked = request(name_, 3);
  for (const int64_t prefix : {14062513, 140625, 140626, 1406, 14}) {
    asked.counter.kind = Dated{prefix};
    expect_value(store_->reserve(asked), Range{1, 4});
  }
  expect_value(store_->reserve(asked), Range{4, 7});
}

TEST_P(MongoDated, CountsOnFromWhatOtherProgramsWrite) {
  for (const std::string& count : {int32(7), int64(7), real("7.0")}) {
    put(count);
    EXPECT_EQ(reserve(2), (Range{8, 10}));
    EXPECT_EQ(counter(), document(int64(9), false));
  }
}

TEST_P(MongoDated, DamageIsNamedAndLeftAsItIs) {
  for (const std::string& count : {int32(-1), real("1.5"), real("NaN"), std::string(R"("5")"),
                                   std::string("[5]"), std::string("null"), std::string("{}")}) {
    put(count);
    const std::string before = counter();
    for (const int64_t numbers : {0, 1}) {
      expect_refused(store_->reserve(request(name_, numbers)), ErrorCode::kCounterInvalid,
                     {"140625", "'ids'", "with: nextid advance --store URL --restore --prefix 140625"});
    }
    EXPECT_EQ(counter(), before);
    expect_refused(store_->advance(advance(7)), ErrorCode::kCounterInvalid, {"--restore"});
    EXPECT_EQ(counter(), before);
    expect_stands_at(store_->advance(restore(7)), 7);
    expect_stands_at(store_->advance(restore(5)), 7);
    EXPECT_EQ(reserve(2), (Range{7, 9}));
  }
  put(real("9007199254740992.0"));
  expect_refused(store_->reserve(request(name_, 1)), ErrorCode::kIdOverflow, {"2^53", "--restore"});
  EXPECT_FALSE(store_->advance(restore(7)).ok());
}

TEST_P(MongoDated, AdvancesUpNeverDown) {
  AdvanceRequest request = advance(500);
  request.make = false;
  expect_stands_at(store_->advance(request), std::nullopt);
  EXPECT_EQ(counter(), "[]");
  expect_stands_at(store_->advance(advance(500)), 500);
  EXPECT_EQ(counter(), document(int64(499)));
  expect_stands_at(store_->advance(advance(1)), 500);
  expect_stands_at(store_->advance(restore(1)), 500);
  EXPECT_EQ(reserve(2), (Range{500, 502}));
  for (const std::string& count : {int32(7), int64(7), real("7.0")}) {
    put(count);
    expect_stands_at(store_->advance(request), 500);
    EXPECT_EQ(reserve(1), (Range{500, 501}));
  }
}

TEST_P(MongoDated, TheFloorHolds) {
  expect_refused(store_->reserve(request(name_, 1, 150)), ErrorCode::kSequenceMissing,
                 {"140625", "with: nextid advance --store URL --prefix 140625 ", "150 (or higher"});
  EXPECT_EQ(counter(), "[]");
  for (const std::string& count : {int32(148), int64(148), real("148.0")}) {
    put(count);
    expect_refused(store_->reserve(request(name_, 1, 150)), ErrorCode::kSequenceRewound,
                   {"149", "with: nextid advance --store URL --prefix 140625 ", "150 (or higher"});
  }
  for (const std::string& count : {int32(149), real("149.0")}) {
    put(count);
    expect_value(store_->reserve(request(name_, 1, 150)), Range{150, 151});
  }
}

TEST_P(MongoDated, TheLimitHolds) {
  put(int32(98));
  expect_value(store_->reserve(request(name_, 5, std::nullopt, 100)), Range{99, 104});
  expect_refused(store_->reserve(request(name_, 5, std::nullopt, 100)), ErrorCode::kIdOverflow,
                 {"104", "100"});
  put(int32(99));
  expect_refused(store_->reserve(request(name_, 1, std::nullopt, 100)), ErrorCode::kIdOverflow, {"100"});
  put(int64(INT64_MAX - 3));
  expect_refused(store_->reserve(request(name_, 3)), ErrorCode::kIdOverflow, {"9223372036854775807"});
  EXPECT_EQ(reserve(2), (Range{INT64_MAX - 2, INT64_MAX}));
  put(int64(INT64_MAX));
  expect_refused(store_->reserve(request(name_, 0)), ErrorCode::kIdOverflow, {"9223372036854775807"});
}

TEST_P(MongoDated, TakesBackWhatNobodyReservedAfter) {
  reserve(50);
  expect_value(store_->release(key(name_), Range{41, 51}), true);
  EXPECT_EQ(counter(), document(int64(40)));
  expect_value(store_->release(key(name_), Range{41, 51}), false);
  EXPECT_EQ(reserve(1), (Range{41, 42}));
  expect_value(store_->release(key(name_), Range{31, 41}), true);  // a returned range
  EXPECT_EQ(counter(), document(int64(41)));
  EXPECT_EQ(reserve(1), (Range{42, 43}));
}

TEST_P(MongoDated, ManyFirstComersMakeOneCounter) {
  // A unique index makes first comers wait for each other, on the test server up to a second each.
  const int comers = name_.empty() ? 4 : 16;
  for (int round = 0; round < 5; ++round) {
    database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
    const auto stores = open_many(*database_, comers);
    const auto ranges = reserve_in_threads(pointers(stores), 2, request(name_, 1));
    ASSERT_EQ(ranges.size(), 2u * comers);
    expect_side_by_side(ranges, 1, 1 + total(ranges));
    EXPECT_EQ(counter(), document(int64(total(ranges))));
  }
}

TEST_P(MongoDated, ADoubleIsCountedOnOnceByManyAtOnce) {
  put(real("1000.0"));
  const auto ranges = reserve_in_threads(std::vector<Store*>(16, store_.get()), 2, request(name_, 1));
  ASSERT_EQ(ranges.size(), 32u);
  expect_side_by_side(ranges, 1001, 1001 + total(ranges));
}

class MongoNamelessDated : public MongoStoreTest {};

TEST_F(MongoNamelessDated, SharesItsDocumentsWithProgramsThatUpsert) {
  reserve(*store_, request("", 1));  // for this server's upserts of a missing document lose numbers
  const auto stores = open_many(*database_, 6);
  std::vector<Range> theirs;
  auto ranges = reserve_in_threads(pointers(stores), 30, request("", 1), [&] {
    OtherProgram other(*database_);
    for (int i = 0; i < 100; ++i) {
      const int64_t number = other.next_of_day(kDay);
      theirs.push_back({number, number + 1});
    }
  });
  ranges.insert(ranges.end(), theirs.begin(), theirs.end());
  ASSERT_EQ(ranges.size(), 280u);
  expect_side_by_side(ranges, 2, 2 + total(ranges));
  EXPECT_EQ(database_->documents("{}", "ids", R"({"_id": 0})"),
            R"([{"prefix":)" + int64(kDay) + R"(,"count":)" + int64(1 + total(ranges)) + "}]");
}

// So that who comes later is refused at once: see DatedCounter::make().
TEST_F(MongoNamelessDated, AllWouldMakeTheSameDocument) {
  reserve(*store_, request("", 2));
  EXPECT_EQ(database_->documents("{}", "ids", R"({"_id": 1})"), R"([{"_id":":140625"}])");
}

TEST_F(MongoNamelessDated, APrefixMayBeADouble) {
  database_->insert(R"({"prefix": 140625.0, "count": 3.0})");
  EXPECT_EQ(reserve(*store_, request("", 2)), (Range{4, 6}));
  EXPECT_EQ(database_->documents("{}", "ids", R"({"_id": 0})"),
            R"([{"prefix":)" + real("140625.0") + R"(,"count":)" + int64(5) + "}]");
}

TEST_F(MongoNamelessDated, KnowsNothingOfNamedOnes) {
  EXPECT_EQ(reserve(*store_, request("", 2)), (Range{1, 3}));
  database_->insert(R"({"_id": "orders:140626", "name": "orders", "prefix": 140626, "count": 3})");
  EXPECT_EQ(reserve(*store_, request("", 2)), (Range{3, 5}));
  EXPECT_EQ(reserve(*open_mongo(database_->url(), "other"), request("orders", 2)), (Range{1, 3}));
}

}  // namespace
}  // namespace nextid::mongo
