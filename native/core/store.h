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
  int64_t count = 0;  // >= 0; 0 makes the counter if need be and reads it

  // The end of the last range this process was given, if there was one. The counter must then exist
  // (else kSequenceMissing) and stand at or above it (else kSequenceRewound); it is never made again.
  // Cyclic: only that it must exist; the value says nothing.
  std::optional<int64_t> floor;

  // The counter must stand below this (else kIdOverflow, nothing changed). The range may reach past it.
  // Cyclic: says nothing.
  int64_t limit = kLargestNumber;

  // Kinds that take numbers back: a returned range that begins here or above may be given in place of new
  // numbers, all or part of it, from its low end. Where there is one, it is given first.
  std::optional<int64_t> returned_from = std::nullopt;

  // The range must not wrap around (else kAcrossWrap, nothing changed).
  bool unbroken = false;

  // Time-stamped: what `clock` shows may be this far ahead of the store's own clock, if it has one (else
  // kClockAhead, nothing changed). In microseconds.
  int64_t max_skew = kLargestNumber;
  WallClock clock = wall_clock;
};

// Asks to move a counter up.
struct AdvanceRequest {
  CounterKey counter;
  int64_t next = 1;  // the number to be given next: plain >= 0, dated and time-stamped >= 1, cyclic 1…cycle
  bool make = true;  // a counter that is not there
  // The caller knows where the counter stood: a damaged value is replaced, unless it is a larger number, and
  // a counter that is not there is made although prune() has closed its period.
  bool restore = false;
};

// One counter, as list() shows it.
struct CounterInfo {
  CounterKey key;
  std::optional<int64_t> next;  // the number (cyclic: id) to be given next; none if the counter is damaged
  std::string problem;          // what is wrong with a damaged counter, in words
};

// The database behind the counters. A name may stand for a counter of each kind; they know nothing of each
// other.
//
// Threads: every method may be called from any thread, several at once; each blocks until the database
// answered or its time-outs ran out. Nothing here repeats a request whose outcome is doubtful, but for
// reserve(), whose repetition costs a gap at the worst. May throw std::bad_alloc and nothing else.
// The destructor disconnects, and waits for nobody: it may run on the JavaScript thread.
class Store {
 public:
  virtual ~Store() = default;

  // Disconnects in good order, for which it may wait for other users of the store. No other call may follow.
  virtual void disconnect() {}

  // Reserves, in one atomic step, `request.count` numbers. A counter that does not exist is made, by exactly
  // one of any number of first comers: a plain one with `start`, others to give 1, or the present time, next.
  // A value that is no whole number from 0 to 2^63-1 is kCounterInvalid, and left as it is.
  //   dated         kPeriodPruned where the counter does not exist and prune() has closed its period
  //   cyclic        kOptionsConflict where the counter goes to another number than `cycle`
  //   time-stamped  the range begins at the slot of the clock, or above the last slot given if that is later;
  //                 kOptionsConflict where the counter has other `digits`
  virtual Result<Range> reserve(const ReserveRequest& request) = 0;

  // Gives `unused` back: the counter goes down if nobody reserved after it, else it is added to the counter's
  // returned ranges. True if it was taken back; not where advance() was asked for a number above its first.
  // Whatever comes of it, it is sent once: a second time might undo the reservation of somebody else.
  // REQUIRES: a plain or dated counter, `unused` was reserved by the caller, no number of it was handed out,
  // and none was given back before.
  virtual Result<bool> release(const CounterKey& counter, Range unused) = 0;

  // Moves a counter up, never down (cyclic: within its round), in one atomic step. Drops the returned ranges
  // that begin below `request.next`, and sees that none is taken back any more. Returns the number it
  // gives next then; none if it is not there and is not to be made. Other errors as reserve(), whose clocks
  // and limits do not matter here.
  virtual Result<std::optional<int64_t>> advance(const AdvanceRequest& request) = 0;

  // The same with the plain counter `name`.
  Result<int64_t> advance(const std::string& name, int64_t next) {
    const Result<std::optional<int64_t>> stands_at = advance({.counter = {.name = name}, .next = next});
    if (!stands_at.ok()) return stands_at.error();
    return *stands_at.value();
  }

  // All counters, ordered by name, kind and prefix.
  virtual Result<std::vector<CounterInfo>> list() = 0;

  // Removes the dated counters `prefixes` of `name`, and closes the periods up to the last of them: from then
  // on no counter of such a period is made again. Returns how many were there. REQUIRES: the prefixes grow
  // and are of one kind of period.
  virtual Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes) = 0;
};

}  // namespace nextid
