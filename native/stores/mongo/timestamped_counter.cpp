#include "stores/mongo/timestamped_counter.h"

#include <algorithm>

#include "stores/mongo/expressions.h"

namespace nextid::mongo {
namespace {

constexpr int64_t kMicrosecondsPerMillisecond = 1000;

// The condition that ids show the time of this zone; for a query.
Document shows_time_zone(const std::string& zone) {
  Document condition;
  if (zone != Timestamped::kUtc) return std::move(condition.text("timeZone", zone));
  // A field that is missing is null to a query.
  return std::move(
      condition.document("timeZone", Document().array("$in", Array().null().text(Timestamped::kUtc))));
}

}  // namespace

TimestampedCounter::TimestampedCounter(CounterCollection& counters, const ReserveRequest& request)
    : CounterOfKind(counters, request),
      kind_(std::get<Timestamped>(key().kind)),
      least_(std::max<int64_t>(request.floor.value_or(1), 1) - 1),
      most_(std::min(request.limit - 1, kLargestNumber - request.count) - 1) {}

TimestampedCounter::TimestampedCounter(CounterCollection& counters, const AdvanceRequest& request)
    : CounterOfKind(counters, request),
      kind_(std::get<Timestamped>(key().kind)),
      least_(0),
      most_(kLargestNumber - 1),
      before_now_(request.next - 1) {}

Result<Step> TimestampedCounter::step() {
  if (!advance_) {
    now_ = request_.clock();
    const Result<int64_t> slot = slot_of(now_, request_, place_of(counters_));
    if (!slot.ok()) return slot.error();
    before_now_ = slot.value() - 1;
  }

  Array conditions;
  conditions.document(is_whole("$slot"));
  if (request_.max_skew != kLargestNumber) {
    const int64_t earliest = (now_ - request_.max_skew) / kMicrosecondsPerMillisecond;
    conditions.document(call("$lte", Array().number(earliest).document(call("$toLong", "$$NOW"))));
  }
  Document between;
  between.number("$gte", least_).number("$lte", most_);
  Step step{.query = identity(), .is_pipeline = true, .lost = request_.count};
  step.query.fields_of(shows_time_zone(kind_.time_zone))
      .document("digits", equals_number(kind_.digits))
      .document("slot", between)
      .document("$expr", call("$and", conditions));
  const Document later = call("$max", Array().document(call("$toLong", "$slot")).number(before_now_));
  step.change.document(
      "$set", Document().document("slot", call("$add", Array().document(later).number(request_.count))));
  return step;
}

Result<Range> TimestampedCounter::reserved(const bson_t* document) const {
  const CounterValue slot = read_value(document, Timestamped::kSlot);
  const int64_t before = slot.fine() ? slot.number() - request_.count : -1;
  if (before >= std::max(least_, before_now_) && before <= std::max(most_, before_now_)) {
    return Range{before + 1, slot.number() + 1};
  }
  return nonsense("slot", slot);
}

std::optional<Error> TimestampedCounter::objection_to_making() {
  if (auto error = Counter::objection_to_making()) return error;
  return clock_ahead();
}

// With slot 0 for a counter that was not there, as if nothing was ever given: the step that follows goes to
// the present.
Document TimestampedCounter::fields(const Timestamped::State& state, const bson_t* seen) const {
  Document fields;
  fields.number("slot", state.slot.value.number())
      .small_number("digits", static_cast<int32_t>(state.digits.number()));
  const bool has_time_zone = seen != nullptr && bson_has_field(seen, "timeZone");
  if (has_time_zone || *state.time_zone != Timestamped::kUtc) fields.text("timeZone", *state.time_zone);
  return fields;
}

// The zone is UTC if the document does not name one.
Timestamped::State TimestampedCounter::state_of(const bson_t* document) {
  const auto zone = find_field(document, "timeZone");
  return {{read_value(document, Timestamped::kSlot), 1}, read_value(document, Timestamped::kDigits),
          !zone || BSON_ITER_HOLDS_NULL(&*zone) ? Timestamped::kUtc : find_text(document, "timeZone")};
}

std::optional<Error> TimestampedCounter::look(const Timestamped::State&) { return clock_ahead(); }

std::optional<Error> TimestampedCounter::clock_ahead() {
  if (request_.max_skew == kLargestNumber) return std::nullopt;
  const Result<int64_t> server = counters_.server_time();
  if (!server.ok()) return server.error();
  const int64_t ahead = now_ - server.value();
  if (ahead <= request_.max_skew) return std::nullopt;
  return counter_errors::clock_ahead(key(), place_of(counters_), ahead, request_.max_skew);
}

}  // namespace nextid::mongo
