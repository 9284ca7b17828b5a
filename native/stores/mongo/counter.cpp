#include "stores/mongo/counter.h"

#include "stores/mongo/index_in_the_way.h"
#include "stores/mongo/refusals.h"

namespace nextid::mongo {
namespace {

// Others may make a counter, or turn it from one type of number into another, between our look at it and our
// step. Both happen about once in a counter's life, so this many rounds are plenty.
constexpr int kMostRounds = 20;

// So often in a row nobody makes a counter and removes it again between our attempt to make it and our look.
constexpr int kSuspectDuplicates = 3;

// Whether it holds the marks of what was pruned, or was just made for them: see closed_periods.h.
bool holds_marks(const bson_t* document) {
  const auto name = find_text(document, "name");
  return name && find_text(document, "_id") == *name + ":pruned";
}

// Documents of other programs are left alone, and so are those of dated counters without a name: other
// programs remove old ones, and would remove any other counter in them.
bool may_be_shared(const bson_t* document) {
  return holds_plain(document) || holds_cyclic(document) || holds_timestamped(document) ||
         holds_dated(document) || holds_marks(document);
}

}  // namespace

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
    if (is_there && !may_be_shared(seen.value()->get())) return taken(counter, seen.value()->get());
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

std::optional<Error> replace_damaged(const Counter& counter, const bson_t* seen, const Document& fields) {
  Document query = counter.identity();
  bson_iter_t field;
  bson_iter_init(&field, fields.get());
  while (bson_iter_next(&field)) {
    const char* name = bson_iter_key(&field);
    const auto value = find_field(seen, name);
    Document as_seen;
    as_seen.flag("$exists", value.has_value());
    if (value) bson_append_iter(as_seen.get(), "$eq", -1, &*value);
    query.document(name, as_seen);
  }
  const Result<bool> replaced = counter.counters().update(query, Document().document("$set", fields));
  if (!replaced.ok()) return replaced.error();
  return std::nullopt;
}

bool holds_plain(const bson_t* document) { return bson_has_field(document, "index"); }
bool holds_cyclic(const bson_t* document) {
  return bson_has_field(document, "val") || bson_has_field(document, "maxval");
}
bool holds_timestamped(const bson_t* document) { return bson_has_field(document, "slot"); }
bool holds_dated(const bson_t* document) {
  const auto name = find_text(document, "name");
  const CounterValue prefix = read_counter_value(document, "prefix");
  return name && prefix.fine() && find_text(document, "_id") == *name + ":" + std::to_string(prefix.number);
}

std::optional<std::string> time_zone_of(const bson_t* document) {
  const auto field = find_field(document, "timeZone");
  if (!field || BSON_ITER_HOLDS_NULL(&*field)) return "UTC";
  return find_text(document, "timeZone");
}

Result<Making> make_by_name(CounterCollection& counters, const std::string& name, const Document& fields,
                            bool is_there) {
  Document named;
  named.text("_id", name);
  if (!is_there) return counters.make(named, fields);
  bson_iter_t field;
  bson_iter_init(&field, fields.get());
  while (bson_iter_next(&field)) {
    named.document(bson_iter_key(&field), Document().flag("$exists", false));
  }
  const Result<bool> added = counters.update(named, Document().document("$set", fields));
  if (!added.ok()) return added.error();
  return Making{Making::Outcome::kDone, std::nullopt};
}

}  // namespace nextid::mongo
