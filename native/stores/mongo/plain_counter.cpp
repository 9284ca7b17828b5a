#include "stores/mongo/plain_counter.h"

#include <algorithm>

namespace nextid::mongo {

PlainCounter::PlainCounter(CounterCollection& counters, const ReserveRequest& request)
    : CounterOfKind(counters, request),
      index_("index", CountedField::Change::kAdd, request.count,
             std::max<int64_t>(request.floor.value_or(0), 0),
             std::min(request.limit - 1, kLargestNumber - request.count)) {}

PlainCounter::PlainCounter(CounterCollection& counters, const AdvanceRequest& request)
    : CounterOfKind(counters, request),
      index_("index", CountedField::Change::kRaiseTo, request.next, 0, kLargestNumber) {}

Result<Step> PlainCounter::step() {
  Step step{.query = identity(), .lost = request_.count};
  index_.append_step(step.query, step.change);
  return step;
}

Result<Range> PlainCounter::reserved(const bson_t* document) const {
  if (const auto end = index_.after_step(document)) return Range{*end - request_.count, *end};
  return nonsense("index", index_.read(document));
}

Document PlainCounter::fields(const Plain::State& state, const bson_t*) const {
  Document fields;
  fields.number("index", state.value.number());
  return fields;
}

std::optional<Error> PlainCounter::look(const Plain::State& state) {
  index_.look(state.value);
  return std::nullopt;
}

Result<bool> PlainCounter::release(CounterCollection& counters, const CounterKey& key, Range unused) {
  Document query;
  query.text("_id", key.name).number("index", unused.end);
  return counters.update(query, Document().document("$set", Document().number("index", unused.first)));
}

}  // namespace nextid::mongo
