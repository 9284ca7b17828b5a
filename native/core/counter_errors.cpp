#include "core/counter_errors.h"

#include <cstdio>

namespace nextid::counter_errors {
namespace {

std::string called(const CounterKey& key, const Place& place) { return describe(key) + " " + place.in; }

// What its numbers are: "ids".
std::string numbers_of(const CounterKey& key) {
  return std::visit([](const auto& kind) { return std::string(kind.kNumber) + "s"; }, key.kind);
}

std::string stands_at(const CounterKey& key, const Place& place, int64_t next) {
  return called(key, place) + " stands at " + std::to_string(next) + ": ";
}

std::string was_given(const CounterKey& key, int64_t floor) {
  const std::string numbers = numbers_of(key);
  return "this process was given " +
         (wraps_around(key) ? numbers + " of it" : numbers + " below " + std::to_string(floor));
}

std::string seconds(int64_t microseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(microseconds) / 1e6);
  return text;
}

}  // namespace

Error missing(const CounterKey& key, const Place& place, int64_t floor) {
  return refusal(ErrorCode::kSequenceMissing,
                 called(key, place) + " is gone: " + was_given(key, floor) +
                     "; stop all processes that use it, then restore it, or create it again with: " +
                     advance_remedy(key, floor));
}

Error rewound(const CounterKey& key, const Place& place, int64_t next, int64_t floor) {
  return refusal(ErrorCode::kSequenceRewound,
                 stands_at(key, place, next) + was_given(key, floor) +
                     "; it was set back, perhaps by a restored backup. Stop all processes that use it, then "
                     "move it up with: " +
                     advance_remedy(key, floor));
}

Error damaged(const CounterKey& key, const Place& place, const CounterValue& value) {
  if (value.is_there()) {
    Error error = damaged(key, place, value.problem());
    if (value.is_inexact() && !wraps_around(key)) error.code = ErrorCode::kIdOverflow;
    return error;
  }
  return refusal(ErrorCode::kCounterInvalid, called(key, place) + " " + value.problem() +
                                                 "; it was left as it is. Restore the field" +
                                                 place.if_field_lost);
}

Error damaged(const CounterKey& key, const Place& place, const std::string& problem) {
  return refusal(ErrorCode::kCounterInvalid,
                 called(key, place) + " " + problem +
                     "; it was left as it is. Repair it with: " + advance_remedy(key, std::nullopt, true));
}

Error returned_damaged(const CounterKey& key, const Place& place, const char* field) {
  return damaged(
      key, place,
      "holds returned ranges in " + std::string(field) +
          " that cannot be right: expected pairs of a first number and an end, which lie below the "
          "counter and do not overlap");
}

Error other_option(const CounterKey& key, const Place& place, const std::string& has,
                   const std::string& asked) {
  return refusal(ErrorCode::kOptionsConflict, called(key, place) + " counts with " + has + ", and " + asked +
                                                  " was asked for; open the sequence with " + has +
                                                  ", or give it another name");
}

Error past_limit(const CounterKey& key, const Place& place, int64_t next, int64_t limit) {
  const char* advice = std::visit([](const auto& kind) { return kind.kPastLimit; }, key.kind);
  return refusal(ErrorCode::kIdOverflow, stands_at(key, place, next) + numbers_of(key) +
                                             " of this sequence must be below " + std::to_string(limit) +
                                             "; " + advice);
}

Error used_up(const CounterKey& key, const Place& place, int64_t next, int64_t count) {
  const std::string more = count > 0 ? std::to_string(count) + " more " : "more ";
  return refusal(ErrorCode::kIdOverflow, stands_at(key, place, next) + "there is no room for " + more +
                                             numbers_of(key) + " up to " + std::to_string(kLargestNumber) +
                                             "; begin another sequence");
}

Error across_wrap(const CounterKey& key, const Place& place, int64_t left, int64_t count) {
  const std::string fits = std::to_string(left);
  return refusal(ErrorCode::kAcrossWrap,
                 called(key, place) + " has " + fits + " ids left before it wraps around from " +
                     std::to_string(std::get<Cyclic>(key.kind).cycle) + " to 1, and one block of " +
                     std::to_string(count) + " was asked for; reserve at most " + fits +
                     ", or take ids with nextIds(), which wraps around");
}

Error too_many_at_once(const CounterKey& key, const Place& place, int64_t count) {
  return refusal(ErrorCode::kIdOverflow, called(key, place) + " cannot give " + std::to_string(count) +
                                             " ids at once; ask for fewer");
}

Error clock_out_of_range(const CounterKey& key, const Place& place, int64_t now, int64_t earliest,
                         int64_t latest) {
  return refusal(ErrorCode::kIdOverflow,
                 "the clock of this machine shows " + std::to_string(now) +
                     " microseconds since 1970: slots of " + called(key, place) +
                     " with digits: " + std::to_string(std::get<Timestamped>(key.kind).digits) + " go from " +
                     std::to_string(earliest) + " to " + std::to_string(latest) + "; set the clock" +
                     (now > latest ? ", or choose fewer digits under another name" : ""));
}

Error clock_ahead(const CounterKey& key, const Place& place, int64_t ahead, int64_t allowed) {
  return refusal(ErrorCode::kClockAhead,
                 "the clock of this machine is " + seconds(ahead) + " ahead of the server's: at most " +
                     seconds(allowed) + " is allowed, else " + called(key, place) +
                     " would run into the future for everybody; nothing was reserved. Set the clock, or "
                     "allow more with maxSkew");
}

Error pruned(const CounterKey& key, const Place& place, int64_t closed) {
  return refusal(ErrorCode::kPeriodPruned,
                 called(key, place) + " is not there, and each " + period_of(prefix_of(key)) + " up to " +
                     std::to_string(closed) +
                     " was pruned: created again, it would give ids a second time; if this machine's clock "
                     "was set back, set it. If prune went too far, in another time zone, restore the counter "
                     "with: " +
                     advance_remedy(key, std::nullopt, true));
}

Error mark_damaged(const std::string& name, int64_t prefix, const Place& place, const CounterValue& value,
                   const std::string& remedy) {
  const std::string period = period_of(prefix);
  return refusal(ErrorCode::kCounterInvalid, "the mark " + place.in + " up to which each " + period +
                                                 " of '" + name + "' was pruned " + value.problem() +
                                                 "; it was left as it is. With P the last " + period +
                                                 " that was pruned, run " + remedy);
}

}  // namespace nextid::counter_errors
