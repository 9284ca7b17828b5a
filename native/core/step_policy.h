#pragma once

#include <cstdint>
#include <optional>

#include "core/clock.h"

namespace nextid {

// Decides how many numbers a refill asks for, and how many must be left when the next one starts.
//
// It knows the rate (numbers asked for a second, from the start of one refill to the start of the next), the
// usual rate (the mean of the last four `target`s, or of all the time before they are over; older ranges
// fade out of it) and the time that a slow refill takes: an estimate that rises at once and falls by a tenth
// with each faster one, so that nearly all refills lie below it. The mean would be too short for half of
// them.
//
// Step: what is usually used in `target`, so that the store is asked once per `target`. The usual rate,
// because a range that is asked for in a burst is used up after it, at a tenth of its rate perhaps: it would
// lie in memory for so much longer, to be lost with the process. But a range must outlast the refill of the
// next one whatever is usual: the step is what two slow refills need at the present rate, at least, and a
// quarter of a `target`. So a slow store is at work half of the time at most. It falls to half at most from
// one refill to the next, because a quiet moment is no quiet night; and rises to twice at most, of itself or
// of what callers wait for now, whichever is more, because a rate measured over a few numbers says little of
// the next hundred thousand. The first step is `min`: what is lost if nothing more is asked for.
//
// Watermark: what is used during two slow refills (one that is twice as slow as any before still comes in
// time), and a quarter of the step at least: a burst of ten times the rate then leaves a refill a fortieth of
// `target`, 25 ms. More would bridge more, but what a dying process loses is the watermark and half of a step
// in the mean, and that is to stay well below what `target` uses. The watermark is two steps at most. More
// than one it is only where `max` keeps the step below what two refills need: then one range ahead is not
// enough, and two are held.
class StepPolicy {
 public:
  struct Options {
    int64_t min = 10;
    int64_t max = 1'000'000;  // min == max: a fixed step
    Duration target = std::chrono::seconds(1);
  };

  // REQUIRES: 1 <= options.min <= options.max, options.target > 0
  explicit StepPolicy(const Options& options) : options_(options), step_(options.min) {}

  // Numbers the next refill asks for.
  int64_t step() const { return step_; }

  // Start the next refill when no more than this many numbers are in memory.
  int64_t watermark() const;

  // Call when a refill starts. `handed_out`: numbers handed out since the sequence was opened. `waiting`:
  // numbers that callers wait for.
  void refill_started(int64_t handed_out, int64_t waiting, TimePoint now);

  // Call when a refill has brought numbers. `took`: from its start, waiting for a worker thread included.
  void refill_succeeded(Duration took);

  // Numbers asked for a second, over the last range; 0 before two refills have started.
  double rate() const { return rate_; }

  // A high estimate of the time that a refill takes.
  Duration refill_time() const { return refill_time_; }

 private:
  Options options_;
  int64_t step_;
  double rate_ = 0;
  double usual_rate_ = 0;
  double usual_over_ = 0;  // seconds that usual_rate_ is the mean of
  Duration refill_time_{0};
  int64_t asked_for_before_ = 0;  // handed out or waited for, when the last refill started
  std::optional<TimePoint> started_before_;
};

}  // namespace nextid
