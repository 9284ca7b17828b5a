// What no real server can be brought to do on demand: a scripted server does it.

#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "native/mongo/database.h"
#include "native/mongo/fake_server.h"

namespace nextid::mongo {
namespace {

using How = FakeMongoServer::How;
using Kind = FakeMongoServer::Kind;
using Reply = FakeMongoServer::Reply;

const CounterKey kOrders{.name = "orders"};
const ReserveRequest kRequest{.counter = kOrders, .count = 10, .floor = std::nullopt};

// findAndModify's reply: where the counter stands now.
std::string standing(const std::string& index, const std::string& more = "") {
  return R"({"ok": 1, "value": {"index": )" + index + "}" + more + "}";
}
const char* const kNoSuchCounter = R"({"ok": 1, "value": null})";

// find's reply: the documents, and whether there are more.
std::string batch(const std::string& documents, bool more = false) {
  return R"({"ok": 1, "cursor": {"ns": "db.ids", "id": {"$numberLong": ")" + std::string(more ? "77" : "0") +
         R"("}, "firstBatch": [)" + documents + "]}}";
}

std::string server_error(int code, const std::string& message = "it says no") {
  return R"({"ok": 0, "code": )" + std::to_string(code) + R"(, "errmsg": ")" + message + R"("})";
}

// Such an error, with the label by which a server says that a driver may repeat the write.
std::string retryable_error(int code) {
  return R"({"ok": 0, "code": )" + std::to_string(code) +
         R"(, "errmsg": "it says no", "errorLabels": ["RetryableWriteError"]})";
}

// A script that replies to every command alike.
FakeMongoServer::Script always(const Reply& reply) {
  return [reply](auto&&...) { return reply; };
}

// A script that fails the first command of a name and afterwards does as `then`.
FakeMongoServer::Script first(const Reply& reply, const Reply& then) {
  return [=](const std::string&, const std::string&, int nth) { return nth == 1 ? reply : then; };
}

template <typename T>
void expect_error(const Result<T>& result, ErrorCode code, ErrorClass error_class, int64_t lost = 0) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, code) << result.error().message;
  EXPECT_EQ(result.error().error_class, error_class) << result.error().message;
  EXPECT_EQ(result.error().lost, lost);
}

void expect_range(const Result<Range>& result, Range range) {
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value(), range);
}

// --- what is sent --------------------------------------------------------------------------------

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(MongoCommands, OneRoundTripReservesAndAsksForAMajorityAndTheJournal) {
  FakeMongoServer server(always(standing("21")));
  expect_range(open_mongo(server.url())->reserve(kRequest), Range{11, 21});
  ASSERT_EQ(server.commands().size(), 1u);
  const std::string command = server.commands()[0];
  EXPECT_TRUE(has(command, R"("findAndModify" : "ids")")) << command;
  EXPECT_TRUE(has(command, R"("w" : "majority", "j" : true, "wtimeout" : { "$numberInt" : "4000" })") ||
              has(command, R"("w" : "majority", "j" : true, "wtimeout" : { "$numberLong" : "4000" })"))
      << command;
}

TEST(MongoCommands, TheServerGivesUpBeforeWeDo) {
  FakeMongoServer server(always(standing("21")));
  expect_range(open_mongo(server.url("socketTimeoutMS=1000"))->reserve(kRequest), Range{11, 21});
  EXPECT_TRUE(has(server.commands().at(0), R"(: "800" })")) << server.commands()[0];
}

TEST(MongoCommands, TheServerDoesNotWaitForOthersAsLongAsItMayTakeToAnswer) {
  FakeMongoServer server(always(standing("21")));
  expect_range(open_mongo(server.url("socketTimeoutMS=60000"))->reserve(kRequest), Range{11, 21});
  EXPECT_TRUE(has(server.commands().at(0), R"(: "4000" })")) << server.commands()[0];
}

TEST(MongoCommands, TheUrlMayAskForLess) {
  FakeMongoServer server(always(standing("21")));
  expect_range(open_mongo(server.url("w=1&journal=false&wtimeoutMS=77"))->reserve(kRequest), Range{11, 21});
  const std::string command = server.commands().at(0);
  EXPECT_TRUE(has(command, R"("w" : { "$numberInt" : "1" }, "j" : false)")) << command;
  EXPECT_TRUE(has(command, R"(: "77" })")) << command;
}

TEST(MongoCommands, EveryWriteAsksForIt) {
  FakeMongoServer server([](const std::string& command, const std::string&, int nth) -> Reply {
    if (command == "findAndModify") return nth == 1 ? kNoSuchCounter : standing("21");
    return command == "find" ? batch("") : R"({"ok": 1, "n": 1})";
  });
  const auto store = open_mongo(server.url());
  EXPECT_TRUE(store->reserve(kRequest).ok());
  EXPECT_TRUE(store->release(kOrders, Range{11, 21}).ok());
  EXPECT_TRUE(store->advance("orders", 5).ok());
  int writes = 0;
  for (const std::string& command : server.commands()) {
    if (command.starts_with("find ")) continue;
    ++writes;
    EXPECT_TRUE(has(command, R"("writeConcern" : { "w" : "majority")")) << command;
  }
  EXPECT_EQ(writes, 5);
}

TEST(MongoCommands, ReadsGoToThePrimaryWhateverTheUrlSays) {
  FakeMongoServer server(
      [](const std::string& command, auto&&...) -> Reply {
        return command == "find" ? Reply(batch("")) : Reply(kNoSuchCounter);
      },
      Kind::kPrimary);
  const auto store = open_mongo(server.url("readPreference=secondary"));
  expect_error(store->reserve({.counter = kOrders, .count = 10, .floor = 100}), ErrorCode::kSequenceMissing,
               ErrorClass::kFinal);
  EXPECT_TRUE(store->list().ok());
  EXPECT_EQ(server.count("find"), 3);
}

TEST(MongoCommands, NothingIsSaidAtTheEnd) {
  FakeMongoServer server(always(standing("21")));
  open_mongo(server.url())->reserve(kRequest);
  EXPECT_EQ(server.count("endSessions"), 0);
}

// --- connections ---------------------------------------------------------------------------------

TEST(MongoConnection, IsKeptForTheNextOperation) {
  FakeMongoServer server(always(standing("21")));
  const auto store = open_mongo(server.url());
  for (int i = 0; i < 5; ++i) expect_range(store->reserve(kRequest), Range{11, 21});
  EXPECT_EQ(server.connections(), 1);
}

TEST(MongoConnection, IsNotUsedAgainAfterAnError) {
  FakeMongoServer server(first(server_error(10107), standing("21")));
  const auto store = open_mongo(server.url());
  expect_error(store->reserve(kRequest), ErrorCode::kStoreUnavailable, ErrorClass::kPassing);
  expect_range(store->reserve(kRequest), Range{11, 21});
  EXPECT_EQ(server.connections(), 2);
}

TEST(MongoConnection, ThatIsIdleIsNotUsedAgainAfterAnErrorOfAnother) {
  std::latch both(2);  // so that two connections are needed
  FakeMongoServer server([&](auto&&, auto&&, int nth) -> Reply {
    if (nth <= 2) both.arrive_and_wait();
    return nth == 3 ? server_error(10107) : standing("21");
  });
  const auto store = open_mongo(server.url());
  std::thread other([&] { expect_range(store->reserve(kRequest), Range{11, 21}); });
  expect_range(store->reserve(kRequest), Range{11, 21});
  other.join();
  EXPECT_FALSE(store->reserve(kRequest).ok());
  EXPECT_EQ(server.connections(), 2);
  expect_range(store->reserve(kRequest), Range{11, 21});
  EXPECT_EQ(server.connections(), 3);
}

TEST(MongoConnection, AServerThatIsBackIsFoundAtOnce) {
  auto server = std::make_unique<FakeMongoServer>(always(standing("21")));
  const int port = server->port();
  const auto store = open_mongo(server->url());
  expect_range(store->reserve(kRequest), Range{11, 21});
  server.reset();
  EXPECT_FALSE(store->reserve(kRequest).ok());
  EXPECT_FALSE(store->reserve(kRequest).ok());
  server = std::make_unique<FakeMongoServer>(always(standing("31")), Kind::kStandalone, port);
  expect_range(store->reserve(kRequest), Range{21, 31});
}

TEST(MongoConnection, ThatIsTakenAndNeverAnsweredWasNeverUsed) {
  FakeMongoServer server(always(standing("21")));
  server.ignore_greetings();
  const auto store =
      open_mongo("mongodb://127.0.0.1:" + std::to_string(server.port()) + "/db?connectTimeoutMS=200");
  expect_error(store->reserve(kRequest), ErrorCode::kStoreUnavailable, ErrorClass::kPassing);
  expect_error(store->release(kOrders, Range{1, 2}), ErrorCode::kStoreUnavailable, ErrorClass::kPassing);
  EXPECT_TRUE(server.commands().empty());
}

// --- outcomes that nobody knows ------------------------------------------------------------------

TEST(MongoDoubt, ARequestThatIsNotAnswered) {
  FakeMongoServer server(always(How::kSilence));
  const auto store = open_mongo(server.url("socketTimeoutMS=200"));
  expect_error(store->reserve(kRequest), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful);
  expect_error(store->release(kOrders, Range{1, 2}), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful);
  expect_error(store->advance("orders", 5), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful);
  expect_error(store->list(), ErrorCode::kStoreUnavailable, ErrorClass::kPassing);  // reads change nothing
}

TEST(MongoDoubt, AConnectionThatEndsAfterTheRequest) {
  FakeMongoServer server(always(How::kClose));
  const auto store = open_mongo(server.url());
  expect_error(store->reserve(kRequest), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful);
  expect_error(store->release(kOrders, Range{1, 2}), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful);
}

TEST(MongoDoubt, AReplyThatCannotBeRead) {
  for (const Reply& reply :
       {Reply(How::kAnswerCutOff, standing("21")),
        Reply(How::kAnswerDamaged, standing("21", R"(, "x": 1, "writeConcernError": {"code": 64})")),
        Reply(R"({"ok": 1})"), Reply(R"({"ok": 1, "value": 21})"), Reply(R"({"ok": 1, "value": []})"),
        Reply("{}")}) {
    FakeMongoServer server(always(reply));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
                 ErrorClass::kDoubtful);
  }
}

TEST(MongoDoubt, AReplyWithAValueThatCannotBe) {
  for (const char* index :
       {R"("21")", "1.5", "-1", "9", "null", "[21]", "{}", R"({"$numberDouble": "1e300"})"}) {
    FakeMongoServer server(always(standing(index)));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
                 ErrorClass::kDoubtful, 10);
  }
  FakeMongoServer server(always(standing("105")));  // 95 to 104: below the floor
  expect_error(open_mongo(server.url())->reserve({.counter = kOrders, .count = 10, .floor = 100}),
               ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, 10);
}

TEST(MongoDoubt, AReplyWithAValueThatCannotBeOfAnotherKind) {
  for (const CounterKind& kind : std::vector<CounterKind>{Dated{140625}, Cyclic{99}, Timestamped{}}) {
    for (const char* number : {R"("21")", "1.5", "-1", "null", "[21]", "{}"}) {
      const std::string field = number;
      FakeMongoServer server(always(R"({"ok": 1, "value": {"count": )" + field + R"(, "val": )" + field +
                                    R"(, "slot": )" + field + "}}"));
      expect_error(
          open_mongo(server.url())
              ->reserve({.counter = {.name = "orders", .kind = kind}, .count = 10, .floor = std::nullopt}),
          ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, 10);
    }
  }
  const auto with = [](const std::string& value) { return always(R"({"ok": 1, "value": )" + value + "}"); };
  FakeMongoServer past_the_end(with(R"({"val": 100})"));
  expect_error(
      open_mongo(past_the_end.url())
          ->reserve({.counter = {.name = "orders", .kind = Cyclic{99}}, .count = 10, .floor = std::nullopt}),
      ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, 10);
  FakeMongoServer below_the_clock(with(R"({"slot": 500})"));
  expect_error(open_mongo(below_the_clock.url())
                   ->reserve({.counter = {.name = "orders", .kind = Timestamped{}},
                              .count = 10,
                              .floor = std::nullopt,
                              .clock = [] { return int64_t{1000}; }}),
               ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, 10);
}

TEST(MongoDoubt, AReleaseWhoseReplyCannotBeRead) {
  for (const Reply& reply : {Reply(How::kAnswerCutOff, R"({"ok": 1, "n": 1})"), Reply(R"({"ok": 1})")}) {
    FakeMongoServer server(always(reply));
    expect_error(open_mongo(server.url())->release(kOrders, Range{1, 2}), ErrorCode::kStoreUnavailable,
                 ErrorClass::kDoubtful);
    EXPECT_EQ(server.count("update"), 1);
  }
}

TEST(MongoDoubt, AnErrorThatNobodyKnows) {
  for (const int code : {1, 4567, 91, 11600, 262, 89}) {
    FakeMongoServer server(always(server_error(code)));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
                 ErrorClass::kDoubtful);
  }
}

// --- the write concern ---------------------------------------------------------------------------

std::string unconfirmed(int code) {
  return R"(, "writeConcernError": {"code": )" + std::to_string(code) + R"(, "errmsg": "waiting timed out"})";
}

TEST(MongoWriteConcern, ARangeThatMayBeRolledBackIsThrownAway) {
  FakeMongoServer server(first(standing("21", unconfirmed(64)), standing("31")));
  const auto store = open_mongo(server.url());
  const auto range = store->reserve(kRequest);
  expect_error(range, ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, 10);
  EXPECT_TRUE(has(range.error().message, "waiting timed out"));
  ASSERT_TRUE(range.error().driver);
  EXPECT_EQ(range.error().driver->code, 64);
  expect_range(store->reserve(kRequest), Range{21, 31});
}

TEST(MongoWriteConcern, HoldsForEveryKind) {
  for (const CounterKind& kind : std::vector<CounterKind>{Dated{140625}, Cyclic{99}, Timestamped{}}) {
    const std::string value = R"({"count": 21, "val": 21, "slot": 2000000021})";
    const std::string begin = R"({"ok": 1, "value": )" + value;
    FakeMongoServer server(first(begin + unconfirmed(64) + "}", begin + "}"));
    const auto store = open_mongo(server.url());
    const ReserveRequest asked{
        .counter = {.name = "orders", .kind = kind}, .count = 10, .floor = std::nullopt, .clock = [] {
          return int64_t{2'000'000'012};
        }};
    expect_error(store->reserve(asked), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, 10);
    const int64_t base = is<Timestamped>(kind) ? 2'000'000'000 : 0;
    expect_range(store->reserve(asked), Range{base + 12, base + 22});
    const std::string command = server.commands().at(0);
    EXPECT_TRUE(
        has(command, is<Dated>(kind) ? R"("findAndModify" : "ids")" : R"("findAndModify" : "counters")"));
    EXPECT_TRUE(has(command, R"("writeConcern" : { "w" : "majority")")) << command;
    EXPECT_FALSE(has(command, "upsert")) << command;
  }
}

TEST(MongoWriteConcern, ThatCanNeverBeMetIsFinal) {
  for (const int code : {79, 100}) {
    FakeMongoServer server(always(standing("21", unconfirmed(code))));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
                 10);
  }
}

TEST(MongoWriteConcern, ARequestThatChangedNothingLosesNothing) {
  FakeMongoServer server(always(std::string(R"({"ok": 1, "value": null)") + unconfirmed(64) + "}"));
  expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
               ErrorClass::kDoubtful, 0);
}

TEST(MongoWriteConcern, AReleaseThatMayBeRolledBackIsDoubtful) {
  FakeMongoServer server(always(std::string(R"({"ok": 1, "n": 1)") + unconfirmed(64) + "}"));
  expect_error(open_mongo(server.url())->release(kOrders, Range{1, 2}), ErrorCode::kStoreUnavailable,
               ErrorClass::kDoubtful);
}

TEST(MongoWriteConcern, ACounterWhoseMakingMayBeRolledBackIsNotCountedOn) {
  FakeMongoServer server([](const std::string& command, auto&&...) -> Reply {
    if (command == "findAndModify") return kNoSuchCounter;
    return command == "find" ? batch("") : std::string(R"({"ok": 1, "n": 1)") + unconfirmed(64) + "}";
  });
  expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
               ErrorClass::kDoubtful);
  EXPECT_EQ(server.count("findAndModify"), 1);
}

// --- what the driver repeats ---------------------------------------------------------------------

TEST(MongoRetry, ReservingIsRepeatedOnceUnderTheSameNumber) {
  FakeMongoServer server(first(retryable_error(10107), standing("21")), Kind::kPrimary);
  expect_range(open_mongo(server.url())->reserve(kRequest), Range{11, 21});
  const auto commands = server.commands();
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_TRUE(has(commands[0], R"("txnNumber" : { "$numberLong" : "1" })")) << commands[0];
  EXPECT_EQ(commands[0], commands[1]);
}

TEST(MongoRetry, ARefusalAfterARepetitionIsDoubtful) {
  FakeMongoServer server(first(How::kClose, retryable_error(10107)), Kind::kPrimary);
  expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
               ErrorClass::kDoubtful);
  EXPECT_EQ(server.count("findAndModify"), 2);
}

TEST(MongoRetry, GivingBackIsSentOnce) {
  for (const Reply& reply : {Reply(How::kClose), Reply(retryable_error(10107)), Reply(retryable_error(91)),
                             Reply(std::string(R"({"ok": 1, "n": 1)") + unconfirmed(91) + "}")}) {
    FakeMongoServer server(always(reply), Kind::kPrimary);
    EXPECT_FALSE(open_mongo(server.url())->release(kOrders, Range{1, 2}).ok());
    EXPECT_EQ(server.count("update"), 1);
  }
}

TEST(MongoRetry, MayBeTurnedOff) {
  FakeMongoServer server(always(retryable_error(10107)), Kind::kPrimary);
  expect_error(open_mongo(server.url("retryWrites=false"))->reserve(kRequest), ErrorCode::kStoreUnavailable,
               ErrorClass::kPassing);
  EXPECT_EQ(server.count("findAndModify"), 1);
}

// --- a server's errors ---------------------------------------------------------------------------

TEST(MongoServerError, ThatWasRefusedBeforeAnythingWasDonePasses) {
  for (const int code : {10107, 13435, 13436, 10058, 112, 26, 24, 11000}) {
    FakeMongoServer server(always(server_error(code)));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
                 ErrorClass::kPassing);
  }
  for (const auto& [code, message] :
       {std::pair{1, "deadlock detected"}, std::pair{16908292, "deadlock detected"},
        std::pair{1, "Unable to create the specified collection."}}) {
    FakeMongoServer server(always(server_error(code, message)));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
                 ErrorClass::kPassing);
  }
}

TEST(MongoServerError, ThatNoWaitingHealsIsFinal) {
  for (const int code : {2, 9, 14, 20, 59, 72, 73, 79, 100, 115, 121, 166}) {
    FakeMongoServer server(always(server_error(code)));
    const auto range = open_mongo(server.url())->reserve(kRequest);
    expect_error(range, ErrorCode::kStoreInvalid, ErrorClass::kFinal);
    EXPECT_TRUE(has(range.error().message, "it says no (code " + std::to_string(code) + ")"))
        << range.error().message;
    EXPECT_TRUE(has(range.error().message, "mongodb://127.0.0.1:" + std::to_string(server.port()) + "/db"));
    EXPECT_EQ(range.error().driver->message, "it says no");
    EXPECT_EQ(range.error().driver->code, code);
  }
}

TEST(MongoServerError, ThatDeniesAccessIsFinal) {
  for (const int code : {13, 18, 8000}) {
    FakeMongoServer server(always(server_error(code)));
    expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kAccessDenied, ErrorClass::kFinal);
  }
}

TEST(MongoServerError, OfASingleWriteIsSeen) {
  const auto script = [](int code) {
    return [code](const std::string& command, auto&&...) -> Reply {
      if (command == "findAndModify") return kNoSuchCounter;
      if (command == "find") return batch("");
      return R"({"ok": 1, "n": 0, "writeErrors": [{"index": 0, "code": )" + std::to_string(code) +
             R"(, "errmsg": "no"}]})";
    };
  };
  FakeMongoServer invalid(script(121));
  expect_error(open_mongo(invalid.url())->reserve(kRequest), ErrorCode::kStoreInvalid, ErrorClass::kFinal);
  FakeMongoServer unknown(script(4567));
  expect_error(open_mongo(unknown.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
               ErrorClass::kDoubtful);
}

// --- others at the same counter ------------------------------------------------------------------

TEST(MongoContention, ACounterThatSomebodyElseMadeIsCountedOn) {
  for (const char* conflict :
       {R"({"ok": 1, "n": 0, "writeErrors": [{"index": 0, "code": 11000, "errmsg": "duplicate"}]})",
        R"({"ok": 0, "code": 11000, "errmsg": "duplicate"})",
        R"({"ok": 0, "code": 1, "errmsg": "conflicting key value violates exclusion constraint \"x\""})",
        R"({"ok": 0, "code": 1, "errmsg": "deadlock detected"})"}) {
    FakeMongoServer server([conflict](const std::string& command, const std::string&, int nth) -> Reply {
      if (command == "findAndModify") return nth == 1 ? kNoSuchCounter : standing("11");
      return command == "find" ? Reply(batch("")) : Reply(conflict);
    });
    expect_range(open_mongo(server.url())->reserve(kRequest), Range{1, 11});
  }
}

TEST(MongoContention, ACounterThatNeverStandsStillIsGivenUpForNow) {
  FakeMongoServer server([](const std::string& command, auto&&...) -> Reply {
    if (command == "findAndModify") return kNoSuchCounter;
    return batch(R"({"_id": "orders", "index": 5})");
  });
  expect_error(open_mongo(server.url())->reserve(kRequest), ErrorCode::kStoreUnavailable,
               ErrorClass::kPassing);
  EXPECT_LE(server.count("findAndModify"), 100);
}

// --- lists that break off ------------------------------------------------------------------------

TEST(MongoList, ThatBreaksOffIsAnErrorAndHangsNowhere) {
  const std::string begin = batch(R"({"_id": "a", "index": 1})", true);
  for (const Reply& reply : {Reply(How::kClose), Reply(How::kSilence), Reply(server_error(43))}) {
    FakeMongoServer server(
        [=](const std::string& command, auto&&...) { return command == "find" ? Reply(begin) : reply; });
    expect_error(open_mongo(server.url("socketTimeoutMS=200"))->list(), ErrorCode::kStoreUnavailable,
                 ErrorClass::kPassing);
    EXPECT_EQ(server.count("killCursors"), 0);
  }
}

}  // namespace
}  // namespace nextid::mongo
