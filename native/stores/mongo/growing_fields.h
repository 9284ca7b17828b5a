#pragma once

#include <cstdint>
#include <optional>

#include "core/store.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// The fields of a counter whose numbers only grow, as other programs move it too. The value may be an int32,
// an int64 or a double; a step leaves an int64.
struct GrowingFields {
  const char* value;
  int64_t offset;        // from the value to the number that is given next
  const char* returned;  // the returned ranges, as an array: first, end, first, end, …
  const char* advanced;  // GrowingState::advanced

  GrowingState read(const bson_t* document) const;

  // The fields with what `state` holds, for a document in which `seen` was seen, or for a new one.
  Document write(const GrowingState& state, const bson_t* seen) const;

  // As Store::release(), for the document that `identity` finds.
  Result<bool> release(CounterCollection& counters, const Document& identity, Range unused) const;
};

// The steps of one request on such a counter.
class GrowingStep {
 public:
  // REQUIRES: `fields` outlives this
  GrowingStep(const GrowingFields& fields, const ReserveRequest& request);
  GrowingStep(const GrowingFields& fields, const AdvanceRequest& request);

  // How many numbers it reserves.
  int64_t count() const { return taken_ ? taken_->count() : request_.count; }

  // Says in `query` what fits, and in `update` what changes.
  void append(Document& query, Document& update) const;

  // Returns the range that the step reserved, read from the document that it left. After an advance, the
  // range is empty and begins where the counter stands. Returns nullopt if no step can have left this
  // document.
  std::optional<Range> reserved(const bson_t* document) const;

  // Makes the next step suit a counter that was seen in this state. REQUIRES: check() found nothing wrong
  void look(const GrowingState& state);

 private:
  bool value_fits(int64_t value) const { return value >= least_ && value <= most_; }

  const GrowingFields& fields_;
  const ReserveRequest request_;                 // what to reserve; nothing if advance_ is there
  const std::optional<AdvanceRequest> advance_;  // or where to move the counter
  const int64_t least_;                          // that the value may be
  const int64_t most_;

  std::optional<int64_t> seen_double_;         // the value, if it was a double
  bool seen_none_ = false;                     // there was no returned range for the request
  std::optional<ReturnedRanges> seen_ranges_;  // the list, if the step changes it
  ReturnedRanges ranges_left_;                 // what the step makes of it
  std::optional<Range> taken_;                 // what it takes out of it
};

}  // namespace nextid::mongo
