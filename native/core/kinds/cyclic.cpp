#include "core/kinds/cyclic.h"

#include <algorithm>

#include "core/counter_errors.h"
#include "core/kinds/rules.h"

namespace nextid {
namespace {

int64_t cycle_of(const CounterKey& key) { return std::get<Cyclic>(key.kind).cycle; }

std::string option(int64_t cycle) { return "cycle: " + std::to_string(cycle); }

std::optional<Error> check(const Cyclic::State& state, const CounterKey& key, const Place& place) {
  if (auto error = check_value(state.maxval, key, place)) return error;
  if (state.maxval.number() != cycle_of(key)) {
    return counter_errors::other_option(key, place, option(state.maxval.number()), option(cycle_of(key)));
  }
  return check_value(state.val, key, place);
}

}  // namespace

std::optional<Error> check(const Cyclic::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request.counter, place)) return error;
  const int64_t left = cycle_of(request.counter) - id_after(state.val.number(), state.maxval.number()) + 1;
  if (request.unbroken && request.count > left) {
    return counter_errors::across_wrap(request.counter, place, left, request.count);
  }
  return refuse_too_many(request, place);
}

std::optional<Error> check(const Cyclic::State& state, const AdvanceRequest& request, const Place& place) {
  return check(state, request.counter, place);
}

Result<Range> reserve(Cyclic::State& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request, place)) return *error;
  const int64_t cycle = cycle_of(request.counter);
  const int64_t first = id_after(state.val.number(), cycle);
  if (request.count > 0) state.val.set((first - 1 + (request.count - 1)) % cycle + 1);
  return Range{first, first + request.count};
}

int64_t advance(Cyclic::State& state, const AdvanceRequest& request) {
  state.val.set(std::max(state.val.number(), request.next - 1));
  return id_after(state.val.number(), cycle_of(request.counter));
}

bool repair(Cyclic::State& state, const AdvanceRequest& request) {
  const int64_t cycle = cycle_of(request.counter);
  if (!state.maxval.is_there() || (state.maxval.fine() && state.maxval.number() != cycle)) return false;
  Cyclic::State repaired = state;
  // A val past the end of the cycle is not a later place in it.
  const bool val_gives_way = repaired.val.give_way_to(request.next - 1, cycle);
  const bool maxval_gives_way = repaired.maxval.give_way_to(cycle, 0);
  if (!repaired.val.fine() || !(val_gives_way || maxval_gives_way)) return false;
  state = repaired;
  return true;
}

void show(const Cyclic::State& state, CounterInfo& info) {
  if (state.maxval.fine()) info.key.kind = Cyclic{state.maxval.number()};
  if (show_problem({&state.maxval, &state.val}, info)) return;
  info.next = id_after(state.val.number(), state.maxval.number());
}

std::optional<Error> refuse_too_many(const ReserveRequest& request, const Place& place) {
  if (request.count <= kLargestNumber - cycle_of(request.counter)) return std::nullopt;
  return counter_errors::too_many_at_once(request.counter, place, request.count);
}

}  // namespace nextid
