#pragma once

#include <cstdint>
#include <optional>

#include "core/store.h"
#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {

// `{_id: name, val: V, maxval: M}`: V is the last id given, 1…M, then 1 again; 0 before the first. Shared
// with programs that compare and set: val >= maxval → 0, else $inc 1.
class CyclicCounter final : public Counter {
 public:
  CyclicCounter(CounterCollection& counters, const ReserveRequest& request);
  // Moves the counter up; the range is empty and stands where the counter then does.
  CyclicCounter(CounterCollection& counters, const AdvanceRequest& request);

  Document identity() const override;
  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;
  bool is_in(const bson_t* document) const override;
  std::optional<Error> objection(const bson_t* document) override;
  std::optional<Error> objection_to_making() override;
  Result<Making> make(bool other_kind_is_there) override;

 private:
  const ReserveRequest request_;
  const int64_t cycle_;
  const std::optional<int64_t> raised_to_;  // val is to be this, or later in the round
  const bool restores_ = false;
};

}  // namespace nextid::mongo
