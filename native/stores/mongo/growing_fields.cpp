#include "stores/mongo/growing_fields.h"

#include <algorithm>
#include <utility>

#include "stores/mongo/counter_value.h"

namespace nextid::mongo {
namespace {

// The server refuses some of many updates that meet in one document, before it has written anything.
constexpr int kMostTries = 20;

// A condition on a number: from `least` to `most`, of one of the types.
Document number_between(int64_t least, int64_t most, const Array& types) {
  Document condition;
  condition.number("$gte", least)
      .number("$lte", most)
      .array("$type", types)
      .document("$not", Document().text("$type", "array"));  // the others look into arrays
  return condition;
}

// No element of an array, or no number, that `op` finds true of `value`; or nothing at all.
Document none(const char* op, int64_t value) {
  Document condition;
  condition.document("$not", Document().number(op, value));
  return condition;
}

Array array_of(const ReturnedRanges& returned) {
  Array array;
  for (const int64_t bound : returned.bounds()) array.number(bound);
  return array;
}

ReturnedRanges read_returned(const bson_t* document, const char* field) {
  const auto found = find_field(document, field);
  if (!found) return {.field = field};
  bson_iter_t element;
  if (!BSON_ITER_HOLDS_ARRAY(&*found) || !bson_iter_recurse(&*found, &element)) {
    return {.is_readable = false, .field = field};
  }
  std::vector<int64_t> bounds;
  while (bson_iter_next(&element)) {
    if (!BSON_ITER_HOLDS_INT64(&element)) return {.is_readable = false, .field = field};
    bounds.push_back(bson_iter_int64(&element));
  }
  return ReturnedRanges::of_bounds(bounds, field);
}

Result<bool> update_unless_busy(CounterCollection& counters, const Document& query, const Document& change) {
  for (int tries = 1;; ++tries) {
    const Result<bool> updated = counters.update(query, change);
    if (updated.ok() || tries == kMostTries) return updated;
    const Error& error = updated.error();
    const bool is_busy = error.error_class == ErrorClass::kPassing && error.driver &&
                         is_conflict(error.driver->code, error.driver->message);
    if (!is_busy) return updated;
  }
}

}  // namespace

GrowingState GrowingFields::read(const bson_t* document) const {
  const CounterValue mark = read_value(document, {advanced});
  return {.value = read_value(document, {value}),
          .offset = offset,
          .returned = read_returned(document, returned),
          .advanced = mark.fine() ? mark.number() : 0};
}

Document GrowingFields::write(const GrowingState& state, const bson_t* seen) const {
  Document fields;
  fields.number(value, state.value.number());
  if (seen != nullptr && bson_has_field(seen, returned)) fields.array(returned, array_of(state.returned));
  return fields;
}

// Two writes, each sent once:
//   1. If nobody reserved after `unused`, the counter goes down.
//   2. If the first found no such counter, the range is added to the returned ones.
// What the second meets does not depend on the first: the range is below the counter and nobody's.
Result<bool> GrowingFields::release(CounterCollection& counters, const Document& identity,
                                    Range unused) const {
  const Document not_advanced = none("$gt", unused.first);
  Document last, earlier;
  last.fields_of(identity).document(advanced, not_advanced).number(value, unused.end - offset);
  Document lowered;
  lowered.document("$set", Document().number(value, unused.first - offset));
  const Result<bool> is_last = update_unless_busy(counters, last, lowered);
  if (!is_last.ok() || is_last.value()) return is_last;

  earlier.fields_of(identity)
      .document(advanced, not_advanced)
      .document(value,
                number_between(unused.end - offset, kLargestNumber - offset, {"int", "long", "double"}));
  Document pushed;
  pushed.array("$each", Array().number(unused.first).number(unused.end))
      .number("$slice", -2 * static_cast<int64_t>(ReturnedRanges::kMost));
  Document added;
  added.document("$push", Document().document(returned, pushed));
  return update_unless_busy(counters, earlier, added);
}

GrowingStep::GrowingStep(const GrowingFields& fields, const ReserveRequest& request)
    : fields_(fields),
      request_(request),
      least_(std::max<int64_t>(request.floor.value_or(0) - fields.offset, 0)),
      most_(std::min(request.limit - 1, kLargestNumber - request.count) - fields.offset) {}

GrowingStep::GrowingStep(const GrowingFields& fields, const AdvanceRequest& request)
    : fields_(fields),
      request_{.counter = request.counter, .floor = {}},
      advance_(request),
      least_(0),
      most_(kLargestNumber - fields.offset) {}

void GrowingStep::append(Document& query, Document& update) const {
  // Beginning with an int64, the field becomes or stays one; $inc would leave a double that is inexact one
  // day.
  const int64_t least = taken_ ? std::max(least_, taken_->end - fields_.offset) : least_;
  const Document fits = seen_double_ ? number_between(*seen_double_, *seen_double_, {"double"})
                                     : number_between(least, most_, {"int", "long"});
  query.document(fields_.value, fits);
  Document set, raised;
  if (seen_ranges_) {
    if (seen_ranges_->is_readable) {
      query.document(fields_.returned, Document().array("$eq", array_of(*seen_ranges_)));
    }
    set.array(fields_.returned, array_of(ranges_left_));
  } else if (advance_) {
    query.document(fields_.returned, none("$lt", advance_->next));
  } else if (request_.returned_from && request_.count > 0 && !seen_none_) {
    query.document(fields_.returned, none("$gt", *request_.returned_from));
  }

  if (advance_) {
    const int64_t to = advance_->next - fields_.offset;
    raised.number(fields_.advanced, advance_->next);
    if (seen_double_) {
      set.number(fields_.value, std::max(*seen_double_, to));
    } else {
      raised.number(fields_.value, to);
    }
    update.document("$max", raised);
  } else if (!taken_ && seen_double_) {
    set.number(fields_.value, *seen_double_ + request_.count);
  } else if (!taken_) {
    update.document("$inc", Document().number(fields_.value, request_.count));
  }
  if (bson_count_keys(set.get()) > 0) update.document("$set", set);
}

std::optional<Range> GrowingStep::reserved(const bson_t* document) const {
  const CounterValue value = read_value(document, {fields_.value});
  if (!value.fine()) return std::nullopt;
  const int64_t next = value.number() + fields_.offset;
  if (advance_) return next >= advance_->next ? std::optional(Range{next, next}) : std::nullopt;
  if (taken_) return taken_;
  const int64_t before = value.number() - request_.count;
  if (seen_double_ ? before != *seen_double_ : !value_fits(before)) return std::nullopt;
  return Range{next - request_.count, next};
}

void GrowingStep::look(const GrowingState& state) {
  seen_double_.reset();
  if (state.value.is_double()) seen_double_ = state.value.number();
  seen_ranges_.reset();
  taken_.reset();
  seen_none_ = false;
  ranges_left_ = state.returned;
  if (advance_) {
    GrowingState advanced = state;
    nextid::advance(advanced, *advance_);
    ranges_left_ = advanced.returned;
    if (state.returned.is_readable && ranges_left_.ranges == state.returned.ranges) return;
  } else {
    taken_ = take_returned(ranges_left_, request_);
    seen_none_ = !taken_;
    if (!taken_) return;
  }
  seen_ranges_ = state.returned;
}

}  // namespace nextid::mongo
