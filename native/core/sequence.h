#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "core/backoff.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/range.h"
#include "core/step_policy.h"
#include "core/store.h"
#include "core/waiter_queue.h"

namespace nextid {

// What a Sequence needs of its surroundings. Called from within the Sequence's methods, on their thread; an
// implementation must not call back into the Sequence, but for begin_refill() from request_refill().
class SequenceHost {
 public:
  virtual ~SequenceHost() = default;

  // Wants a refill: call begin_refill() once a worker thread is free (now or later).
  virtual void request_refill() = 0;

  // Wants `unused` given back to the store: call on_release() when that is done or has failed.
  virtual void request_release(Range unused) = 0;

  // The waiter's numbers have come: `pieces` hold waiter.count numbers, growing. Forget the token.
  virtual void serve(Waiter::Token waiter, std::span<const Range> pieces) = 0;

  // The waiter gets nothing. Forget the token.
  virtual void refuse(Waiter::Token waiter, const Error& error) = 0;

  // Call on_timer() after `in` (once; replaces what was set before), or never if there is no value. The timer
  // keeps the process alive only if `keep_alive`.
  virtual void set_timer(std::optional<Duration> in, bool keep_alive) = 0;

  // Hands back what is left of the window that take() gave out last; the caller's window is empty then. No
  // value: that cannot be done at this moment, and the window stays with the caller.
  virtual std::optional<Range> take_back_window() = 0;

  // The last error of any sequence of this store, or null.
  virtual const Error* store_error() const = 0;

  // close() has come to its end.
  virtual void closed() = 0;
};

// The numbers one process holds of one counter, and the calls that wait for them: the state machine of the
// refill.
//
// Numbers leave in the order of the counter. They go to the caller's *window* (take), which it uses up
// without calling here, or to waiters, first come, first served. While there are waiters the window is empty.
// At most one refill is under way.
//
// Threads: none and no locks; everything happens on the thread of the caller. Knows no clock: `now` never
// goes back.
class Sequence {
 public:
  struct Options {
    std::string name;
    int64_t start = 1;                            // first number of a counter that is not there yet
    StepPolicy::Options step;                     // how much a refill asks for
    Duration timeout = std::chrono::seconds(10);  // how long a waiter waits
    size_t max_waiters = 100'000;
    int64_t max_number = (int64_t{1} << 53) - 1;  // the largest that may be handed out; below INT64_MAX
    std::optional<int64_t> floor =
        std::nullopt;  // the counter must exist and stand here or above, if known before
  };

  struct Stats {
    int64_t in_memory = 0;               // numbers reserved and not handed out, the window not counted
    int64_t handed_out = 0;              // numbers given to windows, waiters and blocks
    int64_t lost = 0;                    // numbers reserved that nobody will be given
    int64_t released = 0;                // numbers given back on close
    int64_t refills = 0;                 // refills that brought numbers
    int64_t failures = 0;                // refills that failed
    int64_t waits = 0;                   // calls that had to wait
    int64_t timeouts = 0;                // of these, calls that timed out
    int64_t waiters = 0;                 // calls waiting now
    int64_t step = 0;                    // what the next refill would ask for, at least
    double rate = 0;                     // numbers a second, over the last range
    Duration refill_time{0};             // a high estimate of what a refill takes
    bool refilling = false;              // a refill is under way
    std::optional<Range> front;          // the numbers to be handed out next, the window not counted
    std::optional<int64_t> floor;        // where the counter stood when we saw it last
    std::optional<int64_t> given_below;  // above all numbers handed out, if there were any
    const Error* last_error = nullptr;   // of the last refill, if it failed
  };

  // REQUIRES: options.step as StepPolicy says, timeout > 0, 0 <= start <= max_number. `host` outlives this.
  Sequence(Options options, SequenceHost& host, uint32_t seed);

  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Numbers for the caller's window, which must be used up, or nothing if there are none, or others are
  // waiting. Starts a refill where one is due: also the call that gets nothing brings numbers about.
  std::optional<Range> take(TimePoint now);

  // Queues a call for `count` numbers (0: until there are numbers). Served or refused through the host,
  // perhaps at once. Returns its ticket, for cancel(), or an error if the call is not taken.
  // REQUIRES: count >= 0, and what all callers wait for sums to less than 2^62
  Result<uint64_t> wait(Waiter::Token token, int64_t count, TimePoint now);

  // The same for one unbroken block. From memory if it fits; else reserved for it alone, outside the order of
  // others.
  Result<uint64_t> wait_for_block(Waiter::Token token, int64_t count, TimePoint now);

  // Takes a waiter out of its queue and returns its token, or null if it was served or refused before.
  Waiter::Token cancel(uint64_t ticket, TimePoint now);

  // The counter was seen to stand at `next`. From now on it must exist, but it may come to stand lower, when
  // others give numbers back. (Not lower than a range of our own: that keeps them from doing so.)
  void learn_floor(int64_t next);

  // Throws away all numbers below `next`, also those on their way. False if the window could not be had back.
  bool skip_to(int64_t next);

  // What the refill asks for, as of now; nothing if it is not wanted any more.
  // REQUIRES: request_refill() was called and not answered yet
  std::optional<ReserveRequest> begin_refill(TimePoint now);

  // The outcome of the refill that begin_refill() began.
  void on_refill(const Result<Range>& result, TimePoint now);

  void on_timer(TimePoint now);

  // Refuses all waiters, waits for a refill under way, gives the unused tail back, and calls closed(). Once.
  void close(TimePoint now);

  // The outcome of request_release().
  void on_release(const Result<bool>& result);

  Stats stats() const;

  // The counter must exist and stand here or above; none if this process knows nothing of it.
  std::optional<int64_t> floor() const { return floor_; }
  const Options& options() const { return options_; }

 private:
  enum class Refill { kNone, kRequested, kUnderWay, kPaused };

  int64_t watermark() const { return policy_.watermark(); }
  int64_t shortage() const { return waiters_.numbers() - in_memory_; }
  bool refill_wanted() const {
    return prefetch_due_ || !blocks_.empty() || (!waiters_.empty() && shortage() > 0);
  }

  Range take_front(int64_t n);
  void note_given(Range range);
  void add_to_memory(Range range);
  bool take_back_window();
  void drop_memory();
  void serve_waiters();
  void serve_blocks(uint64_t last_ticket);
  std::optional<Range> take_block(int64_t count);
  void refuse_all(const Error& error);
  void refuse_overdue(TimePoint now);
  void fail_refill(const Error& error, TimePoint now);
  void start_refill_if_wanted(TimePoint now);
  void update_timer(TimePoint now);
  void finish_close();
  std::optional<Error> refuse_to_queue() const;
  Error closed_error() const;
  Error no_window_error() const;
  Error timeout_error() const;
  Error overflow_error() const;
  Error rewound_error(Range range) const;

  const Options options_;
  SequenceHost& host_;
  StepPolicy policy_;
  Backoff backoff_;

  std::deque<Range> memory_;  // in the order of the counter, each non-empty
  int64_t in_memory_ = 0;     // sum of their counts, and what is being given back
  int64_t window_ = 0;        // what the last window held, if nothing has shown yet that it is used up
  std::optional<int64_t> given_below_;                // above all numbers handed out
  std::optional<int64_t> given_below_before_window_;  // the same without the window

  WaiterQueue waiters_;
  WaiterQueue blocks_;
  uint64_t last_ticket_ = 0;

  Refill refill_ = Refill::kNone;
  bool prefetch_due_ = false;
  TimePoint requested_at_;
  uint64_t asked_for_ticket_ = 0;  // blocks up to this ticket are part of the refill under way
  bool asked_for_memory_ = false;  // and so is more than blocks
  TimePoint paused_until_;
  std::optional<int64_t> floor_;    // end of the last range; 0 if the counter was only seen
  std::optional<int64_t> seen_at_;  // where the counter stood when we saw it last
  int64_t skip_below_ = 0;

  std::optional<Error> last_error_;
  std::optional<TimePoint> timer_;
  bool timer_keeps_alive_ = false;
  bool closing_ = false;
  Range releasing_;
  Stats counts_;
};

}  // namespace nextid
