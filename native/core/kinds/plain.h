#pragma once

#include "core/kinds/growing.h"

namespace nextid {

// Numbers 1, 2, 3, … Its range: the ids themselves.
struct Plain {
  static constexpr const char* kName = "plain";
  static constexpr const char* kNumber = "id";
  static constexpr const char* kRemedyNumber = "id";
  static constexpr const char* kPastLimit =
      "open it with bigint: true (encrypted: more digits), or begin another sequence";
  static constexpr bool kGivesBack = true;
  static constexpr bool kWrapsAround = false;

  using State = GrowingState;  // the value is the next number

  State first_state(int64_t start) const { return {CounterValue(start), 0}; }
  std::string flags() const { return ""; }
  template <typename Self, typename Visit>
  static void each_field(Self&, const Visit&) {}

  bool operator==(const Plain&) const = default;
};

}  // namespace nextid
