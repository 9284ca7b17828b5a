#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/store.h"
#include "stores/mongo/bson_document.h"
#include "stores/mongo/client_pool.h"
#include "stores/mongo/counter_value.h"
#include "stores/mongo/mongo_driver.h"
#include "stores/mongo/mongo_errors.h"

namespace nextid {

// The counters that a step fits.
struct Fit {
  enum class Type { kInteger, kDouble };

  Type type;
  int64_t least;
  int64_t most;  // inclusive
};

// One way of moving a counter.
struct Step {
  enum class Kind { kAdd, kRaiseTo, kSetTo };

  Kind kind;
  int64_t operand;   // >= 0
  int64_t lost = 0;  // numbers that are lost if the step is done but cannot be trusted

  // Where a counter stands after the step. REQUIRES: it does not overflow.
  int64_t from(int64_t counter) const;
  // True if a counter that fits can stand at `counter` after the step.
  bool leads_to(int64_t counter, const Fit& fit) const;
};

// The documents `{_id: name, index: N}` of a collection, through one client. Each method is one command, but
// for list(), which fetches in parts. All writes ask for the write concern of the URL.
class CounterCollection {
 public:
  // REQUIRES: all of them outlive this.
  CounterCollection(Client& client, const MongoUri& uri, const std::string& collection,
                    const MongoErrors& errors, const DriverLog& log)
      : client_(client), uri_(uri), collection_(collection), errors_(errors), log_(log) {}

  // Does one atomic step if the counter fits, and tells where it stands then; none if there is no such
  // counter. The driver repeats it once, where the server knows a repetition from a second request (retryable
  // writes).
  Result<std::optional<int64_t>> step(const std::string& name, const Fit& fit, const Step& step);

  // Makes the counter unless it is there, or somebody else is just making it.
  std::optional<Error> make(const std::string& name, int64_t start);

  // Sets the counter if it stands at `from`. True if it did. Sent once, whatever comes of it.
  Result<bool> compare_and_set(const std::string& name, int64_t from, int64_t to);

  // What the primary shows of the counter just now; none if there is no such counter.
  Result<std::optional<CounterValue>> read(const std::string& name);

  // All counters, ordered by name. Documents with a `count`, or whose _id is no string, are not plain
  // counters.
  Result<std::vector<CounterInfo>> list();

 private:
  // What came of a command.
  struct Outcome {
    Document reply;
    std::optional<Error> error;
    bool conflict = false;     // the error is that somebody else got there first; nothing was written
    bool unconfirmed = false;  // the error is that the write was done, but not as safely as asked
  };

  void run(const Document& command, Outcome& outcome);
  Result<int64_t> run_update(const Document& query, const Document& change, bool upsert, bool& conflict);
  template <typename Visitor>
  std::optional<Error> find(const Document& filter, bool one, Visitor visitor);

  Client& client_;
  const MongoUri& uri_;
  const std::string& collection_;
  const MongoErrors& errors_;
  const DriverLog& log_;
};

}  // namespace nextid
