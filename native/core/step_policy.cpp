#include "core/step_policy.h"

#include <algorithm>
#include <cmath>

namespace nextid {

namespace {
double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
}  // namespace

int64_t StepPolicy::watermark() const {
  const double during_refill = std::ceil(2 * rate_ * seconds(refill_time_));
  const double least = std::max<double>(1, static_cast<double>(step_) / 8);
  // Never more than a step: a range must be worth more than the refill that follows it.
  return static_cast<int64_t>(std::min(std::max(during_refill, least), static_cast<double>(step_)));
}

void StepPolicy::refill_started(int64_t handed_out, TimePoint now) {
  if (started_before_) {
    // At least a microsecond, so that two refills in one instant do not divide by nothing.
    const double elapsed = std::max(seconds(now - *started_before_), 1e-6);
    rate_ = static_cast<double>(handed_out - handed_out_before_) / elapsed;
    const double wanted = rate_ * seconds(options_.target);
    const double bounded = std::clamp(wanted, static_cast<double>(step_) / 2, static_cast<double>(step_) * 2);
    step_ = std::clamp(static_cast<int64_t>(bounded), options_.min, options_.max);
  }
  handed_out_before_ = handed_out;
  started_before_ = now;
}

void StepPolicy::refill_succeeded(Duration took) {
  // Rises at once, falls by a tenth: the time that a slow refill takes is what must be bridged.
  refill_time_ = std::max(took, refill_time_ - refill_time_ / 10);
}

}  // namespace nextid
