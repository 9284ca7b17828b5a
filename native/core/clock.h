#pragma once

#include <chrono>

namespace nextid {

// Core never reads a clock: callers hand the moment in, so that tests can move it by hand.
// Steady, because a wall clock that is set back must not prolong a wait.
using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

}  // namespace nextid
