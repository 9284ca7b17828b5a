#include "core/kinds/rules.h"

#include "core/counter_errors.h"

namespace nextid {

std::optional<Error> check_value(const CounterValue& value, const CounterKey& key, const Place& place) {
  if (value.fine()) return std::nullopt;
  return counter_errors::damaged(key, place, value);
}

bool show_problem(std::initializer_list<const CounterValue*> values, CounterInfo& info) {
  for (const CounterValue* value : values) {
    if (value->fine()) continue;
    info.problem = value->problem();
    return true;
  }
  return false;
}

}  // namespace nextid
