#pragma once

#include <cstdint>

#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {

// `{_id: name, val: V, maxval: M}`: V is the id that was given last, 1…M, then 1 again; 0 before the first.
// Shared with programs that compare and set: val >= maxval → 0, else $inc 1.
class CyclicCounter final : public CounterOfKind<Cyclic> {
 public:
  CyclicCounter(CounterCollection& counters, const ReserveRequest& request);
  CyclicCounter(CounterCollection& counters, const AdvanceRequest& request);

  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;

  static Cyclic::State state_of(const bson_t* document);

 private:
  Cyclic::State read(const bson_t* document) const override { return state_of(document); }
  Document fields(const Cyclic::State& state, const bson_t* seen) const override;

  const int64_t cycle_;
};

}  // namespace nextid::mongo
