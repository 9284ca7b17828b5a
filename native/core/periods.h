#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/holding.h"

namespace nextid {

// The periods of a dated sequence other than the current one: which numbers were given in them, and the
// holding that is prepared for one of them. Empty for other kinds.
//
// Memory: a method that throws std::bad_alloc has changed nothing.
class Periods {
 public:
  using GivenBelow = std::map<int64_t, int64_t>;  // Holding::given_below() by prefix

  explicit Periods(GivenBelow given_below) : given_below_(std::move(given_below)) {}

  // Returns a holding of `counter` that has no numbers and knows which ones its period gave.
  Holding open(CounterKey counter) const;

  // Moves from the period of `current` to the period of `next`. Returns the holding that was prepared for it,
  // or a new one.
  Holding enter(CounterKey next, const Holding& current);

  // Prepares a holding for the period of `next` and returns the one that was prepared before.
  // REQUIRES: no holding is prepared for that period
  std::optional<Holding> prepare(CounterKey next);

  // The prepared holding, if there is one (for the period `prefix`); null otherwise.
  Holding* prepared() const { return prepared_ ? &prepared_->holding : nullptr; }
  Holding* prepared(int64_t prefix) const;

  // Removes the prepared holding and returns it.
  std::optional<Holding> take_prepared();

  // Whether the prepared holding still needs its refill.
  bool refill_due() const { return prepared_ && prepared_->refill_due; }
  void refill_done() { prepared_->refill_due = false; }

  // The numbers given in all periods, including the current one.
  GivenBelow given_below(const Holding& current) const;

 private:
  struct Prepared {
    Holding holding;
    bool refill_due = true;
  };

  GivenBelow given_below_;  // of the periods before
  std::unique_ptr<Prepared> prepared_;
};

}  // namespace nextid
