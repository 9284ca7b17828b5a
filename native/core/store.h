#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/range.h"

namespace nextid {

// Asks for `count` numbers of the counter `name`.
struct ReserveRequest {
  std::string name;
  int64_t start = 1;  // what a counter that nobody has made yet begins with
  int64_t count = 0;  // >= 0; 0 makes the counter if need be and reads it

  // The end of the last range this process was given, if there was one. The counter must then exist
  // (else kSequenceMissing) and stand at or above it (else kSequenceRewound); it is never made anew.
  std::optional<int64_t> floor;

  // The counter must stand below this (else kIdOverflow, nothing changed). The range may reach past it.
  int64_t limit = INT64_MAX;
};

// One counter, as list() shows it.
struct CounterInfo {
  std::string name;
  std::optional<int64_t> next;  // the next number nobody has reserved; none if the counter is damaged
  std::string problem;          // what is wrong with a damaged counter, in words
};

// The database behind the counters.
//
// Threads: every method may be called from any thread, several at once; each blocks until the database
// answered or its time-outs ran out. Nothing here repeats a request whose outcome is doubtful, but for
// reserve(), whose repetition costs a gap at the worst. May throw std::bad_alloc and nothing else.
// The destructor disconnects.
class Store {
 public:
  virtual ~Store() = default;

  // Reserves, in one atomic step, `request.count` numbers. A counter that does not exist is made, by exactly
  // one of any number of first comers. A value that is no whole number from 0 to 2^63-1 is kCounterInvalid,
  // and left as it is.
  virtual Result<Range> reserve(const ReserveRequest& request) = 0;

  // Gives `unused` back if nobody reserved after it: one compare-and-set, sent once. True if it was taken
  // back. REQUIRES: `unused` was reserved by the caller and no number of it was handed out.
  virtual Result<bool> release(const std::string& name, Range unused) = 0;

  // Moves the counter up to `next`, never down; makes it if there is none. Returns where it stands then.
  virtual Result<int64_t> advance(const std::string& name, int64_t next) = 0;

  // All counters, ordered by name.
  virtual Result<std::vector<CounterInfo>> list() = 0;
};

}  // namespace nextid
