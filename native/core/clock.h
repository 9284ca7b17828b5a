#pragma once

#include <chrono>
#include <cstdint>

namespace nextid {

// A Sequence never reads a clock: callers pass the current time, so tests control it. The clock is steady,
// because setting the wall clock back must not prolong a wait.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

// The time of the machine's clock, in microseconds since 1970. It may be wrong and may be set back.
using WallClock = int64_t (*)();
inline int64_t wall_clock() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_1970).count();
}

}  // namespace nextid
