#include "stores/mongo/plain_counter.h"

#include <algorithm>

#include "stores/mongo/refusals.h"

namespace nextid::mongo {

PlainCounter::PlainCounter(CounterCollection& counters, const ReserveRequest& request)
    : Counter(counters, request.counter),
      request_(request),
      index_("index", CountedField::Change::kAdd, request.count,
             std::max<int64_t>(request.floor.value_or(0), 0),
             std::min(request.limit - 1, INT64_MAX - request.count)) {}

PlainCounter::PlainCounter(CounterCollection& counters, const AdvanceRequest& request)
    : Counter(counters, request.counter),
      request_{.counter = request.counter, .start = request.next, .floor = std::nullopt},
      restores_(request.restore),
      index_("index", CountedField::Change::kRaiseTo, request.next, 0, INT64_MAX) {}

Document PlainCounter::identity() const {
  Document query;
  query.text("_id", key().name);
  return query;
}

Result<Step> PlainCounter::step() {
  Step step{.query = identity(), .lost = request_.count};
  index_.append_step(step.query, step.change);
  return step;
}

Result<Range> PlainCounter::reserved(const bson_t* document) const {
  if (const auto end = index_.after_step(document)) return Range{*end - request_.count, *end};
  Error error =
      counters().errors().of_nonsense("findAndModify says that index is now " + index_.read(document).text);
  error.lost = request_.count;
  return error;
}

bool PlainCounter::is_in(const bson_t* document) const { return holds_plain(document); }

std::optional<Error> PlainCounter::objection(const bson_t* document) {
  const CounterValue value = index_.read(document);
  if (restores_ && value.gives_way_to(request_.start)) {
    return replace_damaged(*this, document, Document().number("index", request_.start));
  }
  if (!value.fine()) return damaged(*this, value);
  index_.look(value);
  return misfit(*this, request_, value.number);
}

std::optional<Error> PlainCounter::objection_to_making() {
  if (!request_.floor) return std::nullopt;
  return missing(*this, "numbers below " + std::to_string(*request_.floor), request_.floor);
}

Result<Making> PlainCounter::make(bool other_kind_is_there) {
  return make_by_name(counters(), key().name, Document().number("index", request_.start),
                      other_kind_is_there);
}

Result<bool> release_plain(CounterCollection& counters, const std::string& name, Range unused) {
  Document query;
  query.text("_id", name).number("index", unused.end);
  return counters.update(query, Document().document("$set", Document().number("index", unused.first)));
}

}  // namespace nextid::mongo
