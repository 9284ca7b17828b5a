#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stores/mongo/counted_field.h"
#include "stores/mongo/counter.h"

namespace nextid::mongo {

// `{_id: 'orders:140625', name: 'orders', prefix: 140625, count: N}`, or without a name `{_id: ':140625',
// prefix: 140625, count: N}`, shared with programs that know no names and leave the _id to the server: N is
// the count that was given last.
//
// A counter of a period that prune() closed must never begin again, whoever stalls where. To make one:
//   1. Read the mark of closed periods. If the period is closed, refuse.
//   2. Insert the document with count 0 and `making`, an ObjectId that nobody used before. It is not a
//   counter
//      yet.
//   3. Read the mark again. If the period is closed now, remove the document if it still has that `making`
//   and
//      count 0, and refuse.
//   4. Reserve, and in the same step take `making` away, of a document that has that very one.
// Whoever finds a `making`, because its maker died, goes on from step 3. prune() works in this order:
//   5. Write the mark.
//   6. Remove the counters.
// Why no counter begins again: step 4 follows a step 3 that saw the period open. So the mark (5) was written
// after that step 3, and the removal (6) came later still. The document of step 2 was there by then, so 6
// removed it, begun or not, and no `making` comes twice. If an earlier counter of the period was removed, its
// mark was written before, and step 3 would have seen it.
class DatedCounter final : public CounterOfKind<Dated> {
 public:
  DatedCounter(CounterCollection& counters, const ReserveRequest& request);
  DatedCounter(CounterCollection& counters, const AdvanceRequest& request);

  Document identity() const override;
  Result<Step> step() override;
  Result<Range> reserved(const bson_t* document) const override;
  std::optional<Error> objection(const bson_t* document) override;
  std::optional<Error> objection_to_making() override;
  Result<Making> make(bool other_kind_is_there) override;

  static Dated::State state_of(const bson_t* document) { return {read_value(document, {"count"}), 1}; }

  // Takes `unused` back if nobody reserved after it. Sent once.
  static Result<bool> release(CounterCollection& counters, const CounterKey& key, Range unused);

 private:
  Dated::State read(const bson_t* document) const override { return state_of(document); }
  Document fields(const Dated::State& state, const bson_t* seen) const override;
  std::optional<Error> look(const Dated::State& state) override;

  bool restores() const { return advance_ && advance_->restore; }
  // Adopts the `making` of the document if its period is open; else removes the document.
  std::optional<Error> go_on_making(const bson_oid_t& making);
  // kPeriodPruned if the period is closed.
  std::optional<Error> refuse_closed() const;

  const int64_t prefix_;
  CountedField count_;
  std::optional<bson_oid_t> making_;  // of a document that we may begin
};

// Store::prune.
Result<int64_t> prune_dated(CounterCollection& counters, const std::string& name,
                            const std::vector<int64_t>& prefixes);

}  // namespace nextid::mongo
