#pragma once

#include <initializer_list>

#include "core/store.h"

// What the rules of several kinds have in common.
namespace nextid {

// kCounterInvalid if the value is damaged; kIdOverflow for a double too large to count on from.
std::optional<Error> check_value(const CounterValue& value, const CounterKey& key, const Place& place);

// For list(): the first problem of the values, if one is damaged. Returns whether it is.
bool show_problem(std::initializer_list<const CounterValue*> values, CounterInfo& info);

}  // namespace nextid
