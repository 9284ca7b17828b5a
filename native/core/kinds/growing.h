#pragma once

#include "core/kinds/kind.h"

namespace nextid {

// What a counter stores whose numbers only grow, and which takes unused numbers back: plain and dated.
struct GrowingState {
  CounterValue value;
  int64_t offset = 0;  // what to add to the value to have the number that is given next

  // Whether the value leaves no number that could be given next.
  bool is_used_up() const { return value.number() > kLargestNumber - offset; }
  // The number that is given next; kLargestNumber also if there is none.
  int64_t next() const { return is_used_up() ? kLargestNumber : value.number() + offset; }
  void set_next(int64_t next) { value.set(next - offset); }
};

std::optional<Error> check(const GrowingState& state, const ReserveRequest& request, const Place& place);
std::optional<Error> check(const GrowingState& state, const AdvanceRequest& request, const Place& place);
Result<Range> reserve(GrowingState& state, const ReserveRequest& request, const Place& place);
bool give_back(GrowingState& state, Range unused);
int64_t advance(GrowingState& state, const AdvanceRequest& request);
bool repair(GrowingState& state, const AdvanceRequest& request);
void show(const GrowingState& state, CounterInfo& info);

}  // namespace nextid
