// The unique index on prefix: that it is there where it must be, and said where it stands in the way.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/mongo/fake_server.h"
#include "native/mongo/fixture.h"

namespace nextid::mongo {
namespace {

ReserveRequest plain(const std::string& name) {
  return {.counter = {.name = name}, .count = 1, .floor = std::nullopt};
}
ReserveRequest dated(const std::string& name, int64_t prefix = 140625) {
  return {.counter = {.name = name, .kind = Dated{prefix}}, .count = 1, .floor = std::nullopt};
}

class MongoIndex : public MongoStoreTest {
 protected:
  void make_index(const std::string& options) {
    database_->run(R"({"createIndexes": "ids", "indexes": [{"key": {"prefix": 1}, )" + options + "}]}");
  }
  std::string indexes() { return database_->run(R"({"listIndexes": "ids"})", "cursor.firstBatch"); }
};

TEST_F(MongoIndex, IsMadeForCountersWithoutANameOnly) {
  reserve(*store_, dated("orders"));
  reserve(*store_, plain("orders"));
  EXPECT_EQ(indexes().find("prefix"), std::string::npos) << indexes();
  store_ = open_mongo(database_->url(), "days");
  reserve(*store_, dated(""));
  const std::string made = database_->run(R"({"listIndexes": "days"})", "cursor.firstBatch.1");
  EXPECT_NE(made.find(R"("key":{"prefix":)"), std::string::npos) << made;
  EXPECT_NE(made.find(R"("name":"prefix_1","unique":true)"), std::string::npos) << made;
}

TEST_F(MongoIndex, IsLookedForOnceByAStore) {
  reserve(*store_, dated(""));
  database_->run(R"({"dropIndexes": "ids", "index": "prefix_1"})");
  reserve(*store_, dated(""));
  EXPECT_EQ(indexes().find("prefix"), std::string::npos);
  reserve(*open_mongo(database_->url()), dated(""));
  EXPECT_NE(indexes().find("prefix"), std::string::npos);
}

TEST_F(MongoIndex, OfAnotherNameServesAsWell) {
  make_index(R"("name": "mine", "unique": true)");
  EXPECT_EQ(reserve(*store_, dated("")), (Range{1, 2}));
  EXPECT_EQ(indexes().find("prefix_1"), std::string::npos);
}

TEST_F(MongoIndex, ThatIsNotUniqueIsRefusedByName) {
  make_index(R"("name": "slow")");
  for (int i = 0; i < 2; ++i) {
    expect_refused(store_->reserve(dated("")), ErrorCode::kStoreInvalid,
                   {"'slow'", "prefix", "not unique", "'ids'", "dropIndex('slow')"});
  }
  EXPECT_EQ(database_->documents(), "[]");
  database_->run(R"({"dropIndexes": "ids", "index": "slow"})");
  EXPECT_EQ(reserve(*store_, dated("")), (Range{1, 2}));
}

TEST_F(MongoIndex, ThatDocumentsStandInTheWayOfIsRefused) {
  database_->insert(R"({"prefix": 140625, "count": 1}, {"prefix": 140625, "count": 2})");
  const auto range = store_->reserve(dated(""));
  expect_refused(range, ErrorCode::kStoreInvalid, {"'ids'", "prefix", "?collection=NAME"});
  EXPECT_TRUE(range.error().driver);
}

// One of them would not keep it from being made, and no second one could be made from then on.
TEST_F(MongoIndex, IsNotMadeBesideCountersWithNames) {
  for (const char* document :
       {R"({"_id": "a", "index": 1})",
        R"({"_id": "orders:140626", "name": "orders", "prefix": 140626, "count": 3})"}) {
    database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
    database_->insert(document);
    expect_refused(store_->reserve(dated("")), ErrorCode::kStoreInvalid,
                   {"counters with names", "'ids'", "prefix", "?collection=NAME"});
    EXPECT_EQ(indexes().find("prefix"), std::string::npos);
  }
}

TEST_F(MongoIndex, InTheWayOfAPlainCounterIsNamed) {
  make_index(R"("name": "prefix_1", "unique": true)");
  reserve(*store_, plain("first"));
  const auto range = store_->reserve(plain("second"));
  expect_refused(range, ErrorCode::kStoreInvalid, {"'second'", "'ids'", "on prefix", "?collection=NAME"});
  ASSERT_TRUE(range.error().driver);
  EXPECT_EQ(range.error().driver->code, 11000);
  expect_refused(store_->advance("second", 5), ErrorCode::kStoreInvalid, {"on prefix"});
  EXPECT_EQ(reserve(*store_, plain("first")), (Range{2, 3}));
}

TEST_F(MongoIndex, InTheWayOfANamedDatedCounterIsNamed) {
  reserve(*store_, dated(""));
  expect_refused(store_->reserve(dated("orders")), ErrorCode::kStoreInvalid,
                 {"140625 of 'orders'", "on prefix", "?collection=NAME"});
  reserve(*store_, dated("bills", 140626));
  expect_refused(store_->reserve(dated("", 140626)), ErrorCode::kStoreInvalid,
                 {"the counter of 140626 in", "on prefix", "?collection=NAME"});
}

TEST_F(MongoIndex, InTheWayOfMarksIsNamed) {
  make_index(R"("name": "prefix_1", "unique": true)");
  reserve(*store_, plain("first"));
  expect_refused(store_->prune("orders", {140601}), ErrorCode::kStoreInvalid,
                 {"'orders:pruned'", "on prefix"});
}

TEST_F(MongoIndex, OfSeveralFieldsIsNamedByAll) {
  database_->run(R"({"createIndexes": "counters", "indexes":
                     [{"key": {"a": 1, "b": -1}, "name": "ab", "unique": true}]})");
  ReserveRequest cyclic{.counter = {.name = "x", .kind = Cyclic{9}}, .count = 1, .floor = std::nullopt};
  reserve(*store_, cyclic);
  cyclic.counter.name = "y";
  expect_refused(store_->reserve(cyclic), ErrorCode::kStoreInvalid, {"'y'", "a, b"});
}

TEST_F(MongoIndex, IsMadeByOneOfManyFirstComers) {
  for (int round = 0; round < 3; ++round) {
    database_->run(R"({"dropDatabase": 1})");
    const auto stores = open_many(*database_, 16);
    const auto ranges = reserve_in_threads(pointers(stores), 1, dated(""));
    ASSERT_EQ(ranges.size(), 16u);
    expect_side_by_side(ranges, 1, 1 + total(ranges));
  }
}

// Refused again and again, but not because of an index.
TEST(MongoIndexInTheWay, IsNotBlamedWhereThereIsNone) {
  for (const char* conflict : {R"({"ok": 0, "code": 11000, "errmsg": "duplicate"})",
                               R"({"ok": 0, "code": 1, "errmsg": "deadlock detected"})"}) {
    FakeMongoServer server([&](const std::string& command, auto&&...) -> FakeMongoServer::Reply {
      if (command == "findAndModify") return R"({"ok": 1, "value": null})";
      if (command == "update") return conflict;
      return R"({"ok": 1, "cursor": {"ns": "db.ids", "id": {"$numberLong": "0"}, "firstBatch": []}})";
    });
    const auto range = open_mongo(server.url())->reserve(plain("orders"));
    ASSERT_FALSE(range.ok());
    EXPECT_EQ(range.error().error_class, ErrorClass::kPassing) << range.error().message;
  }
}

// What passes is not blamed on an index that is there.
TEST(MongoIndexInTheWay, IsNotBlamedForADeadlock) {
  FakeMongoServer server([&](const std::string& command, auto&&...) -> FakeMongoServer::Reply {
    if (command == "findAndModify") return R"({"ok": 1, "value": null})";
    if (command == "update") return R"({"ok": 0, "code": 1, "errmsg": "deadlock detected"})";
    const std::string found =
        command == "find" ? "" : R"({"name": "prefix_1", "key": {"prefix": 1}, "unique": true})";
    return R"({"ok": 1, "cursor": {"ns": "db.ids", "id": {"$numberLong": "0"}, "firstBatch": [)" + found +
           "]}}";
  });
  const auto range = open_mongo(server.url())->reserve(plain("orders"));
  ASSERT_FALSE(range.ok());
  EXPECT_EQ(range.error().error_class, ErrorClass::kPassing) << range.error().message;
}

}  // namespace
}  // namespace nextid::mongo
