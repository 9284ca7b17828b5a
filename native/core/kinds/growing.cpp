#include "core/kinds/growing.h"

#include <algorithm>

#include "core/counter_errors.h"
#include "core/kinds/rules.h"

namespace nextid {

std::optional<Error> check(const GrowingState& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check_value(state.value, request.counter, place)) return error;
  const CounterKey& key = request.counter;
  const int64_t next = state.next();
  if (request.floor && next < *request.floor) {
    return counter_errors::rewound(key, place, next, *request.floor);
  }
  if (next >= request.limit && request.limit < kLargestNumber) {
    return counter_errors::past_limit(key, place, next, request.limit);
  }
  if (next < kLargestNumber && request.count <= kLargestNumber - next) return std::nullopt;
  return counter_errors::used_up(key, place, next, request.count);
}

std::optional<Error> check(const GrowingState& state, const AdvanceRequest& request, const Place& place) {
  if (auto error = check_value(state.value, request.counter, place)) return error;
  if (!state.is_used_up()) return std::nullopt;
  return counter_errors::used_up(request.counter, place, kLargestNumber, 0);
}

Result<Range> reserve(GrowingState& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request, place)) return *error;
  const Range range{state.next(), state.next() + request.count};
  state.set_next(range.end);
  return range;
}

bool give_back(GrowingState& state, Range unused) {
  if (!state.value.fine() || state.is_used_up() || state.next() != unused.end) return false;
  state.set_next(unused.first);
  return true;
}

int64_t advance(GrowingState& state, const AdvanceRequest& request) {
  state.set_next(std::max(state.next(), request.next));
  return state.next();
}

bool repair(GrowingState& state, const AdvanceRequest& request) {
  return state.value.give_way_to(request.next - state.offset);
}

void show(const GrowingState& state, CounterInfo& info) {
  if (show_problem({&state.value}, info)) return;
  if (state.is_used_up()) {
    info.problem = "has given the last number there is";
  } else {
    info.next = state.next();
  }
}

}  // namespace nextid
