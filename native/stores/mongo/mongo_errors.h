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

// True if a server's error means that another client was first and nothing was written: a duplicate key.
bool is_conflict(int64_t code, const std::string& message);

// Turns errors of the driver and the server into Errors: a class, a code, and a message without credentials.
class MongoErrors {
 public:
  // REQUIRES: `uri` outlives this.
  MongoErrors(const MongoUri& uri, const std::string& collection)
      : uri_(uri), place_(std::string(uri.database()) + "." + collection) {}

  // What a command does to the database.
  enum class Effect { kReads, kWrites };

  // The driver's error about a command that was sent `times_sent` times (0: it failed before). `log` is the
  // last error that the driver logged; it may be empty.
  Error of_driver(const bson_error_t& error, const std::string& log, int times_sent, Effect effect) const;

  // The driver could not create a client: for mongodb+srv: this needs DNS.
  Error of_no_client(const bson_error_t& error, const std::string& log) const;

  // A server's error. If the command was sent more than once, the outcome of the earlier attempts is unknown.
  Error of_server(int64_t code, const std::string& message, int times_sent, Effect effect) const;

  // The write was done, but not as the write concern asks: a failover may undo it.
  Error of_write_concern(int64_t code, const std::string& message) const;

  // An answer that cannot be read.
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
