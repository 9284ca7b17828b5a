#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/quoting.h"

namespace nextid {

enum class CounterKind { kPlain, kDated, kCyclic, kTimestamped };

constexpr const char* to_string(CounterKind kind) {
  switch (kind) {
    case CounterKind::kPlain:
      return "plain";
    case CounterKind::kDated:
      return "dated";
    case CounterKind::kCyclic:
      return "cyclic";
    case CounterKind::kTimestamped:
      return "time-stamped";
  }
  return "";
}

// Which counter, and how it counts.
//
// What a range of it means:
//   plain         the ids themselves
//   dated         the counts of the period `prefix`: 1, 2, 3, …
//   cyclic        a stretch of a line that goes round, `first` from 1 to cycle: the id of x is
//                 (x - 1) mod cycle + 1
//   time-stamped  slots: microseconds since slot_epoch(digits), times 10^digits, plus a digit part
struct CounterKey {
  CounterKind kind = CounterKind::kPlain;
  std::string name;    // empty only for dated counters that are shared with programs that know no names
  int64_t prefix = 0;  // dated: the period, as in 14062513, 140625, 1406 or 14
  int64_t cycle = 0;   // cyclic: the largest id, 1…2^53-1
  int digits = 0;      // time-stamped: 0…4
  // Time-stamped: the zone that ids show, "UTC" or an offset as in "+08:00". In another zone the same slots
  // would read as other times, and so as ids of others.
  std::string time_zone = "UTC";

  bool operator==(const CounterKey&) const = default;
};

// "the counter 'orders'", "the counter of 140625 of 'orders'", "the counter of 140625"
inline std::string describe(const CounterKey& key) {
  const std::string name = key.name.empty() ? "" : "'" + key.name + "'";
  if (key.kind != CounterKind::kDated) return "the counter " + name;
  return "the counter of " + std::to_string(key.prefix) + (name.empty() ? "" : " of " + name);
}

// The shell's command that moves a counter up to `next` (none: N), for messages. It never moves one down.
// `restore`: see AdvanceRequest.
inline std::string advance_command(const CounterKey& key, std::optional<int64_t> next, bool restore = false) {
  std::string options = restore ? " --restore" : "";
  if (key.kind == CounterKind::kDated) options += " --prefix " + std::to_string(key.prefix);
  if (key.kind == CounterKind::kCyclic) options += " --cycle " + std::to_string(key.cycle);
  if (key.kind == CounterKind::kTimestamped) {
    options += " --timestamp --digits " + std::to_string(key.digits);
    if (key.time_zone != "UTC") options += " --time-zone " + shell_quoted(key.time_zone);
  }
  if (key.name.starts_with('-')) options += " --";  // else the name would look like an option
  const std::string name = key.name.empty() ? "" : shell_quoted(key.name) + " ";
  return "nextid advance --store URL" + options + " " + name + (next ? std::to_string(*next) : "N");
}

// The same with what the number must be. `least`: no number from there on was given to the caller; none if
// it does not know.
inline std::string advance_remedy(const CounterKey& key, std::optional<int64_t> least, bool restore = false) {
  if (key.kind == CounterKind::kCyclic) {
    return advance_command(key, std::nullopt, restore) + " (N: the id after the last one that was given)";
  }
  const char* number = key.kind == CounterKind::kPlain   ? "id"
                       : key.kind == CounterKind::kDated ? "count of that period"
                                                         : "slot";
  return advance_command(key, least, restore) + " (" + (least ? "or higher" : "N") + ": past the largest " +
         number + " in use)";
}

// The kind of period that a prefix names, by its digits: years 10…99, months 1001…, days 100101…, hours
// 10010100…
constexpr const char* period_of(int64_t prefix) {
  return prefix < 100 ? "year" : prefix < 10'000 ? "month" : prefix < 1'000'000 ? "day" : "hour";
}

// 10^digits. REQUIRES: 0 <= digits <= 4
constexpr int64_t slots_per_microsecond(int digits) {
  int64_t slots = 1;
  for (int i = 0; i < digits; ++i) slots *= 10;
  return slots;
}

// Where slots count from, in microseconds since 1970: 1970 itself, and for four digits, which would not fit
// into 64 bits then, 2020-01-01T00:00Z (up to 2049).
constexpr int64_t slot_epoch(int digits) { return digits < 4 ? 0 : int64_t{1'577'836'800'000'000}; }

}  // namespace nextid
