#include "stores/mongo/cyclic_counter.h"

#include "stores/mongo/expressions.h"
#include "stores/mongo/refusals.h"

namespace nextid::mongo {

CyclicCounter::CyclicCounter(CounterCollection& counters, const ReserveRequest& request)
    : Counter(counters, request.counter), request_(request), cycle_(request.counter.cycle) {}

CyclicCounter::CyclicCounter(CounterCollection& counters, const AdvanceRequest& request)
    : Counter(counters, request.counter),
      request_{.counter = request.counter, .floor = std::nullopt},
      cycle_(request.counter.cycle),
      raised_to_(request.next - 1),
      restores_(request.restore) {}

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
  if (raised_to_) {
    const Document raised = call("$max", Array().document(call("$toLong", "$val")).number(*raised_to_));
    step.change.document("$set", Document().document("val", raised));
    return step;
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
  if (raised_to_ && val.fine() && val.number >= *raised_to_) {
    const int64_t next = val.number >= cycle_ ? 1 : val.number + 1;
    return Range{next, next};
  }
  if (raised_to_ || !val.fine() || val.number > cycle_) {
    Error error = counters().errors().of_nonsense("findAndModify says that val is now " + val.text);
    error.lost = request_.count;
    return error;
  }
  const int64_t before = (val.number - request_.count % cycle_ + cycle_) % cycle_;
  return Range{before + 1, before + 1 + request_.count};
}

bool CyclicCounter::is_in(const bson_t* document) const { return holds_cyclic(document); }

std::optional<Error> CyclicCounter::objection(const bson_t* document) {
  const CounterValue maxval = read_counter_value(document, "maxval");
  const CounterValue val = read_counter_value(document, "val");
  const std::string cycle = std::to_string(cycle_);
  const bool has_maxval = maxval.fine() && maxval.number >= 1;
  if (restores_ && maxval.is_there && (!has_maxval || maxval.number == cycle_)) {
    // A val past the end of the cycle is no larger place in it.
    const bool val_gives_way = val.gives_way_to(*raised_to_, cycle_);
    if (val_gives_way || (val.fine() && !has_maxval)) {
      Document fields;
      fields.number("val", val_gives_way ? *raised_to_ : val.number).number("maxval", cycle_);
      return replace_damaged(*this, document, fields);
    }
  }
  if (!has_maxval) {
    return damaged(*this, "holds in maxval " + maxval.text + ", where a whole number from 1 was expected",
                   maxval.is_there);
  }
  if (maxval.number != cycle_) {
    return refusal(ErrorCode::kOptionsConflict,
                   called() + " goes from 1 to " + std::to_string(maxval.number) +
                       ", and was asked to go to " + cycle +
                       "; open it with cycle: " + std::to_string(maxval.number) + ", or use another name");
  }
  if (!val.fine()) {
    return damaged(*this,
                   "holds in val " + val.text + ", where an integer from 0 to " + cycle + " was expected",
                   val.is_there);
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
  return missing(*this, "ids of it", request_.floor);
}

Result<Making> CyclicCounter::make(bool other_kind_is_there) {
  return make_by_name(counters(), key().name,
                      Document().number("val", raised_to_.value_or(0)).number("maxval", cycle_),
                      other_kind_is_there);
}

}  // namespace nextid::mongo
