#pragma once

#include "core/kinds/kind.h"

namespace nextid {

// Numbers 1, 2, 3, … Its range: the ids themselves.
struct Plain {
  static constexpr const char* kName = "plain";
  static constexpr const char* kNumber = "id";
  static constexpr const char* kRemedyNumber = "id";
  static constexpr const char* kPastLimit = "open it with bigint: true, or begin another sequence";
  static constexpr bool kGivesBack = true;
  static constexpr bool kWrapsAround = false;

  struct State {
    CounterValue next;  // the first number that nobody has
  };

  State first_state(int64_t start) const { return {CounterValue(start)}; }
  std::string flags() const { return ""; }
  template <typename Self, typename Visit>
  static void each_field(Self&, const Visit&) {}

  bool operator==(const Plain&) const = default;
};

std::optional<Error> check(const Plain::State& state, const ReserveRequest& request, const Place& place);
std::optional<Error> check(const Plain::State& state, const AdvanceRequest& request, const Place& place);
Result<Range> reserve(Plain::State& state, const ReserveRequest& request, const Place& place);
bool give_back(Plain::State& state, Range unused);
int64_t advance(Plain::State& state, const AdvanceRequest& request);
bool repair(Plain::State& state, const AdvanceRequest& request);
void show(const Plain::State& state, CounterInfo& info);

}  // namespace nextid
