#pragma once

#include <gtest/gtest.h>
#include <mongoc/mongoc.h>

#include <cstdlib>
#include <memory>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "stores/mongo/bson_document.h"
#include "stores/mongo/mongo_driver.h"
#include "stores/mongo/mongo_store.h"

namespace nextid::mongo {

// The value of an environment variable; empty if it is not set.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// `url`, which names no database, with one, and with more options (`a=1&b=2`).
inline std::string with_database(std::string url, const std::string& database,
                                 const std::string& options = "") {
  std::string given;
  if (const size_t question = url.find('?'); question != std::string::npos) {
    given = url.substr(question + 1);
    url.resize(question);
  }
  while (url.back() == '/') url.pop_back();
  if (!given.empty() && !options.empty()) given += '&';
  given += options;
  return url + "/" + database + (given.empty() ? "" : "?" + given);
}

// The server's reply to a command, both as extended JSON without spaces; of the reply only the field at
// `path`.
inline std::string run_command(mongoc_client_t* client, const std::string& database, const std::string& json,
                               const char* path) {
  bson_error_t error{};
  bson_t* command = bson_new_from_json(reinterpret_cast<const uint8_t*>(json.data()),
                                       static_cast<ssize_t>(json.size()), &error);
  if (command == nullptr) throw std::runtime_error("cannot read " + json + ": " + error.message);
  bson_t reply;
  EXPECT_TRUE(mongoc_client_command_simple(client, database.c_str(), command, nullptr, &reply, &error))
      << json << ": " << error.message;
  bson_destroy(command);

  Document wrapped;
  if (const auto field = find_field(&reply, path)) bson_append_iter(wrapped.get(), "v", 1, &*field);
  bson_destroy(&reply);
  char* text = bson_as_canonical_extended_json(wrapped.get(), nullptr);
  std::string result = text;
  bson_free(text);
  std::erase(result, ' ');
  return result.size() < 6 ? "" : result.substr(5, result.size() - 6);  // without {"v":}
}

// A database of its own on the server of $MONGODB_URL, as another program sees it; dropped at the end.
class MongoDatabase {
 public:
  MongoDatabase()
      : name_("nextid_test_" + std::to_string(::getpid()) + "_" + std::to_string(std::random_device()())) {
    start_mongo_driver();
    client_ = mongoc_client_new(with_database(environment("MONGODB_URL"), name_).c_str());
    if (client_ == nullptr) throw std::runtime_error("$MONGODB_URL is no URL of a MongoDB server");
  }
  ~MongoDatabase() {
    run(R"({"dropDatabase": 1})");
    mongoc_client_destroy(client_);
  }
  MongoDatabase(const MongoDatabase&) = delete;
  MongoDatabase& operator=(const MongoDatabase&) = delete;

  const std::string& name() const { return name_; }
  std::string url(const std::string& options = "") const {
    return with_database(environment("MONGODB_URL"), name_, options);
  }
  std::string run(const std::string& command, const char* path = "ok") {
    return run_command(client_, name_, command, path);
  }

  // Puts `document` in the place of the one with the same _id, `"orders"` for instance, or of none.
  void put(const std::string& id, const std::string& document, const std::string& collection = "ids") {
    run(R"({"update": ")" + collection + R"(", "updates": [{"q": {"_id": )" + id + R"(}, "u": )" + document +
        R"(, "upsert": true}]})");
  }
  void set(const std::string& id, const std::string& field, const std::string& value) {
    run(R"({"update": "ids", "updates": [{"q": {"_id": )" + id + R"(}, "u": {"$set": {")" + field + R"(": )" +
        value + "}}}]}");
  }
  void insert(const std::string& documents, const std::string& collection = "ids") {
    run(R"({"insert": ")" + collection + R"(", "documents": [)" + documents + "]}");
  }
  void remove(const std::string& id, const std::string& collection = "ids") {
    run(R"({"delete": ")" + collection + R"(", "deletes": [{"q": {"_id": )" + id + R"(}, "limit": 1}]})");
  }

  // The documents of the collection, an array in canonical extended JSON without spaces.
  std::string documents(const std::string& filter = "{}", const std::string& collection = "ids",
                        const std::string& projection = "{}") {
    return run(R"({"find": ")" + collection + R"(", "sort": {"_id": 1}, "filter": )" + filter +
                   R"(, "projection": )" + projection + "}",
               "cursor.firstBatch");
  }

 private:
  const std::string name_;
  mongoc_client_t* client_;
};

// For suites that need a server. Without one they say so and pass, or fail where NEXTID_REQUIRE_ALL is 1.
class WithMongoServer : public testing::Test {
 protected:
  void SetUp() override {
    if (!environment("MONGODB_URL").empty()) return;
    if (environment("NEXTID_REQUIRE_ALL") == "1")
      FAIL() << "MONGODB_URL is not set, and NEXTID_REQUIRE_ALL is 1";
    GTEST_SKIP() << "SKIPPED: needs a MongoDB server, and MONGODB_URL is not set";
  }
};

// `url` as lib hands it over. `secrets` are those that the test looks for.
inline CheckedUrl checked(const std::string& url, std::vector<std::string> secrets = {}) {
  static const std::regex kParts(R"((mongodb(?:\+srv)?://)(?:[^@/]*@)?([^?]*).*)");
  return {url, std::regex_replace(url, kParts, "$1$2"), std::move(secrets)};
}

// REQUIRES: the URL is valid.
inline std::unique_ptr<Store> open_mongo(const std::string& url, const std::string& collection = "ids",
                                         const std::string& counters_collection = "counters") {
  Result<std::unique_ptr<Store>> store = make_store(checked(url), collection, counters_collection);
  if (!store.ok()) throw std::runtime_error(store.error().message);
  return store.take();
}

}  // namespace nextid::mongo
