#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/store.h"
#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {

// `{_id: name, slot: S, digits: D}`, with `timeZone: '+08:00'` where that is not UTC: S is the last slot
// given. A step sets it to max(S, slot before that of the clock) + n, so every slot is given once, whatever
// any clock does.
class TimestampedCounter final : public Counter {
 public:
  TimestampedCounter(CounterCollection& counters, const ReserveRequest& request);
  // Moves the counter up; the range is empty and stands where the counter then does.
  TimestampedCounter(CounterCollection& counters, const AdvanceRequest& request);

  Document identity() const override;
  // Reads the clock.
  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;
  bool is_in(const bson_t* document) const override;
  std::optional<Error> objection(const bson_t* document) override;
  std::optional<Error> objection_to_making() override;
  Result<Making> make(bool other_kind_is_there) override;

 private:
  // The slot of the time `now_`; an error if it is no slot or leaves no room.
  Result<int64_t> slot_of_clock() const;
  // kClockAhead if the clock is too far ahead of the server's.
  std::optional<Error> clock_ahead();
  // kOptionsConflict: the counter was made for `has`.
  Error made_for(const std::string& has, const std::string& asked) const;
  // The fields that a counter is made with beside its slot.
  Document options() const;

  const ReserveRequest request_;
  const std::optional<int64_t> raised_to_;  // slot is to be this or later, whatever the clock shows
  const bool restores_ = false;
  const int64_t least_;     // that slot may be
  const int64_t most_;      // inclusive
  int64_t now_ = 0;         // what the clock showed before the last step
  int64_t before_now_ = 0;  // the slot before that of now_
};

}  // namespace nextid::mongo
