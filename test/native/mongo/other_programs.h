#pragma once

#include <gtest/gtest.h>
#include <mongoc/mongoc.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "native/mongo/database.h"

namespace nextid::mongo {

// A program that knows nothing of ours and keeps its numbers in the same documents, by the algorithms of the
// two articles that these documents come from. With a connection of its own.
class OtherProgram {
 public:
  explicit OtherProgram(const MongoDatabase& database) : name_(database.name()) {
    client_ = mongoc_client_new(database.url().c_str());
    mongoc_client_set_error_api(client_, MONGOC_ERROR_API_VERSION_2);
  }
  ~OtherProgram() { mongoc_client_destroy(client_); }
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;

  // Readable ids: find the day's document and add one to its count, make it if it is missing, and once more
  // if somebody else was just making it.
  int64_t next_of_day(int64_t prefix) {
    for (;;) {
      const auto value = run(R"({"findAndModify": "ids", "query": {"prefix": )" + std::to_string(prefix) +
                                 R"(}, "update": {"$inc": {"count": 1}}, "upsert": true, "new": true})",
                             "value.count");
      if (value) return *value;
    }
  }

  // Compare and set in a cycle: read it; at its end set it to 0, else add one; once more if it has changed.
  int64_t next_of_cycle(const std::string& id) {
    const std::string find =
        R"({"find": "counters", "filter": {"_id": ")" + id + R"("}, "limit": 1, "singleBatch": true})";
    for (;;) {
      Document reply;
      if (!send(find, reply)) continue;
      const auto val = find_field(reply.get(), "cursor.firstBatch.0.val");
      const auto maxval = find_field(reply.get(), "cursor.firstBatch.0.maxval");
      if (!val || !maxval) throw std::runtime_error("no counter " + id);
      const int64_t seen = bson_iter_as_int64(&*val);
      const bool at_end = seen >= bson_iter_as_int64(&*maxval);
      const auto matched = run(R"({"update": "counters", "updates": [{"q": {"_id": ")" + id +
                                   R"(", "val": )" + std::to_string(seen) + R"(}, "u": )" +
                                   (at_end ? R"({"$set": {"val": 0}})" : R"({"$inc": {"val": 1}})") + "}]}",
                               "n");
      if (matched == 1 && !at_end) return seen + 1;
    }
  }

 private:
  bool send(const std::string& json, Document& reply) {
    bson_error_t error{};
    bson_t* command = bson_new_from_json(reinterpret_cast<const uint8_t*>(json.data()),
                                         static_cast<ssize_t>(json.size()), &error);
    if (command == nullptr) throw std::runtime_error("cannot read " + json);
    const bool done =
        mongoc_client_command_simple(client_, name_.c_str(), command, nullptr, reply.overwrite(), &error);
    bson_destroy(command);
    return done;
  }
  // The number at `path` of the reply; none if the command failed.
  std::optional<int64_t> run(const std::string& json, const char* path) {
    Document reply;
    if (!send(json, reply)) return std::nullopt;
    const auto field = find_field(reply.get(), path);
    if (!field) return std::nullopt;
    return bson_iter_as_int64(&*field);
  }

  const std::string name_;
  mongoc_client_t* client_;
};

}  // namespace nextid::mongo
