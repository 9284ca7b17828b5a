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

// How a counter counts. This is the registry of the kinds. Each has a pair of files in core/kinds, with:
//   kName, kNumber, …        its words for messages
//   kGivesBack               whether numbers that nobody was given may go back to the counter
//   kWrapsAround             whether numbers come again: where the counter stands then says little
//   its fields               what tells its counters from others of the same name, or how they count
//   flags()                  these fields as options of `nextid advance`
//   each_field()             these fields as the addon passes them to and from JavaScript
//   State, first_state()     what a counter stores, and what it stores when it is made
// and with these functions, which are the rules by which its counters count:
//   check(state, request)    why the request cannot be served, if it cannot
//   reserve(state, request)  checks, and moves the state up by the numbers asked for
//   advance(state, request)  moves the state up to a number. REQUIRES: check() found nothing
//   repair(state, request)   AdvanceRequest::restore: replaces what is damaged, as far as that is safe, and
//                            returns whether it did; check() then finds nothing
//   give_back(state, range)  takes back the numbers that were reserved last; only with kGivesBack
//   show(state, info)        for list()
using CounterKind = std::variant<Plain, Dated, Cyclic, Timestamped>;

// Which counter, and how it counts. Counters of one name and different kinds have nothing to do with each
// other.
struct CounterKey {
  std::string name;  // empty only for dated counters that are shared with programs that know no names
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

// The counter of the period `prefix` in place of `key`'s; `key` itself if its kind has no periods.
inline CounterKey of_period(CounterKey key, int64_t prefix) {
  if (auto* dated = std::get_if<Dated>(&key.kind)) dated->prefix = prefix;
  return key;
}

// The order in which counters are listed: by name, kind and period.
bool listed_before(const CounterKey& a, const CounterKey& b);

// "the counter 'orders'", "the counter of 140625 of 'orders'", "the counter of 140625"
std::string describe(const CounterKey& key);

// The shell's command that moves a counter up, with what its number must be. It never moves one down.
// `least`: no number from there on was given to the caller; none if it does not know. `restore`: see
// AdvanceRequest.
std::string advance_remedy(const CounterKey& key, std::optional<int64_t> least, bool restore = false);

}  // namespace nextid
