#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/counter_key.h"
#include "core/range.h"

namespace nextid {

// The numbers that one process holds of one counter, and what it knows about the counter. Numbers are taken
// in the order of the counter.
//
// Memory: only make_room(), and add() without it, allocate. If they throw std::bad_alloc, nothing is changed.
class Holding {
 public:
  // `given_below`: of earlier holdings of this counter; nullopt if they gave no numbers.
  explicit Holding(CounterKey counter, std::optional<int64_t> given_below = std::nullopt)
      : counter_(std::move(counter)), given_below_(given_below) {
    if (given_below) set_floor(*given_below);
  }

  const CounterKey& counter() const { return counter_; }

  // --- numbers in memory, without those of the window

  int64_t count() const { return count_; }
  bool empty() const { return memory_.empty(); }

  // The range to be handed out next. REQUIRES: !empty()
  Range front() const { return memory_.front().range; }

  // Allocates room for one range, so that the next add() cannot fail.
  void make_room();

  // Adds the range of a refill, which may be empty. Its numbers must not be handed out at `until` or later.
  void add(Range range, TimePoint until = TimePoint::max());

  // Takes up to `n` consecutive numbers. REQUIRES: !empty()
  Range take_front(int64_t n);

  // Takes `n` numbers, in one or more pieces. The result is valid until the next call.
  // REQUIRES: 0 <= n <= count()
  std::span<const Range> take_pieces(int64_t n);

  // Takes `n` consecutive numbers that do not wrap around; nullopt if no range has them.
  std::optional<Range> take_block(int64_t n);

  // Drops the numbers below `next`, and excludes them from not_skipped(). Returns how many were dropped.
  int64_t skip_to(int64_t next);

  // Drops the numbers that must not be handed out any more. Returns how many were dropped.
  int64_t drop_aged(TimePoint now);

  // Removes the last range and returns it. REQUIRES: !empty()
  Range take_last();

  // Drops all numbers. Returns how many were dropped.
  int64_t drop();

  // The part of `range` that skip_to() does not exclude; may be empty.
  Range not_skipped(Range range) const;

  // --- the window: numbers that the caller hands out itself

  // Moves up to `n` numbers to the window. REQUIRES: !empty(); the last window was used up or closed
  Range open_window(int64_t n);

  // Call when all numbers of the window have been handed out.
  void window_used_up() { window_ = 0; }

  // The size of the window when it was opened, or 0 if it is known to be used up; and the time until which
  // its numbers may be handed out.
  int64_t window() const { return window_; }
  TimePoint window_until() const { return window_until_; }

  // Takes back `rest`, the unused numbers of the window.
  void close_window(Range rest);

  // --- what is known about the counter

  // The counter must exist and stand here or above; nullopt if this process knows nothing about it.
  std::optional<int64_t> floor() const { return floor_; }
  // A counter that wraps around must exist, but may stand anywhere.
  void set_floor(int64_t floor) { floor_ = wraps_around(counter_) ? 0 : floor; }

  // Call when all numbers are being given back: the counter may move down to those that were handed out.
  void lower_floor() {
    if (floor_) set_floor(given_below_.value_or(0));
  }

  // Where the counter stood when last seen.
  std::optional<int64_t> seen_at() const { return seen_at_; }

  // Call when the counter was seen to stand at `next`. From now on it must exist. It may move down again when
  // others give numbers back, but never below a range of this process, which prevents giving back.
  void saw_counter(int64_t next);

  // Returned ranges from here on lie above all numbers that this process was given or skipped.
  int64_t takes_returned_from() const { return std::max(floor_.value_or(0), skip_below_); }

  // If the last answers were that the counter is missing or rewound: when the first of them arrived.
  std::optional<TimePoint> suspect_since() const { return suspect_since_; }
  void suspect(TimePoint now) { suspect_since_ = suspect_since_.value_or(now); }
  void trust() { suspect_since_.reset(); }

  // All numbers handed out, including those of the window, are below this; nullopt if there are none.
  std::optional<int64_t> given_below() const { return given_below_; }

 private:
  struct Held {
    Range range;
    TimePoint until;
  };

  void note_given(Range range);

  CounterKey counter_;
  // A few non-empty ranges in the order of the counter. There is always room for the rest of the window.
  std::vector<Held> memory_;
  std::vector<Range> pieces_;  // the last result of take_pieces(); has as much room as memory_
  int64_t count_ = 0;          // the sum of the counts in memory_
  int64_t window_ = 0;         // see window()
  TimePoint window_until_ = TimePoint::max();
  std::optional<int64_t> floor_;
  std::optional<int64_t> seen_at_;
  std::optional<TimePoint> suspect_since_;
  std::optional<int64_t> given_below_;
  std::optional<int64_t> given_below_before_window_;
  int64_t skip_below_ = 0;
};

}  // namespace nextid
