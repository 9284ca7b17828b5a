#include "core/kinds/rules.h"

#include <algorithm>

#include "core/counter_errors.h"

namespace nextid {

std::optional<Error> check_value(const CounterValue& value, const CounterKey& key, const Place& place) {
  if (value.fine()) return std::nullopt;
  return counter_errors::damaged(key, place, value);
}

std::optional<Error> check_last(const CounterValue& last, const CounterKey& key, const Place& place) {
  if (auto error = check_value(last, key, place)) return error;
  if (last.number() < kLargestNumber) return std::nullopt;
  return counter_errors::used_up(key, place, kLargestNumber, 0);
}

std::optional<Error> check_growing(int64_t next, const ReserveRequest& request, const Place& place) {
  const CounterKey& key = request.counter;
  if (request.floor && next < *request.floor) {
    return counter_errors::rewound(key, place, next, *request.floor);
  }
  if (next >= request.limit && request.limit < kLargestNumber) {
    return counter_errors::past_limit(key, place, next, request.limit);
  }
  if (next < kLargestNumber && request.count <= kLargestNumber - next) return std::nullopt;
  return counter_errors::used_up(key, place, next, request.count);
}

int64_t number_after(const CounterValue& last) { return std::min(last.number(), kLargestNumber - 1) + 1; }

bool show_problem(std::initializer_list<const CounterValue*> values, CounterInfo& info) {
  for (const CounterValue* value : values) {
    if (value->fine()) continue;
    info.problem = value->problem();
    return true;
  }
  return false;
}

void show_last(const CounterValue& last, CounterInfo& info) {
  if (show_problem({&last}, info)) return;
  if (last.number() < kLargestNumber) {
    info.next = last.number() + 1;
  } else {
    info.problem = "has given the last number there is";
  }
}

}  // namespace nextid
