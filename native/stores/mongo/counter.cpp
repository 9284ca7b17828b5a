#include "stores/mongo/counter.h"

#include "stores/mongo/index_in_the_way.h"

namespace nextid::mongo {
namespace {

// Others may make a counter, or turn it from one type of number into another, between our look at it and our
// step. Both happen about once in a counter's life, so this many rounds are plenty.
constexpr int kMostRounds = 20;

// This many times in a row, it is not chance that others made the counter and removed it again between our
// attempt to make it and our look.
constexpr int kSuspectDuplicates = 3;

}  // namespace

Document Counter::identity() const {
  Document query;
  query.text("_id", key().name);
  return query;
}

std::optional<Error> Counter::objection_to_making() {
  if (!request_.floor) return std::nullopt;
  Error error = counter_errors::missing(key(), place_of(counters_), *request_.floor);
  error.unconfirmed = true;  // see objection()
  return error;
}

bool Counter::is_in(const bson_t* document) const {
  const KindFields& fields = fields_of(key().kind);
  return holds_any(document, fields.marks) || holds_any(document, fields.also);
}

Error Counter::nonsense(const char* field, const CounterValue& value) const {
  Error error = counters_.errors().of_nonsense("findAndModify says that " + std::string(field) + " is now " +
                                               (value.is_there() ? value.found() : "missing"));
  error.lost = request_.count;
  return error;
}

Result<Range> carry_out(Counter& counter) {
  CounterCollection& counters = counter.counters();
  int duplicates = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    const Result<Step> step = counter.step();
    if (!step.ok()) return step.error();
    const Result<std::optional<Document>> moved = counters.find_and_modify(step.value());
    if (!moved.ok()) return moved.error();
    if (moved.value()) return counter.reserved(moved.value()->get());

    const Result<std::optional<Document>> seen = counters.find(counter.identity());
    if (!seen.ok()) return seen.error();
    const bool is_there = seen.value().has_value();
    if (is_there && counter.is_in(seen.value()->get())) {
      if (auto error = counter.objection(seen.value()->get())) return *error;
      continue;
    }
    if (is_there && !may_be_shared(seen.value()->get())) {
      return taken(counter.key(), counters, seen.value()->get());
    }
    if (auto error = counter.objection_to_making()) return *error;
    const Result<Making> made = counter.make(is_there);
    if (!made.ok()) return made.error();
    const bool duplicate = made.value().outcome == Making::Outcome::kDuplicate;
    duplicates = duplicate && !is_there ? duplicates + 1 : 0;
    if (duplicates == kSuspectDuplicates) {
      if (auto error = index_in_the_way(counters, counter.called(), made.value().refusal)) return *error;
    }
  }
  return Error{
      ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
      counter.called() + " was changed by others at each of many tries; nothing was reserved, try again",
      std::nullopt, 0};
}

}  // namespace nextid::mongo
