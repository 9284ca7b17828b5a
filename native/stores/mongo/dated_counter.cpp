#include "stores/mongo/dated_counter.h"

#include <algorithm>

#include "stores/mongo/closed_periods.h"

namespace nextid::mongo {
namespace {

// A command holds 16 MB at most, and a client waits only for a limited time.
constexpr size_t kMostPerRemoval = 1000;

Document find_counter(const CounterKey& key) {
  Document query;
  if (key.name.empty()) {
    query.number("prefix", prefix_of(key)).document("name", Document().flag("$exists", false));
  } else {
    query.text("_id", id_of_dated(key.name, prefix_of(key)));
  }
  return query;
}

// Documents that hold counters of other kinds too. Those have a string as _id: their name.
Document shared_with_others() {
  Array others;
  const auto add = [&others](const char* field) {
    Document other;
    other.document(field, Document().flag("$exists", true));
    others.document(other);
  };
  for (const KindFields& kind : kKindFields) {
    if (&kind == &fields_of(Dated())) continue;
    for_each_name(kind.marks, add);
    for_each_name(kind.also, add);
  }
  Document query;
  query.document("_id", Document().text("$type", "string")).array("$or", others);
  return query;
}

// Removes the dated counters that `query` finds, and keeps counters of other kinds in the same documents. The
// filters decide at the moment of the write: another program may add such a counter at any time.
Result<int64_t> remove_counters(CounterCollection& counters, const Document& query) {
  Document alone, shared;
  alone.fields_of(query).array("$nor", Array().document(shared_with_others()));
  shared.fields_of(query).array("$and", Array().document(shared_with_others()));
  const Result<int64_t> removed = counters.remove(alone);
  if (!removed.ok()) return removed;
  Document fields;
  const auto add = [&fields](const char* field) { fields.flag(field, true); };
  for_each_name(fields_of(Dated()).marks, add);
  for_each_name(fields_of(Dated()).also, add);
  const Result<int64_t> parted = counters.update_all(shared, Document().document("$unset", fields));
  if (!parted.ok()) return parted;
  return removed.value() + parted.value();
}

// The counters `prefixes[from]` to `prefixes[to - 1]`.
Document find_counters(const std::string& name, const std::vector<int64_t>& prefixes, size_t from,
                       size_t to) {
  Array wanted;
  for (size_t i = from; i < to; ++i) {
    if (name.empty()) {
      wanted.number(prefixes[i]);
    } else {
      wanted.text(id_of_dated(name, prefixes[i]));
    }
  }
  Document query;
  query.document(name.empty() ? "prefix" : "_id", Document().array("$in", wanted));
  if (name.empty()) {
    query.document("name", Document().flag("$exists", false));
  } else {
    query.text("name", name);
  }
  return query;
}

}  // namespace

DatedCounter::DatedCounter(CounterCollection& counters, const ReserveRequest& request)
    : CounterOfKind(counters, request),
      prefix_(prefix_of(key())),
      count_("count", CountedField::Change::kAdd, request.count,
             std::max<int64_t>(request.floor.value_or(1), 1) - 1,
             std::min(request.limit - 1, kLargestNumber - request.count) - 1) {}

DatedCounter::DatedCounter(CounterCollection& counters, const AdvanceRequest& request)
    : CounterOfKind(counters, request),
      prefix_(prefix_of(key())),
      count_("count", CountedField::Change::kRaiseTo, request.next - 1, 0, kLargestNumber - 1) {}

Document DatedCounter::identity() const { return find_counter(key()); }

Result<Step> DatedCounter::step() {
  Step step{.query = identity(), .lost = request_.count};
  if (making_) {
    step.query.object_id("making", *making_);
    step.change.document("$unset", Document().flag("making", true));
  } else {
    step.query.document("making", Document().flag("$exists", false));
  }
  count_.append_step(step.query, step.change);
  return step;
}

Result<Range> DatedCounter::reserved(const bson_t* document) const {
  if (const auto last = count_.after_step(document)) return Range{*last - request_.count + 1, *last + 1};
  return nonsense("count", count_.read(document));
}

std::optional<Error> DatedCounter::objection(const bson_t* document) {
  making_.reset();
  if (const auto making = find_field(document, "making")) {
    if (!BSON_ITER_HOLDS_OID(&*making)) {
      return refusal(ErrorCode::kCounterInvalid,
                     called() + " is half made, and holds " + read_value(document, {"making"}).found() +
                         " in making: expected an ObjectId; it was left as it is. Remove the field making if "
                         "the counter is right, or the whole document if no number of it was given");
    }
    if (auto error = go_on_making(*bson_iter_oid(&*making))) return error;
  }
  const bool is_ours = key().name.empty() || holds_named_dated(document);
  if (!is_ours && !bson_has_field(document, "count")) return taken(key(), counters_, document);
  return CounterOfKind::objection(document);
}

std::optional<Error> DatedCounter::objection_to_making() {
  if (auto error = refuse_closed()) return error;
  return Counter::objection_to_making();
}

Result<Making> DatedCounter::make(bool other_kind_is_there) {
  bson_oid_t making;
  bson_oid_init(&making, nullptr);
  const std::string id = id_of_dated(key().name, prefix_);
  Document document;
  if (!key().name.empty()) {
    document.text("name", key().name).number("prefix", prefix_);
  } else {
    // Not an _id of the server's choice: where many clients make the document at once, the later ones are
    // refused by the _id before they reach the index on prefix. At that index FerretDB's PostgreSQL lets them
    // deadlock for as long as they keep trying.
    document.text("_id", id);
  }
  if (restores()) {
    document.fields_of(fields(first_state(), nullptr));
  } else {
    document.number("count", 0).object_id("making", making);
  }
  const Result<Making> made =
      other_kind_is_there ? make_by_id(counters_, id, document, true) : counters_.make(identity(), document);
  if (restores() || !made.ok() || made.value().outcome != Making::Outcome::kDone) return made;
  count_.look(CounterValue(0));
  if (auto error = go_on_making(making)) return *error;
  return made;
}

Document DatedCounter::fields(const Dated::State& state, const bson_t*) const {
  Document fields;
  fields.number("count", state.value.number());
  return fields;
}

std::optional<Error> DatedCounter::look(const Dated::State& state) {
  count_.look(state.value);
  return std::nullopt;
}

std::optional<Error> DatedCounter::go_on_making(const bson_oid_t& making) {
  std::optional<Error> closed = refuse_closed();
  if (!closed) {
    making_ = making;
  } else if (closed->code == ErrorCode::kPeriodPruned) {
    Document unbegun = identity();
    unbegun.object_id("making", making).number("count", 0);
    const Result<int64_t> removed = remove_counters(counters_, unbegun);
    if (!removed.ok()) return removed.error();
  }
  return closed;
}

std::optional<Error> DatedCounter::refuse_closed() const {
  if (restores()) return std::nullopt;
  const Result<int64_t> closed = last_closed(counters_, key().name, prefix_);
  if (!closed.ok()) return closed.error();
  if (prefix_ > closed.value()) return std::nullopt;
  return counter_errors::pruned(key(), place_of(counters_), closed.value());
}

Result<bool> DatedCounter::release(CounterCollection& counters, const CounterKey& key, Range unused) {
  Document query = find_counter(key);
  query.number("count", unused.end - 1);
  return counters.update(query, Document().document("$set", Document().number("count", unused.first - 1)));
}

Result<int64_t> prune_dated(CounterCollection& counters, const std::string& name,
                            const std::vector<int64_t>& prefixes) {
  if (prefixes.empty()) return int64_t{0};
  if (auto error = close_periods(counters, name, prefixes.back())) return *error;
  int64_t removed = 0;
  for (size_t from = 0; from < prefixes.size(); from += kMostPerRemoval) {
    const size_t to = std::min(from + kMostPerRemoval, prefixes.size());
    const Result<int64_t> count = remove_counters(counters, find_counters(name, prefixes, from, to));
    if (!count.ok()) return count.error();
    removed += count.value();
  }
  return removed;
}

}  // namespace nextid::mongo
