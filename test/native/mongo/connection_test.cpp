// URLs, logins, TLS, hosts that are not there; and that no error shows a password.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "native/mongo/database.h"
#include "native/mongo/fake_server.h"
#include "native/temp_dir.h"
#include "stores/mongo/mongo_uri.h"

namespace nextid::mongo {
namespace {

const ReserveRequest kRequest{.counter = {.name = "orders"}, .count = 10, .floor = std::nullopt};

void expect_in(const Error& error, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(error.message.find(part), std::string::npos) << part << "\nis not in\n" << error.message;
  }
}

void expect_no_secret(const Error& error, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    EXPECT_EQ(error.message.find(secret), std::string::npos) << secret << "\nis in\n" << error.message;
    if (!error.driver) continue;
    EXPECT_EQ(error.driver->message.find(secret), std::string::npos) << secret << "\nis in\n"
                                                                     << error.driver->message;
  }
}

// The error of a URL that is refused before anything is connected.
Error refused(const std::string& url, const std::vector<std::string>& secrets = {},
              const std::string& collection = "ids") {
  const auto store = make_store(checked(url, secrets), collection, "counters");
  if (store.ok()) throw std::runtime_error(url + " was taken");
  EXPECT_EQ(store.error().code, ErrorCode::kStoreInvalid);
  EXPECT_EQ(store.error().error_class, ErrorClass::kFinal);
  return store.error();
}

// The error of a first reservation.
Error failed(const std::string& url, const std::vector<std::string>& secrets = {}) {
  const auto range = make_store(checked(url, secrets), "ids", "counters").take()->reserve(kRequest);
  if (range.ok()) throw std::runtime_error(url + " worked");
  EXPECT_EQ(range.error().driver.value_or(DriverError{}).name, "MongoError");
  EXPECT_EQ(range.error().lost, 0);
  return range.error();
}

// --- URLs ----------------------------------------------------------------------------------------

TEST(MongoUrl, IsReadWithoutConnecting) {
  for (const char* url : {"mongodb://localhost/shop", "mongodb://a,b:27018/shop?replicaSet=rs",
                          "mongodb://user:pa%40ss@[::1]:27017/shop?authSource=admin&tls=true",
                          "mongodb+srv://cluster0.example.invalid/shop?retryWrites=true&w=majority",
                          "mongodb://%2Ftmp%2Fmongodb-27017.sock/shop"}) {
    EXPECT_TRUE(make_store(checked(url), "ids", "counters").ok()) << url;
  }
}

TEST(MongoUrl, IsRefusedWhereTheServerWouldNotConfirmWrites) {
  for (const char* option : {"w=0", "w=-1", "safe=false"}) {
    EXPECT_EQ(refused(std::string("mongodb://me:hush@localhost/shop?") + option).message,
              "the URL mongodb://localhost/shop asks for writes that the server does not confirm (w=0): "
              "expected w=majority, the default; leave w and safe out");
  }
}

TEST(MongoUrl, IsRefusedWithAnOptionThatLibmongocDoesNotKnow) {
  expect_in(
      refused("mongodb://localhost/shop?tsl=true"),
      {"the URL mongodb://localhost/shop has an option", "\"tsl\"", ": expected options", "; leave it out"});
}

TEST(MongoUrl, IsRefusedWhereLibmongocCannotReadIt) {
  expect_in(
      refused("mongodb://localhost/shop?connectTimeoutMS=soon"),
      {"the URL mongodb://localhost/shop cannot be read", "\"connecttimeoutms\": \"soon\"", ": expected "});
  expect_in(refused("mongodb://localhost/shop?tls=perhaps"), {"tls", "perhaps"});
  expect_in(refused("mongodb://localhost:port/shop"), {"Invalid host"});
}

TEST(MongoUrl, TheCollectionNeedsAName) {
  expect_in(refused("mongodb://localhost/shop", {}, ""), {"collection"});
  expect_in(refused("mongodb://localhost/shop", {}, std::string("a\0b", 3)), {"collection"});
}

TEST(MongoUrl, SecretsAreHiddenInWhatLibmongocSays) {
  expect_in(refused("mongodb://localhost/shop?tls=hush", {"hush"}), {"\"tls\": \"***\""});
  expect_in(refused("mongodb://localhost/shop?hush=1", {"hush"}), {"\"***\""});
}

TEST(MongoUrl, SecretsAreHiddenWherever) {
  const auto scrubbed = [](const std::vector<std::string>& secrets, const char* text) {
    MongoUri uri;
    EXPECT_FALSE(uri.parse(checked("mongodb://localhost/shop", secrets)));
    return uri.scrub(text);
  };
  EXPECT_EQ(scrubbed({"hush"}, "hush, or hush?hush"), "***, or ***?***");
  EXPECT_EQ(scrubbed({"hush"}, "hus hush hus"), "hus *** hus");
  EXPECT_EQ(scrubbed({"hush", "hush!"}, "hush! hush"), "*** ***");
  EXPECT_EQ(scrubbed({"hush!", "hush"}, "hush! hush"), "*** ***");
  EXPECT_EQ(scrubbed({"abc", "cde"}, "-abcde-"), "-***-");
  EXPECT_EQ(scrubbed({"aa"}, "aaa"), "***");
  EXPECT_EQ(scrubbed({"*"}, "a*b"), "a***b");
  EXPECT_EQ(scrubbed({}, "hush"), "hush");
  EXPECT_EQ(scrubbed({"hush"}, ""), "");
}

// --- logins --------------------------------------------------------------------------------------

class MongoLogin : public WithMongoServer {
 protected:
  void SetUp() override {
    WithMongoServer::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (!environment("NEXTID_TEST_MONGODB_AUTH_URL").empty()) return;
    if (environment("NEXTID_REQUIRE_ALL") == "1") FAIL() << "NEXTID_TEST_MONGODB_AUTH_URL is not set";
    GTEST_SKIP()
        << "SKIPPED: needs a MongoDB server with logins, and NEXTID_TEST_MONGODB_AUTH_URL is not set";
  }

  static std::string auth_url(const std::string& options = "") {
    return with_database(environment("NEXTID_TEST_MONGODB_AUTH_URL"), database_, add_source(options));
  }
  static std::string tls_url(const std::string& options = "") {
    return with_database(environment("NEXTID_TEST_MONGODB_TLS_URL"), database_, add_source(options));
  }
  // The user is one of the database admin.
  static std::string add_source(const std::string& options) {
    return "authSource=admin" + (options.empty() ? "" : "&" + options);
  }
  // `url` with `credentials` (`user:password@`) in the place of its own.
  static std::string with_credentials(const std::string& url, const std::string& credentials) {
    const size_t start = url.find("://") + 3;
    return url.substr(0, start) + credentials + url.substr(url.find('@') + 1);
  }
  // `url` without an option that ends it or stands before a &.
  static std::string without_option(std::string url, const std::string& name) {
    const size_t from = url.find(name + "=");
    const size_t to = url.find('&', from);
    return url.erase(from, to == std::string::npos ? std::string::npos : to - from + 1);
  }

  static inline std::unique_ptr<MongoDatabase> cleaner_;
  static inline std::string database_;
  static void SetUpTestSuite() {
    if (environment("MONGODB_URL").empty()) return;
    cleaner_ = std::make_unique<MongoDatabase>();  // on the same server: drops it at the end
    database_ = cleaner_->name();
  }
  static void TearDownTestSuite() { cleaner_.reset(); }
};

TEST_F(MongoLogin, WorksWithAPasswordThatIsEncodedInTheUrl) {
  const auto range = open_mongo(auth_url())->reserve(kRequest);
  ASSERT_TRUE(range.ok()) << range.error().message;
}

TEST_F(MongoLogin, IsRefusedForGoodWithAWrongPassword) {
  const Error error = failed(with_credentials(auth_url(), "nextid%40test:wr%40ng%2Fone@"));
  EXPECT_EQ(error.code, ErrorCode::kAccessDenied);
  EXPECT_EQ(error.error_class, ErrorClass::kFinal);
  expect_in(error, {"mongodb://127.0.0.1:", "password", "authSource"});
  expect_no_secret(error, {"wr@ng/one", "wr%40ng%2Fone", "nextid%40test:"});
}

TEST_F(MongoLogin, IsRefusedForGoodWithAnUnknownUser) {
  const Error error = failed(with_credentials(auth_url(), "nobody:hush@"));
  EXPECT_EQ(error.code, ErrorCode::kAccessDenied);
  EXPECT_EQ(error.error_class, ErrorClass::kFinal);
  expect_no_secret(error, {"hush"});
}

TEST_F(MongoLogin, IsAskedForWhereTheUrlHasNone) {
  const Error error = failed(without_option(with_credentials(auth_url(), ""), "authSource"));
  EXPECT_EQ(error.code, ErrorCode::kAccessDenied);
  EXPECT_EQ(error.error_class, ErrorClass::kFinal);
  expect_in(error, {"user:password@"});
}

TEST_F(MongoLogin, ErrorsOfALoggedInStoreShowNoPassword) {
  const auto store = open_mongo(auth_url(), "a$b");
  for (const Result<Range>& range :
       {store->reserve(kRequest), store->reserve({.counter = {.name = "x"}, .count = 1, .floor = 100})}) {
    if (range.ok()) continue;
    expect_no_secret(range.error(), {environment("NEXTID_TEST_MONGODB_PASSWORD"), "p%40ss"});
  }
}

// --- TLS -----------------------------------------------------------------------------------------

TEST_F(MongoLogin, WorksOverTlsWithItsAuthority) {
  const auto range = open_mongo(tls_url())->reserve(kRequest);
  ASSERT_TRUE(range.ok()) << range.error().message;
}

TEST_F(MongoLogin, TrustsNoUnknownAuthority) {
  const Error error = failed(without_option(tls_url(), "tlsCAFile"));
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
  EXPECT_EQ(error.error_class, ErrorClass::kPassing);
  expect_in(error, {"certificate", "tlsCAFile"});
  expect_no_secret(error, {environment("NEXTID_TEST_MONGODB_PASSWORD")});
}

TEST_F(MongoLogin, SaysWhichFileOfAuthoritiesCannotBeRead) {
  const Error error = failed(without_option(tls_url(), "tlsCAFile") + "&tlsCAFile=/nowhere/ca.pem");
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
  expect_in(error, {"/nowhere/ca.pem"});
}

TEST_F(MongoLogin, IsNotTriedOnAServerThatSpeaksNoTls) {
  const Error error = failed(
      auth_url("connectTimeoutMS=500&tls=true&tlsCAFile=" + environment("NEXTID_TEST_MONGODB_CA_FILE")));
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
  EXPECT_EQ(error.error_class, ErrorClass::kPassing);
}

TEST_F(MongoLogin, SaysNothingInTheClearToAServerThatSpeaksTls) {
  const Error error = failed(without_option(without_option(tls_url(), "tlsCAFile"), "tls"));
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
}

// --- hosts ---------------------------------------------------------------------------------------

TEST(MongoHost, ThatNobodyKnowsIsNamed) {
  const Error error = failed("mongodb://me:hush@nextid-test.invalid:27017/shop");
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
  EXPECT_EQ(error.error_class, ErrorClass::kPassing);
  expect_in(error, {"mongodb://nextid-test.invalid:27017/shop"});
  expect_no_secret(error, {"hush", "me:"});
}

TEST(MongoHost, ThatDnsDoesNotKnowIsNamed) {
  const Error error = failed("mongodb+srv://me:hush@db.nextid-test.invalid/shop");
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
  EXPECT_EQ(error.error_class, ErrorClass::kPassing);
  expect_in(error, {"mongodb+srv://db.nextid-test.invalid/shop"});
  expect_no_secret(error, {"hush", "me:"});
}

TEST(MongoHost, WhereNobodyListensIsNamed) {
  int port;
  {
    FakeMongoServer gone([](auto&&...) { return R"({"ok": 1})"; });
    port = gone.port();
  }
  const std::string host = "127.0.0.1:" + std::to_string(port);
  const Error error = failed("mongodb://" + host + "/shop");
  EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable);
  EXPECT_EQ(error.error_class, ErrorClass::kPassing);
  expect_in(error, {"mongodb://" + host + "/shop"});
}

// --- replies to a login ------------------------------------------------------------------------
// libmongoc gives all of these the same code.
Error of_login(const FakeMongoServer::Reply& reply) {
  FakeMongoServer server([&](auto&&...) { return reply; });
  return failed("mongodb://me:hush@127.0.0.1:" + std::to_string(server.port()) + "/shop?socketTimeoutMS=200");
}

TEST(MongoLoginReply, ThatRefusesIsFinal) {
  const Error error = of_login(R"({"ok": 0, "code": 18, "errmsg": "Authentication failed."})");
  EXPECT_EQ(error.code, ErrorCode::kAccessDenied);
  EXPECT_EQ(error.error_class, ErrorClass::kFinal);
}

TEST(MongoLoginReply, ThatDoesNotComePasses) {
  using How = FakeMongoServer::How;
  for (const FakeMongoServer::Reply& reply :
       {FakeMongoServer::Reply(How::kClose), FakeMongoServer::Reply(How::kSilence),
        FakeMongoServer::Reply(R"({"ok": 0, "code": 91, "errmsg": "The server is in quiesce mode"})"),
        FakeMongoServer::Reply(R"({"ok": 0, "code": 11600, "errmsg": "interrupted at shutdown"})"),
        FakeMongoServer::Reply(R"({"ok": 0, "code": 1, "errmsg": "failed to connect to the data"})"),
        FakeMongoServer::Reply(R"({"ok": 0, "code": 1, "errmsg": "unexpected EOF"})"),  // of a gateway
        FakeMongoServer::Reply(R"({"ok": 0, "code": 1, "errmsg": "the database system is starting up"})")}) {
    const Error error = of_login(reply);
    EXPECT_EQ(error.code, ErrorCode::kStoreUnavailable) << error.message;
    EXPECT_EQ(error.error_class, ErrorClass::kPassing) << error.message;
  }
}

// A server may repeat the login, and a driver's error may quote the server.
TEST(MongoHost, ThatRepeatsThePasswordIsNotQuoted) {
  FakeMongoServer server([](const std::string& command, auto&&...) -> FakeMongoServer::Reply {
    if (command == "saslStart") return R"({"ok": 1, "conversationId": 1, "done": true, "payload": ""})";
    return R"({"ok": 0, "code": 14,
               "errmsg": "who are you, p@ss/w:rd%1 or p%40ss%2fw%3ard%251 or p%40ss%2Fw%3Ard%251?"})";
  });
  const std::string url = "mongodb://me:p%40ss%2Fw%3Ard%251@127.0.0.1:" + std::to_string(server.port()) +
                          "/shop?authMechanism=PLAIN";
  const std::vector<std::string> secrets = {"p@ss/w:rd%1", "p%40ss%2fw%3ard%251", "p%40ss%2Fw%3Ard%251"};
  const Error error = failed(url, secrets);
  expect_in(error, {"who are you, *** or *** or ***?"});
  expect_no_secret(error, secrets);
}

}  // namespace
}  // namespace nextid::mongo
