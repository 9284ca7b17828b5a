#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/range.h"
#include "core/store.h"
#include "stores/mongo/counter_collection.h"
#include "stores/mongo/documents.h"
#include "stores/mongo/kind_fields.h"

namespace nextid::mongo {

// A counter that others may make, move or damage at this moment, and what one request wants of it. Each kind
// of counter is one of these: which document, what fits, what changes, how the reply is read; carry_out()
// does it. For one request and one thread.
class Counter {
 public:
  // REQUIRES: `counters` outlives this.
  Counter(CounterCollection& counters, const ReserveRequest& request)
      : counters_(counters), request_(request) {}
  // The range is empty and stands where the counter then does.
  Counter(CounterCollection& counters, const AdvanceRequest& request)
      : counters_(counters), request_{.counter = request.counter, .floor = {}}, advance_(request) {}
  virtual ~Counter() = default;
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // What finds the document of the counter.
  virtual Document identity() const;

  // The step to try next: the usual one, or the one that suits what objection() saw last.
  virtual Result<Step> step() = 0;

  // What a step did that left `document`.
  virtual Result<Range> reserved(const bson_t* document) const = 0;

  // What is wrong with a counter that the step did not fit, if anything is; else it has changed meanwhile, or
  // the next step() will suit it.
  virtual std::optional<Error> objection(const bson_t* document) = 0;

  // Why a counter that is not there must not be made, if so.
  virtual std::optional<Error> objection_to_making();

  // Makes the counter, in the document of another kind if that is there.
  virtual Result<Making> make(bool other_kind_is_there) = 0;

  // Whether `document`, found by identity(), holds fields of this kind.
  bool is_in(const bson_t* document) const;

  CounterCollection& counters() const { return counters_; }
  const CounterKey& key() const { return request_.counter; }
  // `the counter 'orders' in the collection 'ids' of mongodb://host:port/database`
  std::string called() const { return describe(key()) + " " + counters_.where(); }

 protected:
  // The reply to a step shows something that a step cannot have left in `field`.
  Error nonsense(const char* field, const CounterValue& value) const;

  CounterCollection& counters_;
  const ReserveRequest request_;                 // what to reserve; nothing if advance_ is there
  const std::optional<AdvanceRequest> advance_;  // or where to move the counter
};

// Carries the request out, and makes the counter first if need be.
Result<Range> carry_out(Counter& counter);

// The part of a kind that follows from its rules in core, the functions that CounterKind lists.
template <typename Kind>
class CounterOfKind : public Counter {
 public:
  using State = typename Kind::State;
  using Counter::Counter;

  std::optional<Error> objection(const bson_t* document) override {
    State state = read(document);
    if (advance_ && advance_->restore && repair(state, *advance_)) {
      return replace_damaged(counters_, identity(), document, fields(state, document));
    }
    std::optional<Error> error =
        advance_ ? check(state, *advance_, place_of(counters_)) : check(state, request_, place_of(counters_));
    // A deposed leader that resumes answers reads, and writes that match nothing, from the data it had.
    if (error) error->unconfirmed = error->code == ErrorCode::kSequenceRewound;
    return error ? error : look(state);
  }

  Result<Making> make(bool other_kind_is_there) override {
    return make_by_id(counters_, key().name, fields(first_state(), nullptr), other_kind_is_there);
  }

 protected:
  // What a counter that is made stores.
  State first_state() const {
    State state = std::get<Kind>(key().kind).first_state(advance_ ? 0 : request_.start);
    if (advance_) advance(state, *advance_);
    return state;
  }

  // The state in `document`, and the fields of a document that hold it in place of `seen`, if that is there.
  virtual State read(const bson_t* document) const = 0;
  virtual Document fields(const State& state, const bson_t* seen) const = 0;

  // Makes the next step suit a counter that the last step should have fitted. An error if that is no use.
  virtual std::optional<Error> look(const State&) { return std::nullopt; }
};

}  // namespace nextid::mongo
