#include "core/step_policy.h"

#include <algorithm>
#include <cmath>

namespace nextid {

namespace {

constexpr double kUsualTargets = 4;  // how many `target`s the usual rate covers

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

int64_t StepPolicy::watermark() const {
  const auto step = static_cast<double>(step_);
  const double during_two_refills = std::ceil(rate_ * 2 * seconds(refill_time_));
  return static_cast<int64_t>(std::clamp(during_two_refills, std::max<double>(1, step / 4), 2 * step));
}

void StepPolicy::refill_started(int64_t handed_out, int64_t waiting, TimePoint now) {
  const int64_t asked_for = handed_out + waiting;
  if (started_before_) {
    // At least a microsecond, so that two refills at the same time do not divide by zero.
    const double elapsed = std::max(seconds(now - *started_before_), 1e-6);
    // Negative if waiters have left without numbers.
    rate_ = static_cast<double>(std::max<int64_t>(0, asked_for - asked_for_before_)) / elapsed;
    const double target = seconds(options_.target);
    usual_over_ = std::min(usual_over_ + elapsed, kUsualTargets * target);
    usual_rate_ += (rate_ - usual_rate_) * std::min(1.0, elapsed / usual_over_);
    const double outlasts = std::max(target / 4, 2 * seconds(refill_time_));
    const double wanted = std::max(usual_rate_ * target, rate_ * outlasts);
    const double least = static_cast<double>(step_) / 2;
    const double most = 2 * static_cast<double>(std::max(step_, waiting));
    step_ = std::clamp(static_cast<int64_t>(std::clamp(wanted, least, most)), options_.min, options_.max);
  }
  asked_for_before_ = asked_for;
  started_before_ = now;
}

void StepPolicy::refill_succeeded(Duration took) {
  // Rises at once and falls by a tenth: numbers must last for a slow refill.
  refill_time_ = std::max(took, refill_time_ - refill_time_ / 10);
}

}  // namespace nextid
