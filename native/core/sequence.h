#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "core/backoff.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/holding.h"
#include "core/periods.h"
#include "core/range.h"
#include "core/step_policy.h"
#include "core/store.h"
#include "core/waiter_queue.h"

namespace nextid {

// What a Sequence needs of its surroundings. Called from within the Sequence's methods, on their thread; an
// implementation must not call back into the Sequence, but for begin_refill() and refill_not_begun() from
// request_refill(), and on_release() from request_release().
class SequenceHost {
 public:
  virtual ~SequenceHost() = default;

  // Wants a refill: call begin_refill() once a worker thread is free (now or later), or, if that throws or
  // the worker thread cannot be had, refill_not_begun(). May throw std::bad_alloc: then neither is called.
  virtual void request_refill() = 0;

  // Wants `unused` given back to `counter`: call on_release() when that is done or has failed. May throw
  // std::bad_alloc: then it is not given back, and on_release() not called.
  virtual void request_release(const CounterKey& counter, Range unused) = 0;

  // The waiter's numbers have come: `pieces` hold waiter.count numbers, growing. Forget the token.
  virtual void serve(Waiter::Token waiter, std::span<const Range> pieces) = 0;

  // The waiter gets nothing. Forget the token.
  virtual void refuse(Waiter::Token waiter, const Error& error) = 0;

  // Call on_timer() after `in` (once; replaces what was set before), or never if there is no value. The timer
  // keeps the process alive only if `keep_alive`. False if that cannot be done: what was set before stays.
  virtual bool set_timer(std::optional<Duration> in, bool keep_alive) = 0;

  // Hands back what is left of the window that take() gave out last; the caller's window is empty then. No
  // value: that cannot be done at this moment, and the window stays with the caller.
  virtual std::optional<Range> take_back_window() = 0;

  // The last error of any sequence of this store, or null.
  virtual const Error* store_error() const = 0;

  // close() has come to its end.
  virtual void closed() = 0;
};

// The numbers one process holds of a counter, and the calls that wait for them: the state machine of the
// refill.
//
// Numbers leave in the order of the counter. They go to the caller's *window* (take), which it uses up
// without calling here, or to waiters, first come, first served. While there are waiters the window is empty.
// At most one refill is under way.
//
// A dated sequence moves from the counter of one period to that of another (switch_to): what is left of the
// one is given back, waiters stay and are served from the other. The refill that was under way for the one is
// let go: when its range comes, it is given back.
//
// Threads: none and no locks; everything happens on the thread of the caller. Knows no clock: `now` never
// goes back.
//
// Memory: a method that throws std::bad_alloc has handed out nothing, queued nobody and switched nothing; it
// may be called again. Those that bring news (on_refill, refill_not_begun, on_timer, on_release, cancel,
// close) do not throw: news that is lost would leave waiters waiting.
class Sequence {
 public:
  struct Settings {
    int64_t start = 1;                            // first number of a plain counter that is not there yet
    Duration timeout = std::chrono::seconds(10);  // how long a waiter waits
    size_t max_waiters = 100'000;
    int64_t max_number = kLargestSafeInteger;  // the largest that may be handed out; below kLargestNumber

    // A refill asks for what is waited for and no more; nothing is kept, and nothing prefetched.
    bool exact = false;
    std::optional<Duration> max_age = std::nullopt;  // numbers are thrown away at this age
    int64_t max_skew = kLargestNumber;               // see ReserveRequest

    // An unconfirmed error becomes final when a refill that was begun this long after the first one has it
    // too.
    Duration confirm_time = std::chrono::seconds(2);
  };

  struct Options : Settings {
    CounterKey counter;
    StepPolicy::Options step;  // how much a refill asks for

    // Above all numbers of `counter` that earlier sequences of this process gave, if they gave any; dated: by
    // prefix.
    std::optional<int64_t> given_below = std::nullopt;
    Periods::GivenBelow given_in_period{};
  };

  using Seconds = std::chrono::duration<double>;  // adding up many waits overflows a Duration

  // What has happened so far.
  struct Counts {
    int64_t handed_out = 0;  // numbers given to windows, waiters and blocks
    int64_t lost = 0;        // numbers reserved that nobody will be given
    int64_t released = 0;    // numbers given back on close
    int64_t refills = 0;     // refills that brought numbers
    int64_t failures = 0;    // refills that failed
    int64_t waits = 0;       // calls that had to wait
    int64_t timeouts = 0;    // of these, calls that timed out
    Seconds wait_time{0};    // of all waits; of those not over yet, up to the last event
  };

  struct Stats : Counts {
    explicit Stats(const Counts& counts) : Counts(counts) {}

    int64_t in_memory = 0;               // numbers reserved and not handed out, the window not counted
    int64_t waiters = 0;                 // calls waiting now
    int64_t step = 0;                    // what the next refill would ask for, at least
    double rate = 0;                     // numbers asked for a second, over the last range
    Duration refill_time{0};             // a high estimate of what a refill takes
    bool refilling = false;              // a refill is under way
    std::optional<Range> front;          // the numbers to be handed out next, the window not counted
    std::optional<int64_t> seen_at;      // where the counter stood when we saw it last
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
  // perhaps at once. Returns its ticket, for cancel(), 0 if it need not wait, or an error if the call is not
  // taken.
  // REQUIRES: count >= 0, and what all callers wait for sums to less than 2^62
  Result<uint64_t> wait(Waiter::Token token, int64_t count, TimePoint now);

  // The same for one unbroken block. From memory if it fits; else reserved for it alone, outside the order of
  // others. A block of 0 numbers is served when the store has answered; REQUIRES for that: exact.
  Result<uint64_t> wait_for_block(Waiter::Token token, int64_t count, TimePoint now);

  // As wait() for 0 numbers, for a caller that saw an unconfirmed error: throws the numbers in memory away,
  // so that a refill finds out.
  Result<uint64_t> wait_for_counter(Waiter::Token token, TimePoint now);

  // Takes a waiter out of its queue and returns its token, or null if it was served or refused before.
  Waiter::Token cancel(uint64_t ticket, TimePoint now);

  // The counter was seen to stand at `next`.
  void saw_counter(int64_t next) { holding_.saw_counter(next); }

  // The counter, of the period `prefix` if it is dated, was moved up: throws away all numbers below `next`,
  // also those on their way. Cyclic: all on their way. False if the window could not be taken back.
  bool skip_to(int64_t next, int64_t prefix, TimePoint now);

  // Of ranges that are given back, or may be as those of refills that were let go: how many are under way,
  // and how many were. None of kinds that give nothing back.
  struct Returns {
    int64_t under_way;
    int64_t ended;
  };
  Returns returns() const {
    return gives_back(counter()) ? Returns{releases_ + abandoned_refills_, returns_ended_} : Returns{0, 0};
  }

  // Throws away the numbers that are older than max_age, also those in the window.
  void drop_aged(TimePoint now);

  // Until when the numbers of the window may be handed out; TimePoint::max() without max_age.
  TimePoint window_until() const { return holding_.window_until(); }

  // From now on numbers come from the counter of the period `prefix`. False, and nothing is changed, if the
  // window could not be taken back. REQUIRES: a dated counter
  bool switch_to(int64_t prefix, TimePoint now);

  // Reserves a first range of the period `prefix`, available when switch_to() comes to it. Tried while it
  // lasts, like any prefetch; that it fails is nobody's error. REQUIRES: a dated counter
  void prepare(int64_t prefix, TimePoint now);

  // A refill that was begun. `id` tells it from those that were let go.
  struct BegunRefill {
    uint64_t id;
    ReserveRequest request;
  };

  // What the refill asks for, as of now; nothing if it is not wanted any more.
  // REQUIRES: request_refill() was called and not answered yet
  std::optional<BegunRefill> begin_refill(TimePoint now);

  // There was no memory to begin the refill, or to send what begin_refill() has just returned: it is tried
  // again as one that failed.
  void refill_not_begun(TimePoint now);

  // The outcome of a refill that begin_refill() began. Returns why it failed, good until the next call, or
  // null.
  const Error* on_refill(const BegunRefill& begun, const Result<Range>& result, TimePoint now);

  void on_timer(TimePoint now);

  // Refuses all waiters, waits for refills under way, gives the unused tail back, and calls closed(). Once.
  void close(TimePoint now);

  // The outcome of request_release() for `unused`.
  void on_release(Range unused, const Result<bool>& result);

  Stats stats() const;

  // Others wait for what memory will hold: take() would give nothing, and wait() is all there is to do.
  bool has_nothing_to_take() const { return !waiters_.empty(); }

  bool somebody_waits() const { return !waiters_.empty() || !blocks_.empty(); }

  const Settings& settings() const { return settings_; }
  const CounterKey& counter() const { return holding_.counter(); }

  // Holding::given_below() of all periods so far; of use for a dated counter only.
  Periods::GivenBelow given_in_period() const { return periods_.given_below(holding_); }

  // See Holding::floor().
  std::optional<int64_t> floor() const { return holding_.floor(); }

 private:
  // The states of the refill.
  struct Idle {};
  struct Requested {
    TimePoint at;
  };
  struct UnderWay {
    uint64_t id = 0;
    TimePoint requested_at;
    TimePoint begun_at;
    uint64_t last_ticket = 0;   // of all calls when it was begun
    uint64_t block_ticket = 0;  // it brings numbers for the blocks up to this ticket,
    bool for_memory = false;    // for the memory,
    bool to_prepare = false;    // or only for the prepared holding
  };
  struct Paused {
    TimePoint until;
  };

  template <typename State>
  bool refill_is() const {
    return std::holds_alternative<State>(refill_);
  }
  UnderWay* under_way() { return std::get_if<UnderWay>(&refill_); }

  int64_t watermark() const { return policy_.watermark(); }
  int64_t shortage() const { return waiters_.numbers() - holding_.count(); }
  bool memory_wanted() const { return prefetch_due_ || (!waiters_.empty() && shortage() > 0); }
  bool refill_wanted() const { return memory_wanted() || !blocks_.empty() || periods_.refill_due(); }

  void count_wait_time(TimePoint now);
  void prefetch_if_low();
  Range hand_out(Range range);
  bool take_back_window();
  void drop_memory(Holding& holding);
  void give_back(Holding& holding);
  void give_back(const CounterKey& counter, Range unused);
  void remember(const Error& error);
  Holding& holding_of(const UnderWay& refill) { return refill.to_prepare ? *periods_.prepared() : holding_; }
  void abandon_refill();
  void serve_waiters(uint64_t last_ticket = UINT64_MAX);
  void serve_blocks(uint64_t last_ticket);
  void refuse_all(const Error& error);
  void refuse_block(uint64_t ticket, const Error& error);
  void refuse_overdue(TimePoint now);
  const Error* fail_refill(const Error& error, TimePoint now);
  bool is_confirmed(const UnderWay& refill);
  void start_refill_if_wanted(TimePoint now);
  void update_timer(TimePoint now);
  void finish_close();
  std::optional<Error> refuse_to_queue() const;

  const Settings settings_;  // the other options are in holding_ and policy_
  SequenceHost& host_;
  StepPolicy policy_;
  Backoff backoff_;

  Holding holding_;
  Periods periods_;

  int64_t in_release_ = 0;     // numbers that are being given back
  int64_t returns_ended_ = 0;  // see returns()
  int releases_ = 0;           // ranges that are being given back
  int abandoned_refills_ = 0;  // refills under way whose numbers nobody waits for any more

  WaiterQueue waiters_;
  WaiterQueue blocks_;
  uint64_t last_ticket_ = 0;

  std::variant<Idle, Requested, UnderWay, Paused> refill_;
  uint64_t last_refill_id_ = 0;
  uint64_t skipped_refill_id_ = 0;  // of the last refill that was begun before skip_to()

  std::shared_ptr<const Error> last_error_;
  std::optional<TimePoint> timer_;
  bool timer_keeps_alive_ = false;
  bool prefetch_due_ = false;
  bool closing_ = false;
  bool closed_ = false;
  Counts counts_;
  TimePoint wait_time_counted_;  // so far counts_.wait_time goes
};

}  // namespace nextid
