#pragma once

#include <bson/bson.h>

#include <cstdint>
#include <string>

#include "core/error.h"
#include "stores/mongo/mongo_uri.h"

namespace nextid::mongo {

// A server's codes for a document that a unique index refuses.
constexpr int64_t kDuplicateKey = 11000;
constexpr int64_t kOldDuplicateKey = 11001;

// True if a server's error means that somebody else got there first and nothing was written: a duplicate key.
bool is_conflict(int64_t code, const std::string& message);

// Turns what the driver and the server say into Errors: a class, a code, and a sentence without credentials.
class MongoErrors {
 public:
  // REQUIRES: `uri` outlives this.
  MongoErrors(const MongoUri& uri, const std::string& collection)
      : uri_(uri), place_(std::string(uri.database()) + "." + collection) {}

  // What a command does to the database.
  enum class Effect { kReads, kWrites };

  // The driver's verdict on a command that was sent `times_sent` times (0: it never got that far). `log` is
  // what it logged last, if it did.
  Error of_driver(const bson_error_t& error, const std::string& log, int times_sent, Effect effect) const;

  // The driver could not even begin: mongodb+srv: needs DNS for that.
  Error of_no_client(const bson_error_t& error, const std::string& log) const;

  // A server's answer of that error code. Sent more than once: of the earlier times nothing is known.
  Error of_server(int64_t code, const std::string& message, int times_sent, Effect effect) const;

  // The write was done, but not in the way that the write concern asks for: it may be undone by a failover.
  Error of_write_concern(int64_t code, const std::string& message) const;

  // An answer that is no answer to the question.
  Error of_nonsense(const std::string& what) const;

 private:
  Error of_unreachable(const std::string& said, int64_t code) const;
  Error of_misfit(const std::string& said, int64_t code) const;
  std::string said_by(const bson_error_t& error, const std::string& log) const;
  std::string server() const { return "MongoDB at " + uri_.shown(); }

  const MongoUri& uri_;
  const std::string place_;  // `database.collection`
};

}  // namespace nextid::mongo
