#include "core/kinds/dated.h"

#include <algorithm>

#include "core/kinds/rules.h"

namespace nextid {

std::optional<Error> check(const Dated::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check_value(state.last, request.counter, place)) return error;
  return check_growing(number_after(state.last), request, place);
}

std::optional<Error> check(const Dated::State& state, const AdvanceRequest& request, const Place& place) {
  return check_last(state.last, request.counter, place);
}

Result<Range> reserve(Dated::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request, place)) return *error;
  const int64_t last = state.last.number();
  state.last.set(last + request.count);
  return Range{last + 1, last + 1 + request.count};
}

bool give_back(Dated::State& state, Range unused) {
  if (!state.last.fine() || state.last.number() != unused.end - 1) return false;
  state.last.set(unused.first - 1);
  return true;
}

int64_t advance(Dated::State& state, const AdvanceRequest& request) {
  state.last.set(std::max(state.last.number(), request.next - 1));
  return state.last.number() + 1;
}

bool repair(Dated::State& state, const AdvanceRequest& request) {
  return state.last.give_way_to(request.next - 1);
}

void show(const Dated::State& state, CounterInfo& info) { show_last(state.last, info); }

}  // namespace nextid
