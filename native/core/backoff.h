#pragma once

#include <cstdint>
#include <random>

#include "core/clock.h"

namespace nextid {

// Exponential backoff with full jitter: a random pause from 0 to min(cap, base * 2^failures). The jitter
// keeps the instances of a fleet from retrying all at once (M. Brooker, "Exponential Backoff And Jitter", AWS
// Architecture Blog, 2015).
class Backoff {
 public:
  // `seed`: 32 random bits; small seeds give similar pauses. REQUIRES: 0 < base <= cap
  Backoff(Duration base, Duration cap, uint32_t seed) : base_(base), cap_(cap), random_(seed) {}

  // Counts a failure and returns the pause after it.
  Duration next();

  // Call after a success.
  void reset() { failures_ = 0; }

  // Failures since the last success.
  int failures() const { return failures_; }

 private:
  Duration base_;
  Duration cap_;
  int failures_ = 0;
  std::minstd_rand random_;
};

}  // namespace nextid
