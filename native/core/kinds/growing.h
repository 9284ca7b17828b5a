#pragma once

#include <vector>

#include "core/kinds/kind.h"

namespace nextid {

// Ranges of a counter that closed sequences put back after others had reserved, and that nobody has.
struct ReturnedRanges {
  static constexpr size_t kMost = 100;  // of more, the oldest are dropped

  std::vector<Range> ranges{};     // oldest first
  bool is_readable = true;         // else the store holds something else in their place
  const char* field = "returned";  // what the store calls the place

  // How stores keep them: first, end, first, end, …
  static ReturnedRanges of_bounds(const std::vector<int64_t>& bounds, const char* field);
  std::vector<int64_t> bounds() const;

  // How many numbers they hold. REQUIRES: fit_below()
  int64_t count() const;
  // Whether all of them lie below `next` and none overlaps another.
  bool fit_below(int64_t next) const;
  // The lowest that begins at `from` or above; ranges.end() if there is none.
  std::vector<Range>::iterator lowest_from(int64_t from);
};

// What a counter stores whose numbers only grow, and which takes unused numbers back: plain and dated.
struct GrowingState {
  CounterValue value;
  int64_t offset = 0;  // what to add to the value to have the number that is given next
  ReturnedRanges returned{};
  int64_t advanced = 0;  // the largest number that advance() was asked for: none below it is taken back

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

// The part of a returned range that the request is given in place of new numbers, after it has been taken
// out of the list; none if there is no range for it.
std::optional<Range> take_returned(ReturnedRanges& returned, const ReserveRequest& request);

}  // namespace nextid
