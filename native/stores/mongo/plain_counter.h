#pragma once

#include "stores/mongo/counted_field.h"
#include "stores/mongo/counter.h"

namespace nextid::mongo {

// `{_id: name, index: N}`: N is the next number nobody has reserved.
class PlainCounter final : public CounterOfKind<Plain> {
 public:
  PlainCounter(CounterCollection& counters, const ReserveRequest& request);
  PlainCounter(CounterCollection& counters, const AdvanceRequest& request);

  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;

  // What the counter in `document` stores. For list(), too.
  static Plain::State state_of(const bson_t* document) { return {read_value(document, {"index"}), 0}; }

  // Takes `unused` back if nobody reserved after it. Sent once.
  static Result<bool> release(CounterCollection& counters, const CounterKey& key, Range unused);

 private:
  Plain::State read(const bson_t* document) const override { return state_of(document); }
  Document fields(const Plain::State& state, const bson_t* seen) const override;
  std::optional<Error> look(const Plain::State& state) override;

  CountedField index_;
};

}  // namespace nextid::mongo
