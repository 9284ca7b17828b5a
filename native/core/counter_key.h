#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "core/kinds/cyclic.h"
#include "core/kinds/dated.h"
#include "core/kinds/plain.h"
#include "core/kinds/timestamped.h"

namespace nextid {

// How a counter counts. This is the registry of the kinds. Each kind has a pair of files in core/kinds, with:
//   kName, kNumber, …        its words for messages
//   kGivesBack               whether unused numbers may be given back to the counter
//   kWrapsAround             whether numbers come again, so that the counter's value alone proves little
//   its fields               what distinguishes its counters of one name, or how they count
//   flags()                  these fields as options of `nextid advance`
//   each_field()             these fields as the addon passes them to and from JavaScript
//   State, first_state()     what a counter stores, and what it stores when it is created
// and with these functions, the rules by which its counters count:
//   check(state, request)    returns why the request cannot be served, if so
//   reserve(state, request)  checks, and moves the state up by the numbers asked for
//   advance(state, request)  moves the state up to a number. REQUIRES: check() returned no error
//   repair(state, request)   for AdvanceRequest::restore: replaces a damaged value if this is safe. Returns
//                            whether it did; check() then returns no error
//   give_back(state, range)  takes back the numbers that were reserved last; only with kGivesBack
//   show(state, info)        fills in what list() shows
using CounterKind = std::variant<Plain, Dated, Cyclic, Timestamped>;

// Identifies a counter and how it counts. Counters of one name and different kinds are independent.
struct CounterKey {
  std::string name;  // empty only for dated counters shared with programs that use no names
  CounterKind kind{};

  bool operator==(const CounterKey&) const = default;
};

// Calls `visit` with a default-constructed kind of each alternative, in order.
template <typename Visit, size_t... I>
void for_each_kind(const Visit& visit, std::index_sequence<I...>) {
  (visit(std::variant_alternative_t<I, CounterKind>()), ...);
}
template <typename Visit>
void for_each_kind(const Visit& visit) {
  for_each_kind(visit, std::make_index_sequence<std::variant_size_v<CounterKind>>());
}

template <typename Kind>
bool is(const CounterKind& kind) {
  return std::holds_alternative<Kind>(kind);
}
template <typename Kind>
bool is(const CounterKey& key) {
  return is<Kind>(key.kind);
}

inline const char* to_string(const CounterKind& kind) {
  return std::visit([](const auto& alternative) { return alternative.kName; }, kind);
}

inline bool gives_back(const CounterKey& key) {
  return std::visit([](const auto& kind) { return kind.kGivesBack; }, key.kind);
}

inline bool wraps_around(const CounterKey& key) {
  return std::visit([](const auto& kind) { return kind.kWrapsAround; }, key.kind);
}

// The period of a counter; 0 if its kind has no periods.
inline int64_t prefix_of(const CounterKey& key) {
  const auto* dated = std::get_if<Dated>(&key.kind);
  return dated ? dated->prefix : 0;
}

// Returns `key` with the period `prefix`; unchanged if its kind has no periods.
inline CounterKey of_period(CounterKey key, int64_t prefix) {
  if (auto* dated = std::get_if<Dated>(&key.kind)) dated->prefix = prefix;
  return key;
}

// The order in which counters are listed: by name, kind and period.
bool listed_before(const CounterKey& a, const CounterKey& b);

// "the counter 'orders'", "the counter of 140625 of 'orders'", "the counter of 140625"
std::string describe(const CounterKey& key);

// The shell command that moves a counter up, and what its number must be. It never moves a counter down.
// `least`: all numbers given to the caller are below this; nullopt if it does not know any. `restore`: see
// AdvanceRequest.
std::string advance_remedy(const CounterKey& key, std::optional<int64_t> least, bool restore = false);

}  // namespace nextid
