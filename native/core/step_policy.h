#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.h"

namespace nextid {

// Decides how many numbers a refill asks for, and how many must be left when the next one starts.
//
// Step: aim at one refill per `target` at the rate of the last range, at most doubling or halving from one
// refill to the next, so that one odd moment neither wastes a large range nor brings back many small ones.
// The first step is `min`: what is lost if nothing more is asked for. Watermark: twice what is handed out
// during a slow refill at that rate, and at least an eighth of the step for the time before anything was
// measured.
class StepPolicy {
 public:
  struct Options {
    int64_t min = 10;
    int64_t max = 100'000;  // min == max: a fixed step
    Duration target = std::chrono::seconds(1);
  };

  // REQUIRES: 1 <= options.min <= options.max, options.target > 0
  explicit StepPolicy(const Options& options) : options_(options), step_(options.min) {}

  // Numbers the next refill asks for.
  int64_t step() const { return step_; }

  // Start the next refill when no more than this many numbers are in memory.
  int64_t watermark() const;

  // Call when a refill starts. `handed_out`: numbers handed out since the sequence was opened.
  void refill_started(int64_t handed_out, TimePoint now);

  // Call when a refill has brought numbers. `took`: from its start, waiting for a worker thread included.
  void refill_succeeded(Duration took);

  // Numbers a second, over the last range; 0 before two refills have started.
  double rate() const { return rate_; }

  // A high estimate of the time that a refill takes.
  Duration refill_time() const { return refill_time_; }

 private:
  Options options_;
  int64_t step_;
  double rate_ = 0;
  Duration refill_time_{0};
  int64_t handed_out_before_ = 0;
  std::optional<TimePoint> started_before_;
};

}  // namespace nextid
