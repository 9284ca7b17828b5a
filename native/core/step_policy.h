#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.h"

namespace nextid {

// Decides how many numbers a refill asks for, and how many are left when the next refill starts.
//
// It measures:
//   rate         numbers asked for per second, from the start of one refill to the start of the next
//   usual rate   the average rate over the last four `target`s, with less weight on older ranges
//   refill time  of a slow refill: it rises at once and falls by a tenth with each faster refill. Nearly all
//                refills are faster; an average would be too short for half of them.
//
// The step follows these rules; the later ones take precedence:
//   1. It is what is usually used in `target`, so that the store is asked once per `target`. At the present
//      rate, a range reserved in a burst would stay in memory long after the burst, and a crash would lose
//      it.
//   2. A range must outlast the next refill. So at the present rate it lasts for at least two slow refills,
//      and for a quarter of `target`. A slow store is then busy for at most half of the time.
//   3. From one refill to the next it falls to half at most: a quiet moment may be short.
//   4. It rises at most to twice the last step or twice what callers wait for, whichever is more: a rate
//      measured over a few numbers predicts little.
//   5. It stays between `min` and `max`. It begins with `min`, which is lost if nothing more is asked for.
//
// The watermark follows these rules; the later ones take precedence:
//   1. It is what is used during two slow refills: a refill may take twice as long as expected.
//   2. It is at least a quarter of the step. A burst of ten times the rate then leaves a refill a fortieth of
//      `target`: 25 ms. More is not worth it: a crash loses the watermark and half a step on average, which
//      should stay well below what `target` uses.
//   3. It is at most two steps. It exceeds one step only where `max` keeps the step below what two slow
//      refills need. Then two ranges are held ahead.
class StepPolicy {
 public:
  struct Options {
    int64_t min = 10;
    int64_t max = 1'000'000;  // min == max: a fixed step
    Duration target = std::chrono::seconds(1);
  };

  // REQUIRES: 1 <= options.min <= options.max, options.target > 0
  explicit StepPolicy(const Options& options) : options_(options), step_(options.min) {}

  // How many numbers the next refill asks for.
  int64_t step() const { return step_; }

  // The next refill should start when at most this many numbers are in memory.
  int64_t watermark() const;

  // At most this many numbers are kept: those of a watermark, and a step.
  int64_t most_kept() const { return 3 * options_.max; }

  // Call when a refill starts. `handed_out`: numbers handed out since the sequence was opened. `waiting`:
  // numbers that callers wait for.
  void refill_started(int64_t handed_out, int64_t waiting, TimePoint now);

  // Call when a refill has succeeded. `took`: since it was requested, including the wait for a worker thread.
  void refill_succeeded(Duration took);

  // Numbers asked for per second, over the last range; 0 before two refills have started.
  double rate() const { return rate_; }

  // A high estimate of the time that a refill takes.
  Duration refill_time() const { return refill_time_; }

 private:
  Options options_;
  int64_t step_;
  double rate_ = 0;
  double usual_rate_ = 0;
  double usual_over_ = 0;  // how many seconds usual_rate_ covers
  Duration refill_time_{0};
  int64_t asked_for_before_ = 0;  // handed out or waited for, when the last refill started
  std::optional<TimePoint> started_before_;
};

}  // namespace nextid
