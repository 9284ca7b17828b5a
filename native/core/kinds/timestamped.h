#pragma once

#include "core/kinds/growing.h"

namespace nextid {

// Numbers that follow the clock. Its range: slots, each of which is a time in microseconds since
// slot_epoch(digits), times 10^digits, plus a digit part.
struct Timestamped {
  static constexpr const char* kName = "time-stamped";
  static constexpr const char* kNumber = "slot";
  static constexpr const char* kRemedyNumber = "slot";
  static constexpr const char* kPastLimit = "choose fewer digits, or begin another sequence";
  static constexpr bool kGivesBack = false;  // time goes on anyway
  static constexpr bool kWrapsAround = false;

  static constexpr int kMostDigits = 4;
  static constexpr const char* kUtc = "UTC";

  int digits = 0;
  // The zone that ids show: "UTC", or an offset such as "+08:00". In another zone the same slots would read
  // as other times, and so as ids of others.
  std::string time_zone = kUtc;

  static constexpr CounterValue::Expected kSlot{"slot"};
  static constexpr CounterValue::Expected kDigits{"digits", 0, kMostDigits};

  struct State {
    GrowingState slot;  // its value is the slot that was given last
    CounterValue digits;
    std::optional<std::string> time_zone;  // none: it is not a string
  };

  State first_state(int64_t) const { return {{CounterValue(0), 1}, CounterValue(digits), time_zone}; }
  std::string flags() const;
  template <typename Self, typename Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("digits", self.digits);
    visit("timeZone", self.time_zone);
  }

  bool operator==(const Timestamped&) const = default;
};

std::optional<Error> check(const Timestamped::State& state, const ReserveRequest& request,
                           const Place& place);
std::optional<Error> check(const Timestamped::State& state, const AdvanceRequest& request,
                           const Place& place);
// Reads the clock of the request.
Result<Range> reserve(Timestamped::State& state, const ReserveRequest& request, const Place& place);
int64_t advance(Timestamped::State& state, const AdvanceRequest& request);
bool repair(Timestamped::State& state, const AdvanceRequest& request);
void show(const Timestamped::State& state, CounterInfo& info);

// The slot of the time `now`, in microseconds since 1970; kIdOverflow if it is not a slot, or leaves no room
// for what is requested.
Result<int64_t> slot_of(int64_t now, const ReserveRequest& request, const Place& place);

// 10^digits. REQUIRES: 0 <= digits <= kMostDigits
constexpr int64_t slots_per_microsecond(int digits) {
  int64_t slots = 1;
  for (int i = 0; i < digits; ++i) slots *= 10;
  return slots;
}

// Where slots count from, in microseconds since 1970: 1970 itself, and for four digits, which would not fit
// into 64 bits then, 2020-01-01T00:00Z (up to 2049).
constexpr int64_t slot_epoch(int digits) { return digits < 4 ? 0 : int64_t{1'577'836'800'000'000}; }

}  // namespace nextid
