#include "core/kinds/growing.h"

#include <algorithm>

#include "core/counter_errors.h"
#include "core/kinds/rules.h"

namespace nextid {
namespace {

// Whether the request would be served from the list, were it as it should be.
bool concerns(const ReturnedRanges& returned, const ReserveRequest& request) {
  if (!request.returned_from || request.count == 0) return false;
  const auto reaches = [&](const Range& range) { return range.end > *request.returned_from; };
  return !returned.is_readable || std::any_of(returned.ranges.begin(), returned.ranges.end(), reaches);
}

}  // namespace

ReturnedRanges ReturnedRanges::of_bounds(const std::vector<int64_t>& bounds, const char* field) {
  ReturnedRanges returned{.is_readable = bounds.size() % 2 == 0, .field = field};
  for (size_t i = 0; i + 1 < bounds.size(); i += 2) returned.ranges.push_back({bounds[i], bounds[i + 1]});
  return returned;
}

std::vector<int64_t> ReturnedRanges::bounds() const {
  std::vector<int64_t> bounds;
  for (const Range& range : ranges) bounds.insert(bounds.end(), {range.first, range.end});
  return bounds;
}

int64_t ReturnedRanges::count() const {
  int64_t numbers = 0;
  for (const Range& range : ranges) numbers += range.count();
  return numbers;
}

bool ReturnedRanges::fit_below(int64_t next) const {
  std::vector<Range> sorted = ranges;
  const auto lower = [](const Range& a, const Range& b) { return a.first < b.first; };
  std::sort(sorted.begin(), sorted.end(), lower);
  int64_t end = 0;
  for (const Range& range : sorted) {
    if (range.first < end || range.empty() || range.end > next) return false;
    end = range.end;
  }
  return is_readable;
}

std::vector<Range>::iterator ReturnedRanges::lowest_from(int64_t from) {
  auto lowest = ranges.end();
  for (auto range = ranges.begin(); range != ranges.end(); ++range) {
    if (range->first >= from && (lowest == ranges.end() || range->first < lowest->first)) lowest = range;
  }
  return lowest;
}

std::optional<Error> check(const GrowingState& state, const ReserveRequest& request, const Place& place) {
  const CounterKey& key = request.counter;
  if (auto error = check_value(state.value, key, place)) return error;
  const int64_t next = state.next();
  if (request.floor && next < *request.floor) {
    return counter_errors::rewound(key, place, next, *request.floor);
  }
  if (next >= request.limit && request.limit < kLargestNumber) {
    return counter_errors::past_limit(key, place, next, request.limit);
  }
  if (concerns(state.returned, request) && !state.returned.fit_below(next)) {
    return counter_errors::returned_damaged(key, place, state.returned.field);
  }
  if (next < kLargestNumber && request.count <= kLargestNumber - next) return std::nullopt;
  return counter_errors::used_up(key, place, next, request.count);
}

std::optional<Error> check(const GrowingState& state, const AdvanceRequest& request, const Place& place) {
  if (auto error = check_value(state.value, request.counter, place)) return error;
  if (!state.is_used_up()) return std::nullopt;
  return counter_errors::used_up(request.counter, place, kLargestNumber, 0);
}

std::optional<Range> take_returned(ReturnedRanges& returned, const ReserveRequest& request) {
  if (!request.returned_from || request.count == 0) return std::nullopt;
  const auto lowest = returned.lowest_from(*request.returned_from);
  if (lowest == returned.ranges.end()) return std::nullopt;
  const Range taken = lowest->take_front(request.count);
  if (lowest->empty()) returned.ranges.erase(lowest);
  return taken;
}

Result<Range> reserve(GrowingState& state, const ReserveRequest& request, const Place& place) {
  if (auto error = check(state, request, place)) return *error;
  if (const auto taken = take_returned(state.returned, request)) return *taken;
  const Range range{state.next(), state.next() + request.count};
  state.set_next(range.end);
  return range;
}

bool give_back(GrowingState& state, Range unused) {
  if (!state.value.fine() || state.is_used_up()) return false;
  if (unused.first < state.advanced || unused.end > state.next()) return false;
  if (state.next() == unused.end) {
    state.set_next(unused.first);
    return true;
  }
  std::vector<Range>& ranges = state.returned.ranges;
  if (!state.returned.is_readable) return false;
  if (ranges.size() >= ReturnedRanges::kMost) ranges.erase(ranges.begin());
  ranges.push_back(unused);
  return true;
}

int64_t advance(GrowingState& state, const AdvanceRequest& request) {
  const bool fit = state.returned.fit_below(state.next());
  std::vector<Range>& ranges = state.returned.ranges;
  std::erase_if(ranges, [&](const Range& range) { return !fit || range.first < request.next; });
  state.returned.is_readable = true;
  state.set_next(std::max(state.next(), request.next));
  state.advanced = std::max(state.advanced, request.next);
  return state.next();
}

bool repair(GrowingState& state, const AdvanceRequest& request) {
  return state.value.give_way_to(request.next - state.offset);
}

void show(const GrowingState& state, CounterInfo& info) {
  if (show_problem({&state.value}, info)) return;
  if (state.is_used_up()) {
    info.problem = "has given the last number there is";
  } else if (!state.returned.fit_below(state.next())) {
    info.problem = std::string("has damaged ranges in ") + state.returned.field;
  } else {
    info.next = state.next();
    info.returned = state.returned.count();
  }
}

}  // namespace nextid
