#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/clock.h"
#include "core/counter_key.h"
#include "core/error.h"
#include "core/limits.h"
#include "core/range.h"

namespace nextid {

// Asks for `count` numbers of a counter.
struct ReserveRequest {
  CounterKey counter;
  int64_t start = 1;  // plain: the first number of a counter that does not exist yet
  int64_t count = 0;  // >= 0; 0 creates the counter if it is missing, and reads it

  // The end of the last range that this process was given. The counter must exist (else kSequenceMissing) and
  // stand here or above (else kSequenceRewound); it is not created again. A cyclic counter must only exist.
  // nullopt: this process knows nothing about the counter.
  std::optional<int64_t> floor;

  // The counter must stand below this (else kIdOverflow, nothing changed). The range may extend past it.
  // Ignored for cyclic counters.
  int64_t limit = kLargestNumber;

  // Plain and dated: if there are returned ranges that begin here or above, the low end of the lowest is
  // given instead of new numbers, possibly fewer than `count`. nullopt: new numbers only.
  std::optional<int64_t> returned_from = std::nullopt;

  // The range must not wrap around (else kAcrossWrap, nothing changed).
  bool unbroken = false;

  // Time-stamped: how far `clock` may be ahead of the store's own clock, if the store has one, in
  // microseconds (else kClockAhead, nothing changed).
  int64_t max_skew = kLargestNumber;
  WallClock clock = wall_clock;
};

// Asks to move a counter up.
struct AdvanceRequest {
  CounterKey counter;
  int64_t next = 1;  // the number to be given next: plain >= 0, dated and time-stamped >= 1, cyclic 1…cycle
  bool make = true;  // create the counter if it is missing
  // The caller knows where the counter stood. So a damaged value is replaced, unless it is a larger number,
  // and a missing counter is created even if prune() has closed its period.
  bool restore = false;
};

// One counter, as list() shows it.
struct CounterInfo {
  CounterKey key;
  std::optional<int64_t> next;  // the number (cyclic: id) to be given next; nullopt if the counter is damaged
  std::string problem;          // what is wrong with a damaged counter; empty for others
  int64_t returned = 0;         // how many numbers returned ranges hold
};

// The database that keeps the counters. One name may have a counter of each kind; they are independent.
//
// Threads: every method may be called on any thread, several at once. Each blocks until the database has
// answered or its timeouts have expired. The destructor disconnects without waiting for others: it may run on
// the JavaScript thread.
//
// Retries: a request with a doubtful outcome is not repeated, except reserve(): the worst result is a gap.
//
// Exceptions: only std::bad_alloc.
class Store {
 public:
  virtual ~Store() = default;

  // Disconnects cleanly. May wait for other users of the store. No other call may follow.
  virtual void disconnect() {}

  // Reserves `request.count` numbers in one atomic step.
  // A missing counter is created, by exactly one of any number of simultaneous callers. A plain counter
  // begins with `start`, a time-stamped one with the current time, others with 1. Fails with kCounterInvalid
  // if the value is not a whole number from 0 to 2^63-1; the value is not changed.
  //   dated         kPeriodPruned if the counter is missing and prune() has closed its period
  //   cyclic        kOptionsConflict if the counter has another `cycle`
  //   time-stamped  the range begins at the slot of the clock, or after the last slot given if that is later;
  //                 kOptionsConflict if the counter has other `digits`
  virtual Result<Range> reserve(const ReserveRequest& request) = 0;

  // Gives `unused` back: lowers the counter if nobody has reserved since, else adds the range to the
  // counter's returned ranges. Returns whether it was taken back; never if advance() was given a larger
  // number than its first. Sent once, whatever the outcome: a second time could undo a reservation of
  // somebody else. REQUIRES: a plain or dated counter; the caller reserved `unused`, handed out none of its
  // numbers and did not give them back before
  virtual Result<bool> release(const CounterKey& counter, Range unused) = 0;

  // Moves a counter up, never down (cyclic: within its round), in one atomic step. Drops the returned ranges
  // that begin below `request.next`; from then on none is taken back. Returns the number that it gives next,
  // or nullopt if it is missing and must not be created. Fails like reserve(), apart from floors, limits and
  // clocks.
  virtual Result<std::optional<int64_t>> advance(const AdvanceRequest& request) = 0;

  // The same for the plain counter `name`.
  Result<int64_t> advance(const std::string& name, int64_t next) {
    const Result<std::optional<int64_t>> stands_at = advance({.counter = {.name = name}, .next = next});
    if (!stands_at.ok()) return stands_at.error();
    return *stands_at.value();
  }

  // All counters, ordered by name, kind and prefix.
  virtual Result<std::vector<CounterInfo>> list() = 0;

  // Removes the dated counters of `name` for the periods `prefixes`, and closes the periods up to the last of
  // them: reserve() does not create counters for closed periods. Returns how many counters were removed.
  // REQUIRES: the prefixes are in increasing order and of one kind of period
  virtual Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes) = 0;
};

}  // namespace nextid
