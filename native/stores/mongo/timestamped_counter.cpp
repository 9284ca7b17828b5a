#include "stores/mongo/timestamped_counter.h"

#include <algorithm>
#include <cstdio>

#include "stores/mongo/counted_field.h"
#include "stores/mongo/expressions.h"
#include "stores/mongo/refusals.h"

namespace nextid::mongo {
namespace {

constexpr int64_t kMicrosecondsPerMillisecond = 1000;

constexpr const char* kUtc = "UTC";

// The condition that ids show the time of this zone; for a query.
Document shows_time_zone(const std::string& zone) {
  Document condition;
  if (zone != kUtc) return std::move(condition.text("timeZone", zone));
  // A field that is missing is null to a query.
  return std::move(condition.document("timeZone", Document().array("$in", Array().null().text(kUtc))));
}

std::string seconds(int64_t microseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(microseconds) / 1e6);
  return text;
}

}  // namespace

TimestampedCounter::TimestampedCounter(CounterCollection& counters, const ReserveRequest& request)
    : Counter(counters, request.counter),
      request_(request),
      least_(std::max<int64_t>(request.floor.value_or(1), 1) - 1),
      most_(std::min(request.limit - 1, INT64_MAX - request.count) - 1) {}

TimestampedCounter::TimestampedCounter(CounterCollection& counters, const AdvanceRequest& request)
    : Counter(counters, request.counter),
      request_{.counter = request.counter, .floor = std::nullopt},
      raised_to_(request.next - 1),
      restores_(request.restore),
      least_(0),
      most_(INT64_MAX - 2),
      before_now_(request.next - 1) {}

Document TimestampedCounter::identity() const {
  Document query;
  query.text("_id", key().name);
  return query;
}

Result<Step> TimestampedCounter::step() {
  if (!raised_to_) {
    now_ = request_.clock();
    const Result<int64_t> slot = slot_of_clock();
    if (!slot.ok()) return slot.error();
    before_now_ = slot.value() - 1;
  }

  Array conditions;
  conditions.document(is_whole("$slot"));
  if (request_.max_skew != INT64_MAX) {
    const int64_t earliest = (now_ - request_.max_skew) / kMicrosecondsPerMillisecond;
    conditions.document(call("$lte", Array().number(earliest).document(call("$toLong", "$$NOW"))));
  }
  Document between;
  between.number("$gte", least_).number("$lte", most_);
  Step step{.query = identity(), .is_pipeline = true, .lost = request_.count};
  step.query.fields_of(shows_time_zone(key().time_zone))
      .document("digits", equals_number(key().digits))
      .document("slot", between)
      .document("$expr", call("$and", conditions));
  const Document later = call("$max", Array().document(call("$toLong", "$slot")).number(before_now_));
  step.change.document(
      "$set", Document().document("slot", call("$add", Array().document(later).number(request_.count))));
  return step;
}

Result<Range> TimestampedCounter::reserved(const bson_t* document) const {
  const CounterValue slot = read_counter_value(document, "slot");
  const int64_t before = slot.number - request_.count;
  if (slot.fine() && before >= std::max(least_, before_now_) && before <= std::max(most_, before_now_)) {
    return Range{before + 1, slot.number + 1};
  }
  Error error = counters().errors().of_nonsense("findAndModify says that slot is now " + slot.text);
  error.lost = request_.count;
  return error;
}

bool TimestampedCounter::is_in(const bson_t* document) const {
  return holds_timestamped(document) || bson_has_field(document, "digits");
}

std::optional<Error> TimestampedCounter::objection(const bson_t* document) {
  const CounterValue digits = read_counter_value(document, "digits");
  const CounterValue slot = read_counter_value(document, "slot");
  const std::optional<std::string> zone = time_zone_of(document);
  const bool has_digits = digits.fine() && digits.number <= 4;
  const bool suits =
      (!has_digits || digits.number == key().digits) && zone.value_or(key().time_zone) == key().time_zone;
  if (restores_ && suits && digits.is_there) {
    const bool slot_gives_way = slot.gives_way_to(*raised_to_);
    if (slot_gives_way || (slot.fine() && !(has_digits && zone))) {
      Document fields;
      fields.number("slot", slot_gives_way ? *raised_to_ : slot.number).fields_of(options());
      if (!zone && key().time_zone == kUtc) fields.text("timeZone", kUtc);
      return replace_damaged(*this, document, fields);
    }
  }
  if (!has_digits) {
    return damaged(*this, "holds in digits " + digits.text + ", where an integer from 0 to 4 was expected",
                   digits.is_there);
  }
  if (digits.number != key().digits) {
    return made_for("digits: " + std::to_string(digits.number), "digits: " + std::to_string(key().digits));
  }
  if (!zone) return damaged(*this, "holds in timeZone what is no text", true);
  if (*zone != key().time_zone) {
    return made_for("timeZone: '" + *zone + "'", "timeZone: '" + key().time_zone + "'");
  }
  if (!slot.fine()) return damaged(*this, slot);
  if (auto error = misfit(*this, request_, slot.number == INT64_MAX ? INT64_MAX : slot.number + 1)) {
    return error;
  }
  return clock_ahead();
}

std::optional<Error> TimestampedCounter::objection_to_making() {
  if (request_.floor) {
    return missing(*this, "slots below " + std::to_string(*request_.floor), request_.floor);
  }
  return clock_ahead();
}

// With slot 0, as if nothing was ever given: the step that follows goes to the present.
Result<Making> TimestampedCounter::make(bool other_kind_is_there) {
  return make_by_name(counters(), key().name,
                      Document().number("slot", raised_to_.value_or(0)).fields_of(options()),
                      other_kind_is_there);
}

Error TimestampedCounter::made_for(const std::string& has, const std::string& asked) const {
  return refusal(ErrorCode::kOptionsConflict, called() + " counts with " + has + ", and was asked for with " +
                                                  asked + "; open it with " + has + ", or use another name");
}

Document TimestampedCounter::options() const {
  Document fields;
  fields.small_number("digits", key().digits);
  if (key().time_zone != kUtc) fields.text("timeZone", key().time_zone);
  return fields;
}

Result<int64_t> TimestampedCounter::slot_of_clock() const {
  const int64_t per_microsecond = slots_per_microsecond(key().digits);
  const int64_t since_epoch = now_ - slot_epoch(key().digits);
  const std::string clock =
      "the clock of this machine shows " + std::to_string(now_) + " microseconds since 1970, ";
  if (since_epoch <= 0) {
    return refusal(
        ErrorCode::kIdOverflow,
        clock + "which is before the time at which slots with digits: " + std::to_string(key().digits) +
            " begin (" + std::to_string(slot_epoch(key().digits)) + "); set the clock right");
  }
  const int64_t last = std::min(request_.limit - 1, INT64_MAX - request_.count);
  if (since_epoch > last / per_microsecond || since_epoch * per_microsecond > last) {
    return refusal(ErrorCode::kIdOverflow,
                   clock + "too late for slots with digits: " + std::to_string(key().digits) +
                       ", which must be below " + std::to_string(request_.limit) +
                       "; set the clock right, or use fewer digits under another name");
  }
  return since_epoch * per_microsecond;
}

std::optional<Error> TimestampedCounter::clock_ahead() {
  if (request_.max_skew == INT64_MAX) return std::nullopt;
  const Result<int64_t> server = counters().server_time();
  if (!server.ok()) return server.error();
  const int64_t ahead = now_ - server.value();
  if (ahead <= request_.max_skew) return std::nullopt;
  return refusal(
      ErrorCode::kClockAhead,
      "the clock of this machine is " + seconds(ahead) + " ahead of the server's, and at most " +
          seconds(request_.max_skew) + " are allowed, else " + called() +
          " would run into the future for everybody; nothing was reserved. Set the clock right, or "
          "allow more with maxSkew");
}

}  // namespace nextid::mongo
