#pragma once

#include <cstdint>
#include <optional>

#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {

// `{_id: name, slot: S, digits: D}`, with `timeZone: '+08:00'` where that is not UTC: S is the slot that was
// given last. A step sets it to max(S, slot before that of the clock) + n, so every slot is given once,
// whatever any clock does.
class TimestampedCounter final : public CounterOfKind<Timestamped> {
 public:
  TimestampedCounter(CounterCollection& counters, const ReserveRequest& request);
  TimestampedCounter(CounterCollection& counters, const AdvanceRequest& request);

  // Reads the clock.
  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;
  std::optional<Error> objection_to_making() override;

  static Timestamped::State state_of(const bson_t* document);

 private:
  Timestamped::State read(const bson_t* document) const override { return state_of(document); }
  Document fields(const Timestamped::State& state, const bson_t* seen) const override;
  // kClockAhead if the clock is too far ahead of the server's.
  std::optional<Error> look(const Timestamped::State& state) override;
  std::optional<Error> clock_ahead();

  const Timestamped& kind_;
  const int64_t least_;     // that slot may be
  const int64_t most_;      // inclusive
  int64_t now_ = 0;         // what the clock showed before the last step
  int64_t before_now_ = 0;  // the slot before that of now_; or where the slot is to be moved, at least
};

}  // namespace nextid::mongo
