// Pruning: a period that was closed never begins anew, whoever stalls where.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/mongo/fake_server.h"
#include "native/mongo/fixture.h"

namespace nextid::mongo {
namespace {

constexpr const char* kMaking = R"({"$oid":"54a1b2c3d4e5f60718293a4b"})";

ReserveRequest request(const std::string& name, int64_t prefix, int64_t count = 1,
                       std::optional<int64_t> floor = std::nullopt) {
  return {.counter = {.name = name, .kind = Dated{prefix}}, .count = count, .floor = floor};
}

class MongoPrune : public MongoStoreTest, public testing::WithParamInterface<std::string> {
 protected:
  const std::string name_ = GetParam();

  ReserveRequest request(int64_t prefix, int64_t count = 1, std::optional<int64_t> floor = std::nullopt) {
    return nextid::mongo::request(name_, prefix, count, floor);
  }
  void expect_pruned(int64_t prefix, std::optional<int64_t> floor = std::nullopt) {
    expect_refused(store_->reserve(request(prefix, 1, floor)), ErrorCode::kPeriodPruned,
                   {std::to_string(prefix), "pruned", "clock", "set back"});
    EXPECT_EQ(counters(prefix), "[]");
  }
  // A counter whose maker died.
  void put_half_made(int64_t prefix, const std::string& count = "0", const std::string& making = kMaking) {
    const std::string fields = R"("prefix": )" + std::to_string(prefix) + R"(, "count": )" + count +
                               R"(, "making": )" + making + "}";
    database_->insert(name_.empty() ? "{" + fields
                                    : R"({"_id": "orders:)" + std::to_string(prefix) +
                                          R"(", "name": "orders", )" + fields);
  }
  std::string counters(int64_t prefix) {
    return database_->documents(R"({"prefix": )" + std::to_string(prefix) + "}", "ids",
                                R"({"_id": 0, "count": 1, "making": 1})");
  }
  std::string marks() { return database_->documents(R"({"_id": ")" + name_ + R"(:pruned"})"); }
  std::string mark_document(const std::string& marks) {
    return (name_.empty() ? R"([{"_id":":pruned","prefix":"pruned","pruned":{)"
                          : R"([{"_id":"orders:pruned","name":"orders","pruned":{)") +
           marks + "}}]";
  }
};

INSTANTIATE_TEST_SUITE_P(Any, MongoPrune, testing::Values("orders", ""),
                         [](const auto& info) { return info.param.empty() ? "Nameless" : "Named"; });

TEST_P(MongoPrune, RemovesWhatItIsToldAndSaysHowMany) {
  for (const int64_t prefix : {140601, 140602, 140603, 140604}) reserve(*store_, request(prefix));
  expect_value<int64_t>(store_->prune(name_, {140531, 140601, 140603}), 2);
  EXPECT_EQ(counters(140601), "[]");
  EXPECT_EQ(counters(140603), "[]");
  EXPECT_EQ(reserve(*store_, request(140602)), (Range{2, 3}));  // kept, though its period is closed
  EXPECT_EQ(reserve(*store_, request(140604)), (Range{2, 3}));
  EXPECT_EQ(marks(), mark_document(R"("day":)" + int64(140603)));
}

TEST_P(MongoPrune, NothingIsNothing) {
  expect_value<int64_t>(store_->prune(name_, {}), 0);
  EXPECT_EQ(database_->documents(), "[]");
}

TEST_P(MongoPrune, ManyAtOnce) {
  std::string documents;
  std::vector<int64_t> prefixes;
  for (int64_t i = 0; i < 2500; ++i) {
    const std::string prefix = std::to_string(10010100 + i);
    prefixes.push_back(10010100 + i);
    documents +=
        (i == 0 ? "{" : ", {") +
        (name_.empty() ? std::string() : R"("_id": "orders:)" + prefix + R"(", "name": "orders", )") +
        R"("prefix": )" + prefix + R"(, "count": 1})";
  }
  database_->insert(documents);
  prefixes.pop_back();
  expect_value<int64_t>(store_->prune(name_, prefixes), 2499);
  EXPECT_EQ(store_->list().value().size(), 1u);
}

TEST_P(MongoPrune, LeavesOtherSequencesAlone) {
  if (!name_.empty()) reserve(*store_, nextid::mongo::request("bills", 140601));
  const auto other = open_mongo(database_->url(), name_.empty() ? "other" : "ids");
  reserve(*other, nextid::mongo::request(name_.empty() ? "orders" : "bills", 140601));
  reserve(*store_, request(140601));
  expect_value<int64_t>(store_->prune(name_, {140601}), 1);
  EXPECT_EQ(reserve(*other, nextid::mongo::request(name_.empty() ? "orders" : "bills", 140602)),
            (Range{1, 2}));
  EXPECT_GE(reserve(*other, nextid::mongo::request(name_.empty() ? "orders" : "bills", 140601)).first, 2);
}

TEST_P(MongoPrune, AClosedPeriodDoesNotBeginAnew) {
  reserve(*store_, request(140601, 10));
  expect_value<int64_t>(store_->prune(name_, {140601}), 1);
  expect_pruned(140601);
  expect_pruned(140601, 11);  // its end is known
  expect_pruned(140530);      // an earlier one
  EXPECT_EQ(reserve(*store_, request(140602)), (Range{1, 2}));
}

TEST_P(MongoPrune, AMarkIsForOneKindOfPeriodAndNeverGoesBack) {
  store_->prune(name_, {140601});
  store_->prune(name_, {140501});
  store_->prune(name_, {1404});
  EXPECT_EQ(marks(), mark_document(R"("day":)" + int64(140601) + R"(,"month":)" + int64(1404)));
  expect_pruned(140601);
  expect_pruned(1404);
  for (const int64_t prefix : {140602, 1405, 14, 14010100}) {
    EXPECT_EQ(reserve(*store_, request(prefix)), (Range{1, 2}));
  }
}

TEST_P(MongoPrune, IsTheSameForAnotherStore) {
  store_->prune(name_, {140601});
  store_ = open_mongo(database_->url());
  expect_pruned(140601);
}

TEST_P(MongoPrune, APrunedPeriodIsRestoredOnRequestAlone) {
  AdvanceRequest advance{.counter = request(140601).counter, .next = 11};
  AdvanceRequest restore = advance;
  restore.restore = true;
  for (const bool half_made : {false, true}) {
    ASSERT_TRUE(store_->prune(name_, {140601}).ok());
    if (half_made) put_half_made(140601);
    if (!half_made) {
      expect_refused(store_->advance(advance), ErrorCode::kPeriodPruned,
                     {"nextid advance --store URL --restore --prefix 140601", "N (N: past"});
      expect_pruned(140601);
      restore.make = false;
      expect_stands_at(store_->advance(restore), std::nullopt);
      EXPECT_EQ(counters(140601), "[]");
    }
    restore.make = true;
    expect_stands_at(store_->advance(restore), 11);
    EXPECT_EQ(counters(140601), R"([{"count":)" + int64(10) + "}]");
    expect_value(store_->reserve(request(140601, 5)), Range{11, 16});
    expect_stands_at(store_->advance(restore), 16);
  }
}

TEST_P(MongoPrune, ADamagedMarkIsRefused) {
  const std::string id = "\"" + name_ + ":pruned\"";
  const std::string begin = R"({"_id": )" + id + (name_.empty() ? R"(, "prefix": "pruned", )" : ", ");
  for (const char* pruned : {R"("pruned": 5)", R"("pruned": {"day": "140601"})", R"("pruned": {"day": 1.5})",
                             R"("pruned": {"day": -1})", R"("pruned": [])", R"("pruned": null)"}) {
    database_->put(id, begin + pruned + "}");
    // What it says to run changes no mark that is sound.
    const std::vector<std::string> in_message = {":pruned'", "updateOne({", "$not"};
    expect_refused(store_->reserve(request(140602)), ErrorCode::kCounterInvalid, in_message);
    expect_refused(store_->prune(name_, {140602}), ErrorCode::kCounterInvalid, in_message);
    EXPECT_EQ(counters(140602), "[]");
  }
  database_->put(id, begin + R"("pruned": {"day": 140601.0}})");
  expect_pruned(140601);
  EXPECT_EQ(reserve(*store_, request(140602)), (Range{1, 2}));
}

// --- half-made counters --------------------------------------------------------------------------

TEST_P(MongoPrune, ACounterWhoseMakerDiedIsBegunByTheNext) {
  put_half_made(140602);
  EXPECT_EQ(reserve(*store_, request(140602, 5)), (Range{1, 6}));
  EXPECT_EQ(counters(140602), R"([{"count":)" + int64(5) + "}]");
}

TEST_P(MongoPrune, WhatOthersAlreadyCountedOfItIsNotGivenAgain) {
  for (const std::string& count : {int32(3), real("3.0")}) {
    database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
    put_half_made(140602, count);
    EXPECT_EQ(reserve(*store_, request(140602, 5)), (Range{4, 9}));
    EXPECT_EQ(counters(140602), R"([{"count":)" + int64(8) + "}]");
  }
}

TEST_P(MongoPrune, ACounterWhoseMakerDiedBeforeThePeriodWasClosedIsNotBegun) {
  store_->prune(name_, {140601});
  put_half_made(140601);
  expect_pruned(140601);
  put_half_made(140601);
  expect_pruned(140601, 5);
}

TEST_P(MongoPrune, RemovesHalfMadeOnesToo) {
  put_half_made(140601);
  expect_value<int64_t>(store_->prune(name_, {140601}), 1);
  expect_pruned(140601);
}

TEST_P(MongoPrune, AHalfMadeCounterIsNotListed) {
  put_half_made(140602);
  EXPECT_TRUE(store_->list().value().empty());
}

TEST_P(MongoPrune, AMakingThatIsNoneIsRefused) {
  put_half_made(140602, "0", "true");
  const std::string before = counters(140602);
  expect_refused(store_->reserve(request(140602)), ErrorCode::kCounterInvalid,
                 {"making", "the boolean true"});
  EXPECT_EQ(counters(140602), before);
}

TEST_P(MongoPrune, SixteenFindACounterWhoseMakerDied) {
  // Makes the index, which sixteen at once may wait for longer than for the counter.
  ASSERT_TRUE(store_->reserve(request(140601)).ok());
  for (int round = 0; round < 3; ++round) {
    database_->run(R"({"delete": "ids", "deletes": [{"q": {}, "limit": 0}]})");
    put_half_made(140602);
    const auto stores = open_many(*database_, 16);
    const auto ranges = reserve_in_threads(pointers(stores), 1, request(140602));
    ASSERT_EQ(ranges.size(), 16u);
    expect_side_by_side(ranges, 1, 1 + total(ranges));
  }
}

// Many reserve of periods that are being closed; each number of a period comes once at most, and not after
// prune() came back.
TEST_P(MongoPrune, WhileOthersReserve) {
  constexpr int64_t kFirst = 140101;
  constexpr int kPeriods = 40;
  std::mutex mutex;
  std::vector<std::vector<Range>> given(kPeriods);
  std::atomic<int> current{0};
  std::atomic<int> closed{-1};
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto store = open_mongo(database_->url());
      std::minstd_rand random(static_cast<unsigned>(i));
      while (current < kPeriods) {
        const int period = std::max(0, current - static_cast<int>(random() % 3));
        const bool was_closed = closed >= period;
        const auto range = reserve_in_the_end(*store, request(kFirst + period));
        if (range.ok()) {
          EXPECT_FALSE(was_closed);
          const std::lock_guard lock(mutex);
          given[static_cast<size_t>(period)].push_back(range.value());
        } else {
          EXPECT_EQ(range.error().code, ErrorCode::kPeriodPruned) << range.error().message;
        }
      }
    });
  }
  const auto has_begun = [&](int period) {
    const std::lock_guard lock(mutex);
    return !given[static_cast<size_t>(period)].empty();
  };
  const auto pruner = open_mongo(database_->url());
  for (int period = 0; period < kPeriods; ++period) {
    current = period;
    // Some after they have begun, however slow the server is; others before that, or meanwhile.
    while (period % 3 == 0 && !has_begun(period)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(period % 12));
    auto removed = pruner->prune(name_, {kFirst + period});
    while (!removed.ok() && removed.error().error_class == ErrorClass::kPassing) {
      removed = pruner->prune(name_, {kFirst + period});
    }
    EXPECT_TRUE(removed.ok()) << removed.error().message;
    closed = period;
  }
  current = kPeriods;
  for (std::thread& thread : threads) thread.join();
  size_t begun = 0;
  for (const auto& ranges : given) {
    expect_side_by_side(ranges, 1, 1 + total(ranges));
    begun += ranges.empty() ? 0 : 1;
  }
  EXPECT_GT(begun, 5u);
  EXPECT_EQ(store_->list().value().size(), 0u);
}

// --- stalls, between any two commands --------------------------------------------------------------

// A real store's state, as far as the protocol needs it, behind a scripted server: what happens between the
// commands of one reservation is up to the test.
class StalledMaker {
 public:
  // `happening` is called before the nth command of the maker, from 1. `shared`: the document holds a plain
  // counter too.
  explicit StalledMaker(std::function<void(StalledMaker&, int nth)> happening, bool shared = false)
      : happening_(std::move(happening)),
        shared_(shared),
        server_([this](const std::string& command, const std::string& json, int) {
          happening_(*this, ++commands_);
          return answer(command, json);
        }) {}

  Result<Range> reserve() { return open_mongo(server_.url())->reserve(request("orders", 140601)); }

  // Somebody prunes.
  void write_mark() { mark_ = 140601; }
  void remove_counter() { counter_.clear(); }
  // Another process makes the counter that far, and dies.
  void half_make(const std::string& making) { counter_ = making; }

  // `making` of the counter, "begun", or empty if there is none.
  std::string counter() const { return counter_; }
  int commands() const { return commands_; }

 private:
  static std::string between(const std::string& text, const std::string& from, const std::string& to) {
    const size_t begin = text.find(from);
    if (begin == std::string::npos) return "";
    return text.substr(begin + from.size(), text.find(to, begin + from.size()) - begin - from.size());
  }
  static std::string found(const std::string& documents) {
    return R"({"ok": 1, "cursor": {"ns": "db.ids", "id": {"$numberLong": "0"}, "firstBatch": [)" + documents +
           "]}}";
  }

  FakeMongoServer::Reply answer(const std::string& command, const std::string& json) {
    const std::string making = between(json, R"("making" : { "$oid" : ")", "\"");
    if (command == "find" && json.find(":pruned") != std::string::npos) {
      return found(
          mark_ == 0 ? "" : R"({"_id": "orders:pruned", "pruned": {"day": )" + std::to_string(mark_) + "}}");
    }
    if (command == "find") {
      if (counter_.empty()) return found(shared_ ? R"({"_id": "orders:140601", "index": 5})" : "");
      if (counter_ == "begun") return found(R"({"_id": "orders:140601", "count": 1})");
      return found(R"({"_id": "orders:140601", "count": 0, "making": {"$oid": ")" + counter_ + R"("}})");
    }
    if (command == "delete" || json.find(R"("multi" : true)") != std::string::npos) {
      const bool fits = (command == "update") == shared_ && !counter_.empty() && counter_ == making;
      if (fits) counter_.clear();
      return std::string(R"({"ok": 1, "n": )") + (fits ? "1}" : "0}");
    }
    if (command == "update") {
      if (counter_.empty()) counter_ = making;
      return R"({"ok": 1, "n": 1})";
    }
    const bool fits = making.empty() ? counter_ == "begun" : counter_ == making;
    if (!fits) return R"({"ok": 1, "value": null})";
    counter_ = "begun";
    return R"({"ok": 1, "value": {"count": 1}})";
  }

  const std::function<void(StalledMaker&, int)> happening_;
  const bool shared_;
  std::string counter_;
  int64_t mark_ = 0;
  int commands_ = 0;
  FakeMongoServer server_;
};

constexpr const char* kOther = "54a1b2c3d4e5f60718293a4c";

TEST(MongoPruneStall, WithoutOneTheCounterIsBegun) {
  StalledMaker maker([](auto&&...) {});
  const auto range = maker.reserve();
  ASSERT_TRUE(range.ok()) << range.error().message;
  EXPECT_EQ(range.value(), (Range{1, 2}));
  EXPECT_EQ(maker.counter(), "begun");
  EXPECT_LE(maker.commands(), 7);
}

// The mark before one command and the removal before another, in all orders that prune() can do it.
TEST(MongoPruneStall, APeriodThatIsClosedMeanwhileIsNeverBegunAfterwards) {
  for (int mark = 1; mark <= 8; ++mark) {
    for (int removal = mark; removal <= 9; ++removal) {
      for (const int variant : {0, 1, 2, 3}) {
        const bool other = variant % 2 == 1;
        const bool shared = variant >= 2;
        bool pruned = false;
        const auto happening = [&](StalledMaker& state, int nth) {
          if (nth == mark) state.write_mark();
          if (nth == removal) {
            state.remove_counter();
            pruned = true;
            // Another maker, that stalled on its way to the server before all that.
            if (other) state.half_make(kOther);
          }
        };
        StalledMaker maker(happening, shared);
        const auto range = maker.reserve();
        const std::string what = std::to_string(mark) + " " + std::to_string(removal);
        if (pruned) {
          EXPECT_NE(maker.counter(), "begun") << what;
          ASSERT_FALSE(range.ok()) << what;
          EXPECT_EQ(range.error().code, ErrorCode::kPeriodPruned) << what;
        } else if (!range.ok()) {
          EXPECT_EQ(range.error().code, ErrorCode::kPeriodPruned) << what;
          EXPECT_EQ(maker.counter(), "") << what;
        }
      }
    }
  }
}

TEST(MongoPruneStall, AnotherThatBeginsItMeanwhileIsJoined) {
  for (int nth = 1; nth <= 7; ++nth) {
    StalledMaker maker([&](StalledMaker& state, int command) {
      if (command == nth && state.counter() != "begun") state.half_make(kOther);
    });
    const auto range = maker.reserve();
    ASSERT_TRUE(range.ok()) << range.error().message;
    EXPECT_EQ(maker.counter(), "begun");
  }
}

// The mark is written, and with certainty, before anything is removed.
TEST(MongoPruneStall, AMarkThatMayBeRolledBackRemovesNothing) {
  const std::string begin = R"({"ok": 1, "n": 1)";
  for (const std::string& end :
       {std::string(R"(, "writeConcernError": {"code": 64, "errmsg": "waiting timed out"}})"),
        std::string("}")}) {
    FakeMongoServer server([&](const std::string& command, auto&&...) -> FakeMongoServer::Reply {
      if (command == "update") return begin + end;
      if (command == "delete") return R"({"ok": 1, "n": 1})";
      return R"({"ok": 1, "cursor": {"ns": "db.ids", "id": {"$numberLong": "0"}, "firstBatch": []}})";
    });
    const auto removed = open_mongo(server.url())->prune("orders", {140601});
    EXPECT_EQ(removed.ok(), end == "}");
    EXPECT_EQ(server.count("delete"), end == "}" ? 1 : 0);
    if (!removed.ok()) {
      EXPECT_EQ(removed.error().error_class, ErrorClass::kDoubtful);
    }
    for (const std::string& command : server.commands()) {
      if (command.starts_with("find ")) continue;
      EXPECT_NE(command.find(R"("writeConcern" : { "w" : "majority")"), std::string::npos) << command;
    }
  }
}

}  // namespace
}  // namespace nextid::mongo
