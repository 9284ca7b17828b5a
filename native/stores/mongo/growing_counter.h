#pragma once

#include "stores/mongo/counter.h"
#include "stores/mongo/growing_fields.h"

namespace nextid::mongo {

// A counter whose numbers only grow, in the fields `kFields`.
template <typename Kind, const GrowingFields& kFields>
class GrowingCounter : public CounterOfKind<Kind> {
 public:
  GrowingCounter(CounterCollection& counters, const ReserveRequest& request)
      : CounterOfKind<Kind>(counters, request), step_(kFields, request) {}
  GrowingCounter(CounterCollection& counters, const AdvanceRequest& request)
      : CounterOfKind<Kind>(counters, request), step_(kFields, request) {}

  Result<Step> step() override {
    Step step{.query = this->identity(), .lost = step_.count()};
    step_.append(step.query, step.change);
    return step;
  }

  Result<Range> reserved(const bson_t* document) const override {
    if (const auto range = step_.reserved(document)) return *range;
    return this->nonsense(kFields.value, kFields.read(document).value);
  }

  // What the counter in `document` stores. For list(), too.
  static GrowingState state_of(const bson_t* document) { return kFields.read(document); }

 protected:
  GrowingState read(const bson_t* document) const override { return state_of(document); }
  Document fields(const GrowingState& state, const bson_t* seen) const override {
    return kFields.write(state, seen);
  }
  std::optional<Error> look(const GrowingState& state) override {
    step_.look(state);
    return std::nullopt;
  }

  GrowingStep step_;
};

}  // namespace nextid::mongo
