#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "stores/mongo/bson_document.h"
#include "stores/mongo/client_pool.h"
#include "stores/mongo/mongo_driver.h"
#include "stores/mongo/mongo_errors.h"

namespace nextid::mongo {

// A collection with counters, as its name and the errors that name it.
struct CounterPlace {
  CounterPlace(const MongoUri& uri, std::string name)
      : collection(std::move(name)), errors(uri, collection) {}

  const std::string collection;
  const MongoErrors errors;
};

// One atomic move of a counter: it changes the document that `query` finds, or nothing.
struct Step {
  Document query{};
  Document change{};
  bool is_pipeline = false;  // `change` is one stage of a pipeline, else a document of operators
  int64_t lost = 0;          // numbers that are lost if the step is done but cannot be trusted
};

// What came of making a document.
struct Making {
  enum class Outcome {
    kDone,       // it is there; somebody else may have made it
    kDuplicate,  // refused by a unique index; if that is the one on _id, it is there
    kBusy,       // others were at it; nothing was written
  };

  Outcome outcome;
  std::optional<DriverError> refusal;  // what the server said, if it was refused
};

// An index of a collection.
struct Index {
  std::string name;
  std::string fields;      // `prefix`, or `a, b`
  bool on_prefix = false;  // it is {prefix: 1}
  bool unique = false;
  bool partial = false;  // leaves documents out by a filter
};

// The commands on a collection with counters, through one client. Each method is one command, but for those
// that fetch in parts. All writes ask for the write concern of the URL; all reads go to the primary.
class CounterCollection {
 public:
  // REQUIRES: all of them outlive this.
  CounterCollection(Client& client, const MongoUri& uri, const CounterPlace& place, const DriverLog& log)
      : client_(client), uri_(uri), place_(place), log_(log) {}

  const std::string& name() const { return place_.collection; }
  const MongoErrors& errors() const { return place_.errors; }
  // `in the collection 'ids' of mongodb://host:port/database`
  std::string where() const { return "in the collection '" + name() + "' of " + uri_.shown(); }

  // Does the step, and returns the fields of counters of the changed document; none if the step found none.
  // The driver repeats it once, where the server knows a repetition from a second request (retryable writes).
  Result<std::optional<Document>> find_and_modify(const Step& step);

  // Makes a document with `fields` and what `query` asks to be equal, unless `query` finds one. Sent once.
  Result<Making> make(const Document& query, const Document& fields);

  // Changes the document that `query` finds; true if it found one. Sent once, whatever comes of it.
  Result<bool> update(const Document& query, const Document& change);

  // Changes all documents that `query` finds; returns how many. Sent once.
  Result<int64_t> update_all(const Document& query, const Document& change);

  // Removes all documents that `query` finds; returns how many. Sent once.
  Result<int64_t> remove(const Document& query);

  // The fields of counters of the document that `query` finds; nullopt if it finds none.
  Result<std::optional<Document>> find(const Document& query);

  // Shows `visitor` the fields of counters of all documents that `query` finds.
  using Visitor = std::function<void(Document)>;
  std::optional<Error> find_all(const Document& query, const Visitor& visitor);

  // All indexes but the one on _id; none if there is no collection.
  Result<std::vector<Index>> indexes();

  // Makes the unique index {prefix: 1} by the name prefix_1.
  std::optional<Error> make_prefix_index();

  // What the server's clock shows, in microseconds since 1970.
  Result<int64_t> server_time();

 private:
  // What came of a command that writes.
  struct Reply {
    Document document;
    std::optional<Error> error;
    bool conflict = false;     // the error is that somebody else got there first; nothing was written
    bool unconfirmed = false;  // the error is that the write was done, but not as safely as asked
  };

  void run(const Document& command, Reply& reply);
  Result<int64_t> count_of(const Reply& reply, const char* command);
  std::optional<Error> visit(const Document& query, const Document& options, const Visitor& visitor);
  std::optional<Error> visit(mongoc_cursor_t* cursor, int sent_before, const Visitor& visitor);

  Client& client_;
  const MongoUri& uri_;
  const CounterPlace& place_;
  const DriverLog& log_;
};

}  // namespace nextid::mongo
