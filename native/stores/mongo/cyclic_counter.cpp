#include "stores/mongo/cyclic_counter.h"

#include "stores/mongo/expressions.h"
#include "stores/mongo/refusals.h"

namespace nextid {

CyclicCounter::CyclicCounter(CounterCollection& counters, const ReserveRequest& request)
    : Counter(counters, request.counter), request_(request), cycle_(request.counter.cycle) {}

Document CyclicCounter::identity() const {
  Document query;
  query.text("_id", key().name);
  return query;
}

// With P = val, or 0 at the end of the cycle, and n taken to 0…M by whole rounds: val = P + n, less M if that
// is above M. No sum exceeds M: servers there are that reckon $mod of large integers in doubles.
Result<Step> CyclicCounter::step() {
  Step step{.query = identity(), .is_pipeline = true, .lost = request_.count};
  step.query.document("maxval", equals_number(cycle_));
  step.query.document("val", Document().number("$gte", 0));
  step.query.document("$expr", is_whole("$val"));
  if (request_.unbroken) {
    const auto at = [](const char* op, int64_t value) {
      Document condition;
      condition.document("val", Document().number(op, value));
      return condition;
    };
    const int64_t last_that_fits = cycle_ - request_.count;
    Array places;
    places.document(at("$lte", last_that_fits));
    if (last_that_fits >= 0) places.document(at("$gte", cycle_));
    step.query.array("$or", places);
  }
  const int64_t up = request_.count == 0 ? 0 : (request_.count - 1) % cycle_ + 1;
  const Document val = call("$toLong", "$val");
  const Document moved =
      call("$cond", Array()
                        .document(call("$gt", Array().text("$val").number(cycle_ - up)))
                        .document(call("$subtract", Array().document(val).number(cycle_ - up)))
                        .document(call("$add", Array().document(val).number(up))));
  const Document next =
      call("$cond",
           Array().document(call("$gte", Array().text("$val").number(cycle_))).number(up).document(moved));
  step.change.document("$set", Document().document("val", next));
  return step;
}

Result<Range> CyclicCounter::reserved(const bson_t* document) const {
  const CounterValue val = read_counter_value(document, "val");
  if (!val.fine() || val.number > cycle_) {
    Error error = counters().errors().of_nonsense("findAndModify says that val is now " + val.text);
    error.lost = request_.count;
    return error;
  }
  const int64_t before = (val.number - request_.count % cycle_ + cycle_) % cycle_;
  return Range{before + 1, before + 1 + request_.count};
}

bool CyclicCounter::is_in(const bson_t* document) const { return holds_cyclic(document); }

std::optional<Error> CyclicCounter::objection(const bson_t* document) {
  const std::string id = "_id: " + shell_text(key().name);
  const CounterValue maxval = read_counter_value(document, "maxval");
  const std::string cycle = std::to_string(cycle_);
  if (!maxval.fine() || maxval.number < 1) {
    return refusal(ErrorCode::kCounterInvalid,
                   called() + " holds in maxval " + maxval.text +
                       ", where a whole number from 1 was expected; it was left as it is. Run in the MongoDB "
                       "shell: " +
                       shell_update(counters(), id, "maxval: NumberLong('" + cycle + "')"));
  }
  if (maxval.number != cycle_) {
    return refusal(ErrorCode::kOptionsConflict,
                   called() + " goes from 1 to " + std::to_string(maxval.number) +
                       ", and was asked to go to " + cycle +
                       "; open it with cycle: " + std::to_string(maxval.number) + ", or use another name");
  }
  const CounterValue val = read_counter_value(document, "val");
  if (!val.fine()) {
    return refusal(ErrorCode::kCounterInvalid,
                   called() + " holds in val " + val.text + ", where an integer from 0 to " + cycle +
                       " was expected; it was left as it is. With N the last id that was given, run in the "
                       "MongoDB shell: " +
                       shell_update(counters(), id, "val: NumberLong('N')"));
  }
  if (!request_.unbroken) return std::nullopt;
  const int64_t left = val.number >= cycle_ ? cycle_ : cycle_ - val.number;
  if (request_.count <= left) return std::nullopt;
  return refusal(ErrorCode::kAcrossWrap, called() + " has " + std::to_string(left) +
                                             " ids left before it goes on from " + cycle +
                                             " to 1, and one block of " + std::to_string(request_.count) +
                                             " was asked for; reserve at most " + std::to_string(left) +
                                             ", or take ids with nextIds(), which goes round");
}

std::optional<Error> CyclicCounter::objection_to_making() {
  if (!request_.floor) return std::nullopt;
  return missing(
      *this, "ids of it",
      shell_update(counters(), "_id: " + shell_text(key().name),
                   "val: NumberLong('N'), maxval: NumberLong('" + std::to_string(cycle_) + "')", true) +
          " (MongoDB shell; N: the last id that was given)");
}

Result<Making> CyclicCounter::make(bool other_kind_is_there) {
  return make_by_name(counters(), key().name, Document().number("val", 0).number("maxval", cycle_),
                      other_kind_is_there);
}

}  // namespace nextid
