#include "core/kinds/plain.h"

#include <algorithm>

#include "core/kinds/rules.h"

namespace nextid {

std::optional<Error> check(const Plain::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check_value(state.next, request.counter, place)) return error;
  return check_growing(state.next.number(), request, place);
}

std::optional<Error> check(const Plain::State& state, const AdvanceRequest& request, const Place& place) {
  return check_value(state.next, request.counter, place);
}

Result<Range> reserve(Plain::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request, place)) return *error;
  const Range range{state.next.number(), state.next.number() + request.count};
  state.next.set(range.end);
  return range;
}

bool give_back(Plain::State& state, Range unused) {
  if (!state.next.fine() || state.next.number() != unused.end) return false;
  state.next.set(unused.first);
  return true;
}

int64_t advance(Plain::State& state, const AdvanceRequest& request) {
  state.next.set(std::max(state.next.number(), request.next));
  return state.next.number();
}

bool repair(Plain::State& state, const AdvanceRequest& request) {
  return state.next.give_way_to(request.next);
}

void show(const Plain::State& state, CounterInfo& info) {
  if (show_problem({&state.next}, info)) return;
  info.next = state.next.number();
}

}  // namespace nextid
