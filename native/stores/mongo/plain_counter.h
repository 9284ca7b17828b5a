#pragma once

#include "core/store.h"
#include "stores/mongo/counted_field.h"
#include "stores/mongo/counter.h"

namespace nextid::mongo {

// `{_id: name, index: N}`: N is the next number nobody has reserved.
class PlainCounter final : public Counter {
 public:
  // Reserves what `request` asks for.
  PlainCounter(CounterCollection& counters, const ReserveRequest& request);
  // Moves the counter up; the range is empty and stands where the counter then does.
  PlainCounter(CounterCollection& counters, const AdvanceRequest& request);

  Document identity() const override;
  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;
  bool is_in(const bson_t* document) const override;
  std::optional<Error> objection(const bson_t* document) override;
  std::optional<Error> objection_to_making() override;
  Result<Making> make(bool other_kind_is_there) override;

 private:
  const ReserveRequest request_;
  const bool restores_ = false;
  CountedField index_;
};

// Takes `unused` back if nobody reserved after it. Sent once.
Result<bool> release_plain(CounterCollection& counters, const std::string& name, Range unused);

}  // namespace nextid::mongo
