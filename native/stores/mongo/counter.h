#pragma once

#include <optional>
#include <string>

#include "core/range.h"
#include "core/store.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// A counter that others may make, move or damage at this moment, and what one request wants of it. Each kind
// of counter is one of these: which document, what fits, what changes, how the reply is read; carry_out()
// does it. For one request and one thread.
class Counter {
 public:
  // REQUIRES: `counters` outlives this.
  Counter(CounterCollection& counters, CounterKey key) : counters_(counters), key_(std::move(key)) {}
  virtual ~Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // What finds the document of the counter.
  virtual Document identity() const = 0;

  // The step to try next: the usual one, or the one that suits what objection() saw last.
  virtual Result<Step> step() = 0;

  // What a step did that left `document`.
  virtual Result<Range> reserved(const bson_t* document) const = 0;

  // Whether `document`, found by identity(), is of this kind. Counters of several kinds and one name share a
  // document where they share a collection: each has fields of its own.
  virtual bool is_in(const bson_t* document) const = 0;

  // What is wrong with a counter that the step did not fit, if anything is; else it has changed meanwhile, or
  // the next step() will suit it.
  virtual std::optional<Error> objection(const bson_t* document) = 0;

  // Why a counter that is not there must not be made, if so.
  virtual std::optional<Error> objection_to_making() = 0;

  // Makes the counter, in the document of another kind if that is there.
  virtual Result<Making> make(bool other_kind_is_there) = 0;

  CounterCollection& counters() const { return counters_; }
  const CounterKey& key() const { return key_; }
  // `the counter 'orders' in the collection 'ids' of mongodb://host:port/database`
  std::string called() const { return describe(key_) + " " + counters_.where(); }

 private:
  CounterCollection& counters_;
  const CounterKey key_;
};

// For AdvanceRequest::restore: sets `fields` of the counter in the document that was `seen`, unless one of
// them has changed since; the next look will tell.
std::optional<Error> replace_damaged(const Counter& counter, const bson_t* seen, const Document& fields);

// Moves the counter, and makes it first if need be.
Result<Range> carry_out(Counter& counter);

// Whether a document holds fields of plain, cyclic or time-stamped counters.
bool holds_plain(const bson_t* document);
bool holds_cyclic(const bson_t* document);
bool holds_timestamped(const bson_t* document);

// Whether it holds a dated counter that has a name, or one half made: its _id is made of its name and prefix.
bool holds_dated(const bson_t* document);

// The zone that the ids of a time-stamped counter show; UTC if its document says nothing. None if it holds
// something that is no text.
std::optional<std::string> time_zone_of(const bson_t* document);

// Makes a document `{_id: name, …fields}`, or adds the fields where the document is there and has none of
// them.
Result<Making> make_by_name(CounterCollection& counters, const std::string& name, const Document& fields,
                            bool is_there);

}  // namespace nextid::mongo
