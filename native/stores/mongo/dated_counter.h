#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/store.h"
#include "stores/mongo/counted_field.h"
#include "stores/mongo/counter.h"

namespace nextid::mongo {

// `{_id: 'orders:140625', name: 'orders', prefix: 140625, count: N}`, or without a name `{_id: ':140625',
// prefix: 140625, count: N}`, shared with programs that know no names and leave the _id to the server: N is
// the last number given.
//
// A counter of a period that prune() closed must never begin anew, whoever stalls where. So it is made in two
// steps: first a document with count 0 and `making`, an ObjectId that nobody used before; it is no counter
// yet. Then the mark is read, and only if the period is open the first reservation takes `making` away, of a
// document that has that very one. Who finds a `making` (its maker died) reads the mark after that and goes
// on from there. prune() writes the mark before it removes documents. Then no counter begins anew: its mark
// was read after its document was made, by somebody who saw the period open. So the mark was written after
// that, and the documents were removed still later, this one among them, begun or not; and no `making` comes
// twice. An earlier counter of the period was removed, if at all, behind a mark that would have been seen.
class DatedCounter final : public Counter {
 public:
  DatedCounter(CounterCollection& counters, const ReserveRequest& request);
  // Moves the counter up; the range is empty and stands where the counter then does.
  DatedCounter(CounterCollection& counters, const AdvanceRequest& request);

  Document identity() const override;
  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;
  bool is_in(const bson_t* document) const override;
  std::optional<Error> objection(const bson_t* document) override;
  std::optional<Error> objection_to_making() override;
  Result<Making> make(bool other_kind_is_there) override;

 private:
  // Adopts the `making` of the document if its period is open; else removes the document.
  std::optional<Error> go_on_making(const bson_oid_t& making);
  // kPeriodPruned if the period is closed.
  std::optional<Error> refuse_closed() const;

  const ReserveRequest request_;
  const std::optional<int64_t> restored_;  // the count to restore the counter with
  CountedField count_;
  std::optional<bson_oid_t> making_;  // of a document that we may begin
};

// Takes `unused` back if nobody reserved after it. Sent once.
Result<bool> release_dated(CounterCollection& counters, const CounterKey& key, Range unused);

// Store::prune.
Result<int64_t> prune_dated(CounterCollection& counters, const std::string& name,
                            const std::vector<int64_t>& prefixes);

}  // namespace nextid::mongo
