// What list() shows of the collections, on a real server.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "native/mongo/fixture.h"

namespace nextid::mongo {
namespace {

class MongoCounterList : public MongoStoreTest {
 protected:
  // `plain a 7`, `dated orders 140625 4`, `cyclic c of 9 5`, `time-stamped t with 2 5`
  std::vector<std::string> shown() {
    const auto counters = store_->list();
    if (!counters.ok()) {
      ADD_FAILURE() << counters.error().message;
      return {};
    }
    std::vector<std::string> lines;
    for (const CounterInfo& counter : counters.value()) {
      const CounterKey& key = counter.key;
      std::string line = std::string(to_string(key.kind)) + " " + key.name;
      if (is<Dated>(key)) line += " " + std::to_string(prefix_of(key));
      if (is<Cyclic>(key)) line += " of " + std::to_string(std::get<Cyclic>(key.kind).cycle);
      if (is<Timestamped>(key)) line += " with " + std::to_string(std::get<Timestamped>(key.kind).digits);
      EXPECT_EQ(counter.next.has_value(), counter.problem.empty());
      lines.push_back(line + " " + (counter.next ? std::to_string(*counter.next) : counter.problem));
    }
    return lines;
  }
  using Lines = std::vector<std::string>;
};

TEST_F(MongoCounterList, ShowsNothingWhereNothingIs) { EXPECT_EQ(shown(), Lines()); }

TEST_F(MongoCounterList, ShowsEveryKindInOrder) {
  database_->insert(R"({"_id": "b", "index": 5}, {"_id": "a", "index": 7.0},
                       {"_id": "B", "index": {"$numberLong": "9007199254740993"}},
                       {"_id": "b:140626", "name": "b", "prefix": 140626, "count": 4},
                       {"_id": "b:140625", "name": "b", "prefix": 140625.0, "count": 3.0},
                       {"_id": "b:14", "name": "b", "prefix": 14, "count": 0},
                       {"prefix": 140625, "count": 9})");
  database_->insert(R"({"_id": "b", "val": 3, "maxval": 99, "slot": 5, "digits": 2},
                       {"_id": "c", "val": 99.0, "maxval": 99.0}, {"_id": "d", "val": 0, "maxval": 9},
                       {"_id": "t", "slot": {"$numberLong": "140370480012345678"}, "digits": 3})",
                    "counters");
  EXPECT_EQ(shown(),
            (Lines{"dated  140625 10", "plain B 9007199254740993", "plain a 7", "plain b 5", "dated b 14 1",
                   "dated b 140625 4", "dated b 140626 5", "cyclic b of 99 4", "time-stamped b with 2 6",
                   "cyclic c of 99 1", "cyclic d of 9 1", "time-stamped t with 3 140370480012345679"}));
}

TEST_F(MongoCounterList, ShowsEveryKindOfOneCollection) {
  store_ = open_mongo(database_->url(), "ids", "ids");
  database_->insert(R"({"_id": "x", "index": 5, "val": 1, "maxval": 9, "slot": 7, "digits": 0},
                       {"_id": "y", "val": 1, "maxval": 9}, {"_id": "x:14", "name": "x", "prefix": 14, "count": 3},
                       {"_id": "x:pruned", "name": "x", "pruned": {"year": 13}})");
  EXPECT_EQ(shown(), (Lines{"plain x 5", "dated x 14 4", "cyclic x of 9 2", "time-stamped x with 0 8",
                            "cyclic y of 9 2"}));
}

TEST_F(MongoCounterList, LeavesOutWhatIsNoCounter) {
  database_->insert(R"({"_id": 13, "index": 3}, {"_id": "x:pruned", "name": "x", "pruned": {"day": 140601}},
                       {"_id": ":pruned", "prefix": "pruned", "pruned": {"day": 140601}},
                       {"_id": "x:140602", "name": "x", "prefix": 140602, "count": 0,
                        "making": {"$oid": "54a1b2c3d4e5f60718293a4b"}},
                       {"_id": "y:140602", "name": "x", "prefix": 140602, "count": 1},
                       {"_id": "z", "name": 5, "prefix": 140602, "count": 1},
                       {"prefix": 140, "count": 1}, {"prefix": "a", "count": 1}, {"prefix": 14.5, "count": 1},
                       {"prefix": 140603}, {"_id": "c", "count": 2},
                       {"_id": "elsewhere", "val": 1, "maxval": 9})");
  database_->insert(R"({"_id": "note", "text": "of somebody"}, {"_id": 5, "val": 1, "maxval": 9},
                       {"_id": "plain", "index": 5})",
                    "counters");
  EXPECT_EQ(shown(), Lines());
}

TEST_F(MongoCounterList, SaysWhatIsWrongWithADamagedOne) {
  database_->insert(R"({"_id": "a", "index": "12"}, {"_id": "b"},
                       {"_id": "c:14", "name": "c", "prefix": 14, "count": 1.5},
                       {"_id": "d:14", "name": "d", "prefix": 14},
                       {"_id": "e:14", "name": "e", "prefix": 14, "count": {"$numberLong": "9223372036854775807"}})");
  database_->insert(
      R"({"_id": "k", "val": -1, "maxval": 9}, {"_id": "l", "val": 1, "maxval": "9"}, {"_id": "m", "val": 1},
                       {"_id": "n", "slot": 1.5, "digits": 0}, {"_id": "o", "slot": 5}, {"_id": "p", "slot": 5, "digits": 7})",
      "counters");
  const Lines lines = shown();
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"plain a", "the string '12'"},
      {"plain b", "no field index"},
      {"dated c 14", "the double 1.5"},
      {"dated d 14", "no field count"},
      {"dated e 14", "last number"},
      {"cyclic k of 9", "the integer -1"},
      {"cyclic l of 0", "the string '9'"},
      {"cyclic m of 0", "no field maxval"},
      {"time-stamped n with 0", "the double 1.5"},
      {"time-stamped o", "no field digits"},
      {"time-stamped p", "the integer 7"}};
  ASSERT_EQ(lines.size(), expected.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with(expected[i].first)) << lines[i];
    EXPECT_NE(lines[i].find(expected[i].second), std::string::npos) << lines[i];
  }
}

TEST_F(MongoCounterList, ShowsMoreThanOneBatch) {
  std::string documents;
  for (int i = 1000; i < 1400; ++i) {
    documents += (i == 1000 ? "" : ",") + (R"({"_id": "c)" + std::to_string(i) + R"(", "index": )") +
                 std::to_string(i) + "}";
  }
  database_->insert(documents);
  const auto counters = store_->list();
  ASSERT_TRUE(counters.ok()) << counters.error().message;
  ASSERT_EQ(counters.value().size(), 400u);
  for (size_t i = 0; i < 400; ++i) EXPECT_EQ(counters.value()[i].next, static_cast<int64_t>(1000 + i));
}

TEST_F(MongoCounterList, EachCollectionHasItsOwnCounters) {
  const ReserveRequest orders{.counter = {.name = "orders"}, .count = 10, .floor = std::nullopt};
  const auto other = open_mongo(database_->url(), "other", "more");
  expect_value(store_->reserve(orders), Range{1, 11});
  expect_value(other->reserve(orders), Range{1, 11});
  EXPECT_EQ(shown(), Lines{"plain orders 11"});
}

}  // namespace
}  // namespace nextid::mongo
