#pragma once

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

// What one process holds of one counter, and knows of it. Numbers leave in the order of the counter.
//
// Only make_room(), and add() without it, need memory. Where they throw std::bad_alloc nothing is changed.
class Holding {
 public:
  // `given_below`: what earlier holdings of this counter gave, if they gave any.
  explicit Holding(CounterKey counter, std::optional<int64_t> given_below = std::nullopt)
      : counter_(std::move(counter)), given_below_(given_below) {
    if (given_below) set_floor(*given_below);
  }

  const CounterKey& counter() const { return counter_; }

  // --- numbers in memory; the window is not among them

  int64_t count() const { return count_; }
  bool empty() const { return memory_.empty(); }

  // The numbers to be handed out next, and those that the counter gave last. REQUIRES: !empty()
  Range front() const { return memory_.front().range; }
  Range back() const { return memory_.back().range; }

  // Makes room for the range of one add(), so that it cannot fail.
  void make_room();

  // Takes in what a refill brought; `range` may be empty. Numbers are not to be handed out from `until` on.
  void add(Range range, TimePoint until = TimePoint::max());

  // Up to `n` numbers, unbroken. REQUIRES: !empty()
  Range take_front(int64_t n);

  // `n` numbers, in as many pieces as need be; valid until the next call. REQUIRES: 0 <= n <= count()
  std::span<const Range> take_pieces(int64_t n);

  // An unbroken block of `n` numbers, if one is there.
  std::optional<Range> take_block(int64_t n);

  // These throw numbers away and tell how many: those below `next`, also of later refills; those whose time
  // is over; all.
  int64_t skip_to(int64_t next);
  int64_t drop_aged(TimePoint now);
  int64_t drop();

  // The part of `range` that skip_to() has not ruled out; empty if it all is.
  Range not_skipped(Range range) const;

  // --- the window: numbers that the caller hands out by itself

  // Moves up to `n` numbers to the window. REQUIRES: !empty(), the window before was used up or closed
  Range open_window(int64_t n);

  // The numbers in the window are all handed out.
  void window_used_up() { window_ = 0; }

  // How many numbers the window began with, if some may be left, and until when they may be handed out.
  int64_t window() const { return window_; }
  TimePoint window_until() const { return window_until_; }

  // Takes back `rest`, what is left of the window.
  void close_window(Range rest);

  // --- what is known of the counter

  // The counter must exist and stand here or above; none if this process knows nothing of it.
  std::optional<int64_t> floor() const { return floor_; }
  // A counter that wraps around must only exist: it may stand anywhere.
  void set_floor(int64_t floor) { floor_ = wraps_around(counter_) ? 0 : floor; }

  // Where the counter stood when we saw it last.
  std::optional<int64_t> seen_at() const { return seen_at_; }

  // The counter was seen to stand at `next`. From now on it must exist, but it may come to stand lower, when
  // others give numbers back. (Not lower than a range of our own: that keeps them from doing so.)
  void saw_counter(int64_t next);

  // Whether the last answer was that the counter is gone or set back, and since when all answers are.
  std::optional<TimePoint> suspect_since() const { return suspect_since_; }
  void suspect(TimePoint now) { suspect_since_ = suspect_since_.value_or(now); }
  void trust() { suspect_since_.reset(); }

  // Above all numbers handed out, the window's among them, if there were any.
  std::optional<int64_t> given_below() const { return given_below_; }

 private:
  struct Held {
    Range range;
    TimePoint until;
  };

  void note_given(Range range);

  CounterKey counter_;
  // In the order of the counter, each non-empty; few. What is left of a window has room: it came from here.
  std::vector<Held> memory_;
  std::vector<Range> pieces_;  // that take_pieces() gave last; as much room as in memory_
  int64_t count_ = 0;          // the sum of the counts in memory_
  int64_t window_ = 0;         // what the window held, if nothing has shown yet that it is used up
  TimePoint window_until_ = TimePoint::max();
  std::optional<int64_t> floor_;
  std::optional<int64_t> seen_at_;
  std::optional<TimePoint> suspect_since_;
  std::optional<int64_t> given_below_;
  std::optional<int64_t> given_below_before_window_;
  int64_t skip_below_ = 0;
};

}  // namespace nextid
