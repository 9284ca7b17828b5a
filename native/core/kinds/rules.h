#pragma once

#include <initializer_list>

#include "core/store.h"

// What the rules of several kinds have in common.
namespace nextid {

// kCounterInvalid if the value is damaged; kIdOverflow for a double too large to count on from.
std::optional<Error> check_value(const CounterValue& value, const CounterKey& key, const Place& place);

// The same for a number that was given last; kIdOverflow if it is the last one there is.
std::optional<Error> check_last(const CounterValue& last, const CounterKey& key, const Place& place);

// For kinds whose numbers only grow: what stands in the way where `next` is given next.
std::optional<Error> check_growing(int64_t next, const ReserveRequest& request, const Place& place);

// The number after `last`; kLargestNumber also if there is none.
int64_t number_after(const CounterValue& last);

// For list(): the first problem of the values, if one is damaged. Returns whether it is.
bool show_problem(std::initializer_list<const CounterValue*> values, CounterInfo& info);

// For list(): what follows `last`, or what is wrong with it.
void show_last(const CounterValue& last, CounterInfo& info);

}  // namespace nextid
