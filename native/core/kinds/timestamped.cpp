#include "core/kinds/timestamped.h"

#include <algorithm>

#include "core/counter_errors.h"
#include "core/kinds/rules.h"
#include "core/quoting.h"

namespace nextid {
namespace {

const Timestamped& kind_of(const CounterKey& key) { return std::get<Timestamped>(key.kind); }

std::string option(int64_t digits) { return "digits: " + std::to_string(digits); }
std::string option(const std::string& time_zone) { return "timeZone: '" + time_zone + "'"; }

std::optional<Error> check_options(const Timestamped::State& state, const CounterKey& key,
                                   const Place& place) {
  const Timestamped& kind = kind_of(key);
  if (auto error = check_value(state.digits, key, place)) return error;
  if (state.digits.number() != kind.digits) {
    return counter_errors::other_option(key, place, option(state.digits.number()), option(kind.digits));
  }
  if (!state.time_zone) return counter_errors::damaged(key, place, counter_errors::kTimeZoneProblem);
  if (*state.time_zone == kind.time_zone) return std::nullopt;
  return counter_errors::other_option(key, place, option(*state.time_zone), option(kind.time_zone));
}

}  // namespace

std::string Timestamped::flags() const {
  return " --timestamp --digits " + std::to_string(digits) +
         (time_zone == kUtc ? "" : " --time-zone " + shell_quoted(time_zone));
}

std::optional<Error> check(const Timestamped::State& state, const ReserveRequest& request,
                           const Place& place) {
  if (auto error = check_options(state, request.counter, place)) return error;
  return check(state.slot, request, place);
}

std::optional<Error> check(const Timestamped::State& state, const AdvanceRequest& request,
                           const Place& place) {
  if (auto error = check_options(state, request.counter, place)) return error;
  return check(state.slot, request, place);
}

Result<Range> reserve(Timestamped::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request, place)) return *error;
  const Result<int64_t> present = slot_of(request.clock(), request, place);
  if (!present.ok()) return present.error();
  const int64_t first = std::max(state.slot.next(), present.value());
  state.slot.set_next(first + request.count);
  return Range{first, first + request.count};
}

int64_t advance(Timestamped::State& state, const AdvanceRequest& request) {
  return advance(state.slot, request);
}

bool repair(Timestamped::State& state, const AdvanceRequest& request) {
  const Timestamped& kind = kind_of(request.counter);
  if (!state.digits.is_there() || (state.digits.fine() && state.digits.number() != kind.digits) ||
      (state.time_zone && *state.time_zone != kind.time_zone)) {
    return false;
  }
  Timestamped::State repaired = state;
  const bool slot_gives_way = repair(repaired.slot, request);
  const bool digits_give_way = repaired.digits.give_way_to(kind.digits, -1);
  repaired.time_zone = kind.time_zone;
  if (!repaired.slot.value.fine() || !(slot_gives_way || digits_give_way || !state.time_zone)) return false;
  state = repaired;
  return true;
}

void show(const Timestamped::State& state, CounterInfo& info) {
  Timestamped& kind = std::get<Timestamped>(info.key.kind);
  if (state.digits.fine()) kind.digits = static_cast<int>(state.digits.number());
  kind.time_zone = state.time_zone.value_or(kind.time_zone);
  if (show_problem({&state.digits}, info)) return;
  if (state.time_zone) return show(state.slot, info);
  info.problem = counter_errors::kTimeZoneProblem;
}

Result<int64_t> slot_of(int64_t now, const ReserveRequest& request, const Place& place) {
  const int digits = kind_of(request.counter).digits;
  const int64_t per_microsecond = slots_per_microsecond(digits);
  const int64_t epoch = slot_epoch(digits);
  const int64_t latest =
      epoch + std::min(request.limit - 1, kLargestNumber - request.count) / per_microsecond;
  if (now > epoch && now <= latest) return (now - epoch) * per_microsecond;
  return counter_errors::clock_out_of_range(request.counter, place, now, epoch + 1, latest);
}

}  // namespace nextid
