#include "stores/mongo/cyclic_counter.h"

#include "stores/mongo/expressions.h"

namespace nextid::mongo {

CyclicCounter::CyclicCounter(CounterCollection& counters, const ReserveRequest& request)
    : CounterOfKind(counters, request), cycle_(std::get<Cyclic>(request.counter.kind).cycle) {}

CyclicCounter::CyclicCounter(CounterCollection& counters, const AdvanceRequest& request)
    : CounterOfKind(counters, request), cycle_(std::get<Cyclic>(request.counter.kind).cycle) {}

// With P = val, or 0 at the end of the cycle, and n taken to 0…M by whole rounds: val = P + n, less M if that
// is above M. No sum exceeds M: servers there are that reckon $mod of large integers in doubles.
Result<Step> CyclicCounter::step() {
  if (auto error = refuse_too_many(request_, place_of(counters_))) return *error;
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
  if (advance_) {
    const Document raised =
        call("$max", Array().document(call("$toLong", "$val")).number(advance_->next - 1));
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
  const CounterValue val = read_value(document, Cyclic::kVal);
  if (advance_ && val.fine() && val.number() >= advance_->next - 1) {
    const int64_t next = id_after(val.number(), cycle_);
    return Range{next, next};
  }
  if (advance_ || !val.fine() || val.number() > cycle_) return nonsense("val", val);
  const int64_t before = (val.number() - request_.count % cycle_ + cycle_) % cycle_;
  return Range{before + 1, before + 1 + request_.count};
}

Cyclic::State CyclicCounter::state_of(const bson_t* document) {
  return {read_value(document, Cyclic::kVal), read_value(document, Cyclic::kMaxval)};
}

Document CyclicCounter::fields(const Cyclic::State& state, const bson_t*) const {
  Document fields;
  fields.number("val", state.val.number()).number("maxval", state.maxval.number());
  return fields;
}

}  // namespace nextid::mongo
