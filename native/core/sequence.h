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

// What a Sequence needs from its surroundings.
//
// Threads: called by the Sequence's methods, on their thread. An implementation must not call back into the
// Sequence, with these exceptions: request_refill() may call begin_refill() or refill_not_begun(), and
// request_release() may call on_release().
class SequenceHost {
 public:
  virtual ~SequenceHost() = default;

  // Requests a refill. Call begin_refill() once a worker thread is free, now or later. Call
  // refill_not_begun() if begin_refill() throws or no worker thread is available. May throw std::bad_alloc;
  // then call neither.
  virtual void request_refill() = 0;

  // Requests that `unused` is given back to `counter`. Call on_release() when this has succeeded or failed.
  // May throw std::bad_alloc; then nothing is given back, and on_release() must not be called.
  virtual void request_release(const CounterKey& counter, Range unused) = 0;

  // Serves a waiter: `pieces` hold the numbers it asked for, in increasing order. The token is not used
  // again.
  virtual void serve(Waiter::Token waiter, std::span<const Range> pieces) = 0;

  // Rejects a waiter. The token is not used again.
  virtual void refuse(Waiter::Token waiter, const Error& error) = 0;

  // Sets the timer, in place of an earlier one: call on_timer() once after `in`, or never if it has no value.
  // The timer keeps the process alive only if `keep_alive`. Returns false, and leaves the earlier timer, if
  // no timer can be set.
  virtual bool set_timer(std::optional<Duration> in, bool keep_alive) = 0;

  // Empties the caller's window and returns the numbers that were left in it. Returns nullopt, and leaves the
  // window as it is, if this is not possible at the moment.
  virtual std::optional<Range> take_back_window() = 0;

  // The last error of any sequence of this store, or null.
  virtual const Error* store_error() const = 0;

  // close() has completed.
  virtual void closed() = 0;
};

// The numbers that one process holds of a counter, the calls that wait for numbers, and the state machine of
// the refill.
//
// Numbers are handed out in the order of the counter. They go either to the caller's *window* (take), which
// the caller uses up without calling this class, or to waiters, first come, first served. While calls wait,
// the window is empty.
//
// The refill; at most one is requested or under way:
//   1. Numbers are needed: request_refill().
//   2. begin_refill() decides how many to ask for, including all that callers wait for by then.
//   3. on_refill() checks the range, keeps it, and serves blocks and waiters. If that is not enough, the next
//      refill is requested at once.
//   4. After an error that may pass, the refill pauses. Then the timer or the next call requests it again.
//      A final error rejects all waiters.
//
// A refill is abandoned when its numbers are no longer needed (switch_to, prepare, skip_to):
//   1. From then on it does not count as the one under way, so the next one can start.
//   2. When its range arrives, on_refill() recognizes its id and gives the range back. If skip_to()
//      was called in between, the range is lost: giving it back could undo skip_to().
//   3. Its error rejects no waiter.
//
// A counter that is missing or rewound:
//   1. The numbers in memory are dropped: other processes may be given the same ones.
//   2. If the error is unconfirmed, the refill is repeated, as after an error that may pass.
//   3. The error is final if a refill begun at least `confirm_time` after the first one that failed in this
//      way fails in this way again. Any other answer in between starts the confirmation over.
//
// Threads: uses no locks; all methods must be called on one thread. Reads no clock: the values of `now` must
// never decrease.
//
// Memory: a method that throws std::bad_alloc has handed out, queued and switched nothing; it may be called
// again. The methods that report events (on_refill, refill_not_begun, on_timer, on_release, cancel, close) do
// not throw: a lost event would leave waiters waiting.
class Sequence {
 public:
  struct Settings {
    int64_t start = 1;                            // first number of a plain counter that does not exist yet
    Duration timeout = std::chrono::seconds(10);  // of each waiter
    size_t max_waiters = 100'000;
    int64_t max_number = kLargestSafeInteger;  // the largest one handed out; below kLargestNumber

    // A refill asks only for the numbers that callers wait for. Nothing is kept or prefetched.
    bool exact = false;
    std::optional<Duration> max_age = std::nullopt;  // numbers are dropped at this age
    int64_t max_skew = kLargestNumber;               // see ReserveRequest

    // How long after the first unconfirmed error a refill must begin for its own one to be final.
    Duration confirm_time = std::chrono::seconds(2);
  };

  struct Options : Settings {
    CounterKey counter;
    StepPolicy::Options step;  // how many numbers a refill asks for

    // Holding::given_below() of earlier sequences of this process for `counter`; for a dated one by prefix.
    std::optional<int64_t> given_below = std::nullopt;
    Periods::GivenBelow given_in_period{};
  };

  using Seconds = std::chrono::duration<double>;  // adding up many waits overflows a Duration

  // Totals since the sequence was opened.
  struct Counts {
    int64_t handed_out = 0;  // numbers given to windows, waiters and blocks
    int64_t lost = 0;        // numbers reserved that will never be handed out
    int64_t returned = 0;    // numbers given back to the store
    int64_t refills = 0;     // refills that brought numbers
    int64_t failures = 0;    // refills that failed
    int64_t waits = 0;       // calls that had to wait
    int64_t timeouts = 0;    // of these, calls that timed out
    Seconds wait_time{0};    // of all waits; of unfinished ones, up to the last event
  };

  struct Stats : Counts {
    explicit Stats(const Counts& counts) : Counts(counts) {}

    int64_t in_memory = 0;               // numbers reserved and not handed out, the window not counted
    int64_t waiters = 0;                 // calls waiting now
    int64_t step = 0;                    // what the next refill asks for, at least
    double rate = 0;                     // numbers asked for per second, over the last range
    Duration refill_time{0};             // a high estimate of the time a refill takes
    bool refilling = false;              // a refill is requested or under way
    std::optional<Range> front;          // the numbers to be handed out next, the window not counted
    std::optional<int64_t> seen_at;      // where the counter stood when last seen
    std::optional<int64_t> given_below;  // all numbers handed out are below this; nullopt if there are none
    const Error* last_error = nullptr;   // of the last refill; null if it succeeded
  };

  // `seed`: 32 random bits.
  // REQUIRES: options.step as for StepPolicy; timeout > 0; 0 <= start <= max_number; `host` outlives this
  Sequence(Options options, SequenceHost& host, uint32_t seed);

  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  // Returns numbers for the caller's window, or nullopt if there are none or calls wait. Either way, it
  // requests a refill if one is due.
  // REQUIRES: the window is used up
  std::optional<Range> take(TimePoint now);

  // Queues a call for `count` numbers; with 0 it waits until there are numbers, and takes none. The host is
  // called to serve or reject it, possibly before this returns. Returns the ticket for cancel(), 0 if the
  // call does not have to wait, or an error if it was not queued.
  // REQUIRES: count >= 0; the counts of all waiting calls add up to less than 2^62
  Result<uint64_t> wait(Waiter::Token token, int64_t count, TimePoint now);

  // Like wait(), for one unbroken block. It comes from memory if it fits; otherwise it is reserved for this
  // call, regardless of the order of other calls. A block of 0 numbers is served when the store has answered.
  // REQUIRES: count > 0, or settings().exact
  Result<uint64_t> wait_for_block(Waiter::Token token, int64_t count, TimePoint now);

  // Like wait() for 0 numbers, for a caller that saw an unconfirmed error. Drops the numbers in memory, so
  // that a refill checks the counter.
  Result<uint64_t> wait_for_counter(Waiter::Token token, TimePoint now);

  // Removes a waiter from its queue. Returns its token, or null if it was already served or rejected.
  Waiter::Token cancel(uint64_t ticket, TimePoint now);

  // The counter was seen to stand at `next`.
  void saw_counter(int64_t next) { holding_.saw_counter(next); }

  // Call when the counter, of the period `prefix` if it is dated, was moved up to `next`. Returns false if
  // the window could not be taken back.
  //   1. Numbers below `next` are dropped: in the window, in memory, and in ranges that arrive later.
  //   2. The ids of a cyclic counter cannot be compared with `next`, so all are dropped, and its refill under
  //      way is abandoned.
  //   3. The ranges of abandoned refills that were begun before are not given back.
  bool skip_to(int64_t next, int64_t prefix, TimePoint now);

  // Ranges that are being given back, and abandoned refills, whose ranges may be. Both figures are 0 for
  // kinds that give nothing back.
  struct Returns {
    int64_t under_way;
    int64_t ended;  // since the sequence was opened
  };
  Returns returns() const {
    return gives_back(counter()) ? Returns{releases_ + abandoned_refills_, returns_ended_} : Returns{0, 0};
  }

  // Drops the numbers that have reached max_age, also those in the window.
  void drop_aged(TimePoint now);

  // Until when the numbers of the window may be handed out; TimePoint::max() without max_age.
  TimePoint window_until() const { return holding_.window_until(); }

  // Moves a dated sequence to the counter of the period `prefix`. Returns false, and changes nothing, if the
  // window could not be taken back.
  //   1. A refill under way for another period is abandoned.
  //   2. The numbers of the period before are given back.
  //   3. Waiters stay queued. They are served from the new period.
  // REQUIRES: a dated counter
  bool switch_to(int64_t prefix, TimePoint now);

  // Reserves the first range of the period `prefix`, for a later switch_to(). It is repeated like any
  // prefetch; a failure rejects nobody. REQUIRES: a dated counter
  void prepare(int64_t prefix, TimePoint now);

  // A refill that was begun. `id` distinguishes it from abandoned ones.
  struct BegunRefill {
    uint64_t id;
    ReserveRequest request;
  };

  // Returns what the refill asks for, as of now, or nullopt if it is no longer needed.
  // REQUIRES: request_refill() was called and not answered yet
  std::optional<BegunRefill> begin_refill(TimePoint now);

  // Call when there was no memory to begin the refill, or to send what begin_refill() has just returned. It
  // is repeated like one that failed.
  void refill_not_begun(TimePoint now);

  // Takes the outcome of a refill that begin_refill() began. Returns null, or why it failed; the error is
  // valid until the next call.
  const Error* on_refill(const BegunRefill& begun, const Result<Range>& result, TimePoint now);

  void on_timer(TimePoint now);

  // Call now and then. If no number was handed out since the last call, gives all numbers back and returns
  // true; the sequence stays usable. `in_window`: how many numbers are left in the window. Returns false, and
  // changes nothing, if
  //   1. calls wait, or a refill or a return is under way,
  //   2. the last request to the store failed, and the numbers would probably be lost,
  //   3. the window could not be taken back.
  bool return_if_idle(int64_t in_window, TimePoint now);

  // Closes the sequence; may be called once.
  //   1. Rejects all waiters, takes the window back and stops the timer.
  //   2. Waits for all refills, including abandoned ones. Their ranges are not handed out any more.
  //   3. Gives the last range of each period back. Others are lost: they cannot end where the counter stands.
  //   4. Calls closed() when everything has been given back, or this has failed.
  void close(TimePoint now);

  // Takes the outcome of request_release() for `unused`.
  void on_release(Range unused, const Result<bool>& result);

  // Whether ranges are being given back.
  bool is_returning() const { return releases_ > 0; }

  Stats stats() const;

  // Whether calls wait for the numbers that arrive next: take() then returns nothing, so call wait().
  bool has_nothing_to_take() const { return !waiters_.empty(); }

  bool somebody_waits() const { return !waiters_.empty() || !blocks_.empty(); }

  const Settings& settings() const { return settings_; }
  const CounterKey& counter() const { return holding_.counter(); }

  // Holding::given_below() of all periods so far, by prefix. For dated counters.
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
    uint64_t last_ticket = 0;   // the last one issued before it was begun
    uint64_t block_ticket = 0;  // it includes the numbers of the blocks up to this ticket
    bool for_memory = false;    // it asks for more than the blocks need
    bool to_prepare = false;    // it is only for the prepared holding
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
  void stop_timer();
  void finish_close();
  std::optional<Error> refuse_to_queue() const;

  const Settings settings_;  // the other options are in holding_, periods_ and policy_
  SequenceHost& host_;
  StepPolicy policy_;
  Backoff backoff_;

  Holding holding_;
  Periods periods_;

  int64_t given_at_idle_check_ = -1;  // numbers handed out, without the window, at the last return_if_idle()

  int64_t in_release_ = 0;     // numbers that are being given back
  int64_t returns_ended_ = 0;  // see returns()
  int releases_ = 0;           // ranges that are being given back
  int abandoned_refills_ = 0;  // that the store has not answered yet

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
  TimePoint wait_time_counted_;  // counts_.wait_time includes the waits up to here
};

}  // namespace nextid
