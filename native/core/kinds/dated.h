#pragma once

#include "core/kinds/growing.h"

namespace nextid {

// Each period has a counter of its own. Its range: the counts of the period, 1, 2, 3, …
struct Dated {
  static constexpr const char* kName = "dated";
  static constexpr const char* kNumber = "count";
  static constexpr const char* kRemedyNumber = "count of that period";
  static constexpr const char* kPastLimit = "choose a shorter period, or begin another sequence";
  static constexpr bool kGivesBack = true;
  static constexpr bool kWrapsAround = false;

  int64_t prefix = 0;  // the period, as in 14062513, 140625, 1406 or 14

  using State = GrowingState;

  // The value is the count that was given last.
  State first_state(int64_t) const { return {CounterValue(0), 1}; }
  std::string flags() const { return " --prefix " + std::to_string(prefix); }
  template <typename Self, typename Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("prefix", self.prefix);
  }

  bool operator==(const Dated&) const = default;
};

// Prefixes: years 10…99, months 1001…9999, days 100101…999999, hours 10010100…99999999.
constexpr int64_t kSmallestPrefix = 10;
constexpr int64_t kLargestPrefix = 99'999'999;

// "year", "month", "day" or "hour".
constexpr const char* period_of(int64_t prefix) {
  return prefix < 100 ? "year" : prefix < 10'000 ? "month" : prefix < 1'000'000 ? "day" : "hour";
}

// Whether `prefix` has as many digits as one of the periods.
constexpr bool names_a_period(int64_t prefix) {
  for (int64_t least = kSmallestPrefix; least < kLargestPrefix; least *= 100) {
    if (prefix >= least && prefix < least * 10) return true;
  }
  return false;
}

}  // namespace nextid
