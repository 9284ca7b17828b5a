// Counters of several kinds in one document: a dated counter's `_id` may also be the name of others.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/mongo/fixture.h"

namespace nextid::mongo {
namespace {

constexpr int64_t kDay = 140601;

const CounterKey kDated{.name = "orders", .kind = Dated{kDay}};
const CounterKey kPlain{.name = "orders:140601"};
const CounterKey kCyclic{.name = "orders:140601", .kind = Cyclic{99}};
const CounterKey kTimestamped{.name = "orders:140601", .kind = Timestamped{}};

ReserveRequest request(const CounterKey& key, int64_t count, std::optional<int64_t> floor = std::nullopt) {
  return {.counter = key, .count = count, .floor = floor, .clock = [] { return int64_t{1'000}; }};
}

class MongoSharing : public MongoStoreTest {
 protected:
  // All kinds in one collection, as with ?collection=ids.
  void SetUp() override {
    MongoStoreTest::SetUp();
    if (database_) store_ = open_mongo(database_->url(), "ids", "ids");
  }
  // What the command of another program does that counts by index, with upsert.
  void other_program_counts() {
    database_->run(R"({"findAndModify": "ids", "query": {"_id": "orders:140601"},
                       "update": {"$inc": {"index": 1}}, "upsert": true, "new": true})");
  }
  std::string shared() { return database_->documents(R"({"_id": "orders:140601"})"); }
  void expect_pruned() {
    expect_refused(store_->reserve(request(kDated, 1)), ErrorCode::kPeriodPruned, {"140601"});
  }
};

TEST_F(MongoSharing, EachKindBeginsWhereTheOthersAre) {
  const std::vector<CounterKey> kinds{kDated, kPlain, kCyclic, kTimestamped};
  for (size_t first = 0; first < kinds.size(); ++first) {
    database_->remove(R"("orders:140601")");
    for (size_t i = 0; i < kinds.size(); ++i) {
      const CounterKey& key = kinds[(first + i) % kinds.size()];
      const int64_t begin = is<Timestamped>(key) ? 1000 : 1;
      EXPECT_EQ(reserve(*store_, request(key, 5)), (Range{begin, begin + 5}));
    }
    for (const CounterKey& key : kinds) {
      const int64_t begin = is<Timestamped>(key) ? 1000 : 1;
      EXPECT_EQ(reserve(*store_, request(key, 5)), (Range{begin + 5, begin + 10}));
    }
    std::vector<std::string> listed;
    const auto counters = store_->list();
    ASSERT_TRUE(counters.ok()) << counters.error().message;
    for (const CounterInfo& counter : counters.value()) listed.push_back(to_string(counter.key.kind));
    EXPECT_EQ(listed, (std::vector<std::string>{"dated", "plain", "cyclic", "time-stamped"}));
  }
}

TEST_F(MongoSharing, APlainOneIsAdvancedInTheDocumentOfADatedOne) {
  reserve(*store_, request(kDated, 5));
  expect_value<int64_t>(store_->advance("orders:140601", 500), 500);
  EXPECT_EQ(reserve(*store_, request(kPlain, 1)), (Range{500, 501}));
  EXPECT_EQ(reserve(*store_, request(kDated, 1)), (Range{6, 7}));
}

TEST_F(MongoSharing, WhatIsGoneOfADocumentIsMissing) {
  reserve(*store_, request(kDated, 5));
  expect_refused(store_->reserve(request(kPlain, 1, 7)), ErrorCode::kSequenceMissing, {"orders:140601"});
  database_->put(R"("orders:140601")", R"({"_id": "orders:140601", "index": 5})");
  expect_refused(store_->reserve(request(kDated, 1, 7)), ErrorCode::kSequenceMissing, {"140601"});
}

// --- prune ---------------------------------------------------------------------------------------

TEST_F(MongoSharing, PruneLeavesTheOtherCountersOfTheDocument) {
  const std::vector<CounterKey> others{kPlain, kCyclic, kTimestamped};
  for (const CounterKey& other : others) {
    database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
    reserve(*store_, request(kDated, 5));
    const Range before = reserve(*store_, request(other, 5));
    expect_value<int64_t>(store_->prune("orders", {kDay}), 1);
    expect_pruned();
    EXPECT_EQ(reserve(*store_, request(other, 1, before.end)), (Range{before.end, before.end + 1}));
    EXPECT_EQ(database_->documents(R"({"_id": "orders:140601", "$or": [{"name": {"$exists": true}},
                  {"prefix": {"$exists": true}}, {"count": {"$exists": true}}]})"),
              "[]");
    expect_value<int64_t>(store_->prune("orders", {kDay}), 0);
  }
}

TEST_F(MongoSharing, PruneLeavesWhatAnotherProgramCountsThere) {
  reserve(*store_, request(kDated, 5));
  other_program_counts();
  other_program_counts();
  expect_value<int64_t>(store_->prune("orders", {140531, kDay, 140602}), 1);
  expect_pruned();
  EXPECT_EQ(shared(), R"([{"_id":"orders:140601","index":)" + int32(2) + "}]");
}

TEST_F(MongoSharing, PruneLeavesADocumentThatHoldsNoDatedCounter) {
  reserve(*store_, request(kPlain, 5));
  expect_value<int64_t>(store_->prune("orders", {kDay}), 0);
  EXPECT_EQ(shared(), R"([{"_id":"orders:140601","index":)" + int64(6) + "}]");
}

// It was closed before its maker came to begin it.
TEST_F(MongoSharing, AHalfMadeOneIsTakenBackAlone) {
  store_->prune("orders", {kDay});
  database_->insert(R"({"_id": "orders:140601", "name": "orders", "prefix": 140601, "count": 0, "index": 7,
                        "making": {"$oid": "54a1b2c3d4e5f60718293a4b"}})");
  expect_pruned();
  EXPECT_EQ(shared(), R"([{"_id":"orders:140601","index":)" + int32(7) + "}]");
}

TEST_F(MongoSharing, AHalfMadeOneThatIsSharedIsBegun) {
  database_->insert(R"({"_id": "orders:140601", "name": "orders", "prefix": 140601, "count": 0,
                        "making": {"$oid": "54a1b2c3d4e5f60718293a4b"}})");
  EXPECT_EQ(reserve(*store_, request(kPlain, 5)), (Range{1, 6}));
  EXPECT_EQ(reserve(*store_, request(kDated, 5)), (Range{1, 6}));
  EXPECT_EQ(reserve(*store_, request(kPlain, 5)), (Range{6, 11}));
}

// Where the _id is a name, somebody else may count in the document; elsewhere `index` is just a field.
TEST_F(MongoSharing, PruneOfNamelessOnesLeavesWhatIsCountedUnderTheirId) {
  const ReserveRequest nameless = request({.name = "", .kind = Dated{kDay}}, 5);
  reserve(*store_, nameless);
  database_->run(R"({"update": "ids", "updates": [{"q": {"_id": ":140601"}, "u": {"$inc": {"index": 7}}}]})");
  database_->insert(
      R"({"prefix": 140602, "count": 3, "index": 5}, {"prefix": 140603, "count": 3, "index": 5})");
  expect_value<int64_t>(store_->prune("", {kDay, 140602, 140603}), 3);
  EXPECT_EQ(database_->documents(R"({"prefix": {"$ne": "pruned"}})"),
            R"([{"_id":":140601","index":)" + int32(7) + "}]");
  expect_refused(store_->reserve(nameless), ErrorCode::kPeriodPruned, {"140601"});
}

// A plain counter is made, or counted by another program, while the dated one of the document is pruned.
TEST_F(MongoSharing, PruneWhileOthersCountInTheSameDocuments) {
  constexpr int kRounds = 15;
  const auto other = open_mongo(database_->url());
  const auto pruner = open_mongo(database_->url());
  for (int round = 0; round < kRounds; ++round) {
    const int64_t day = 140101 + round;
    const std::string id = "orders:" + std::to_string(day);
    reserve(*store_, request({.name = "orders", .kind = Dated{day}}, 5));
    const auto prune = [&] { EXPECT_TRUE(pruner->prune("orders", {day}).ok()); };
    const auto ranges = reserve_in_threads({store_.get(), other.get()}, 3, request({.name = id}, 1), prune);
    expect_side_by_side(ranges, 1, 1 + total(ranges));
    EXPECT_EQ(database_->documents(R"({"_id": ")" + id + "\"}"),
              R"([{"_id":")" + id + R"(","index":)" + int64(1 + total(ranges)) + "}]");
  }
}

// --- the mark of what was pruned -----------------------------------------------------------------

TEST_F(MongoSharing, TheMarkAndAnyOtherCounterHaveRoomInOneDocument) {
  for (const bool mark_first : {true, false}) {
    for (CounterKey other : {kPlain, kCyclic, kTimestamped}) {
      database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
      other.name = "orders:pruned";
      if (mark_first) store_->prune("orders", {kDay});
      const Range before = reserve(*store_, request(other, 5));
      store_->prune("orders", {kDay});
      expect_pruned();
      EXPECT_EQ(reserve(*store_, request(other, 1)), (Range{before.end, before.end + 1}));
    }
  }
}

TEST_F(MongoSharing, AMarkThatIsBeingMadeIsNobodyElses) {
  database_->insert(R"({"_id": "orders:pruned", "name": "orders"})");
  EXPECT_EQ(reserve(*store_, request({.name = "orders:pruned"}, 5)), (Range{1, 6}));
  store_->prune("orders", {kDay});
  expect_pruned();
  EXPECT_EQ(reserve(*store_, request({.name = "orders:pruned"}, 5)), (Range{6, 11}));
}

// --- documents of others -------------------------------------------------------------------------

class ForeignDocument : public MongoSharing, public testing::WithParamInterface<std::string> {};

TEST_P(ForeignDocument, IsNamedAndLeftAsItIs) {
  database_->insert(R"({"_id": "orders:140601", )" + GetParam() + "}");
  const std::string before = shared();
  for (const CounterKey& key : {kPlain, kCyclic, kTimestamped, kDated}) {
    for (const std::optional<int64_t> floor : {std::optional<int64_t>(), std::optional<int64_t>(5)}) {
      const auto refused = store_->reserve(request(key, 1, floor));
      expect_refused(refused, ErrorCode::kCounterInvalid,
                     {"'orders:140601'", "another program", "?collection=NAME", "another name"});
      EXPECT_EQ(refused.error().message.find("updateOne"), std::string::npos) << refused.error().message;
    }
  }
  EXPECT_EQ(shared(), before);
}

INSTANTIATE_TEST_SUITE_P(Any, ForeignDocument,
                         testing::Values(R"("seq": 17)", R"("name": "somebody", "seq": 17)",
                                         R"("pruned": true)", R"("prefix": "INV-", "n": 1)"));

// A dated counter has no room where its fields are another's.
TEST_F(MongoSharing, ADatedOneIsRefusedWhereItsFieldsAreAnothers) {
  for (const char* fields : {R"("name": "somebody")", R"("prefix": 7)"}) {
    database_->put(R"("orders:140601")",
                   R"({"_id": "orders:140601", "index": 3, )" + std::string(fields) + "}");
    const std::string before = shared();
    expect_refused(store_->reserve(request(kDated, 1)), ErrorCode::kCounterInvalid, {"?collection=NAME"});
    EXPECT_EQ(shared(), before);
  }
}

// Programs that remove the days of the past would remove it too.
TEST_F(MongoSharing, NoOtherCounterIsMadeInTheDocumentOfANamelessDay) {
  reserve(*store_, request({.name = "", .kind = Dated{kDay}}, 5));
  for (CounterKey key : {kPlain, kCyclic, kTimestamped}) {
    key.name = ":140601";
    expect_refused(store_->reserve(request(key, 1)), ErrorCode::kCounterInvalid,
                   {"':140601'", "?collection=NAME", "another name"});
  }
}

}  // namespace
}  // namespace nextid::mongo
