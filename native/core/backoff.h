#pragma once

#include <cstdint>
#include <random>

#include "core/clock.h"

namespace nextid {

// How long to pause before trying again: exponential with full jitter, a random time between nothing and
// min(cap, base * 2^failures). The jitter keeps the instances of a fleet from coming back all at once
// (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
class Backoff {
 public:
  // `seed`: 32 random bits; small ones resemble each other. REQUIRES: 0 < base <= cap
  Backoff(Duration base, Duration cap, uint32_t seed) : base_(base), cap_(cap), random_(seed) {}

  // The pause after one more failure.
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
