#pragma once

#include "core/kinds/kind.h"

namespace nextid {

// Ids 1 to `cycle`, then 1 again. Its range: a stretch of a line that wraps around. `first` is an id, and the
// id of any x in the range is (x - 1) mod cycle + 1.
struct Cyclic {
  static constexpr const char* kName = "cyclic";
  static constexpr const char* kNumber = "id";
  static constexpr const char* kRemedyNumber = "id";
  static constexpr const char* kPastLimit = "begin another sequence";
  static constexpr bool kGivesBack = false;  // the counter may have wrapped around to the same place
  static constexpr bool kWrapsAround = true;

  int64_t cycle = 0;  // the largest id

  static constexpr CounterValue::Expected kVal{"val"};
  static constexpr CounterValue::Expected kMaxval{"maxval", 1, kLargestSafeInteger};

  struct State {
    CounterValue val;  // the id that was given last, or 0. Past `maxval`, set by hand, it counts as `maxval`
    CounterValue maxval;
  };

  State first_state(int64_t) const { return {CounterValue(0), CounterValue(cycle)}; }
  std::string flags() const { return " --cycle " + std::to_string(cycle); }
  template <typename Self, typename Visit>
  static void each_field(Self& self, const Visit& visit) {
    visit("cycle", self.cycle);
  }

  bool operator==(const Cyclic&) const = default;
};

std::optional<Error> check(const Cyclic::State& state, const ReserveRequest& request, const Place& place);
std::optional<Error> check(const Cyclic::State& state, const AdvanceRequest& request, const Place& place);
Result<Range> reserve(Cyclic::State& state, const ReserveRequest& request, const Place& place);
int64_t advance(Cyclic::State& state, const AdvanceRequest& request);
bool repair(Cyclic::State& state, const AdvanceRequest& request);
void show(const Cyclic::State& state, CounterInfo& info);

// Why no counter, wherever it stands, can serve the request; none if one may.
std::optional<Error> refuse_too_many(const ReserveRequest& request, const Place& place);

// The id after `val`.
constexpr int64_t id_after(int64_t val, int64_t cycle) { return (val >= cycle ? 0 : val) + 1; }

// How many numbers there are from `number` of a range to the end of its round.
constexpr int64_t left_in_round(int64_t number, int64_t cycle) { return cycle - (number - 1) % cycle; }

}  // namespace nextid
