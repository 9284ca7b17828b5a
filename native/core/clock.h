#pragma once

#include <chrono>
#include <cstdint>

namespace nextid {

// A Sequence never reads a clock: callers hand the moment in, so that tests can move it by hand.
// Steady, because a wall clock that is set back must not prolong a wait.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

// What the machine's clock shows, in microseconds since 1970. It may be wrong, and may be set back.
using WallClock = int64_t (*)();
inline int64_t wall_clock() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count();
}

}  // namespace nextid
