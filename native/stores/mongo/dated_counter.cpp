#include "stores/mongo/dated_counter.h"

#include <algorithm>

#include "stores/mongo/closed_periods.h"
#include "stores/mongo/refusals.h"

namespace nextid::mongo {
namespace {

// A command holds 16 MB at most, and a client waits only so long for its answer.
constexpr size_t kMostPerRemoval = 1000;

std::string id_of(const std::string& name, int64_t prefix) { return name + ":" + std::to_string(prefix); }

Document find_counter(const CounterKey& key) {
  Document query;
  if (key.name.empty()) {
    query.number("prefix", key.prefix).document("name", Document().flag("$exists", false));
  } else {
    query.text("_id", id_of(key.name, key.prefix));
  }
  return query;
}

// Documents that hold counters of other kinds too. Those have a string as _id: their name.
Document shared_with_others() {
  Array others;
  for (const char* field : {"index", "val", "maxval", "slot", "digits"}) {
    Document other;
    other.document(field, Document().flag("$exists", true));
    others.document(other);
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
  for (const char* field : {"name", "prefix", "count", "making"}) fields.flag(field, true);
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
      wanted.text(id_of(name, prefixes[i]));
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
    : Counter(counters, request.counter),
      request_(request),
      count_("count", CountedField::Change::kAdd, request.count,
             std::max<int64_t>(request.floor.value_or(1), 1) - 1,
             std::min(request.limit - 1, INT64_MAX - request.count) - 1) {}

DatedCounter::DatedCounter(CounterCollection& counters, const AdvanceRequest& request)
    : Counter(counters, request.counter),
      request_{.counter = request.counter, .floor = std::nullopt},
      restored_(request.restore ? std::optional(request.next - 1) : std::nullopt),
      count_("count", CountedField::Change::kRaiseTo, request.next - 1, 0, INT64_MAX - 1) {}

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
  Error error =
      counters().errors().of_nonsense("findAndModify says that count is now " + count_.read(document).text);
  error.lost = request_.count;
  return error;
}

bool DatedCounter::is_in(const bson_t* document) const {
  return bson_has_field(document, "name") || bson_has_field(document, "prefix") ||
         bson_has_field(document, "count") || bson_has_field(document, "making");
}

std::optional<Error> DatedCounter::objection(const bson_t* document) {
  making_.reset();
  if (const auto making = find_field(document, "making")) {
    if (!BSON_ITER_HOLDS_OID(&*making)) {
      return refusal(ErrorCode::kCounterInvalid,
                     called() + " is half made, and holds in making " +
                         read_counter_value(document, "making").text +
                         ", where an ObjectId was expected; it was left as it is. Remove the field making if "
                         "the counter is right, or the whole document if no number of it was given");
    }
    if (auto error = go_on_making(*bson_iter_oid(&*making))) return error;
  }
  const CounterValue value = count_.read(document);
  const bool is_ours = key().name.empty() || holds_dated(document);
  if (!is_ours && !bson_has_field(document, "count")) return taken(*this, document);
  if (restored_ && value.gives_way_to(*restored_)) {
    return replace_damaged(*this, document, Document().number("count", *restored_));
  }
  if (!value.fine()) return damaged(*this, value);
  count_.look(value);
  return misfit(*this, request_, value.number == INT64_MAX ? INT64_MAX : value.number + 1);
}

std::optional<Error> DatedCounter::objection_to_making() {
  if (auto error = refuse_closed()) return error;
  if (!request_.floor) return std::nullopt;
  return missing(*this, "counts below " + std::to_string(*request_.floor), request_.floor);
}

Result<Making> DatedCounter::make(bool other_kind_is_there) {
  bson_oid_t making;
  bson_oid_init(&making, nullptr);
  Document fields;
  if (!key().name.empty()) {
    fields.text("name", key().name).number("prefix", key().prefix);
  } else {
    // Not the server's choice: where many make it at once, those who come later are refused by the _id before
    // they reach the index on prefix, at which FerretDB's PostgreSQL lets them deadlock for as long as they
    // keep trying.
    fields.text("_id", id_of(key().name, key().prefix));
  }
  fields.number("count", restored_.value_or(0));
  if (!restored_) fields.object_id("making", making);
  const Result<Making> made = other_kind_is_there
                                  ? make_by_name(counters(), id_of(key().name, key().prefix), fields, true)
                                  : counters().make(identity(), fields);
  if (restored_ || !made.ok() || made.value().outcome != Making::Outcome::kDone) return made;
  count_.look({});
  if (auto error = go_on_making(making)) return *error;
  return made;
}

std::optional<Error> DatedCounter::go_on_making(const bson_oid_t& making) {
  std::optional<Error> closed = refuse_closed();
  if (!closed) {
    making_ = making;
  } else if (closed->code == ErrorCode::kPeriodPruned) {
    Document unbegun = identity();
    unbegun.object_id("making", making).number("count", 0);
    const Result<int64_t> removed = remove_counters(counters(), unbegun);
    if (!removed.ok()) return removed.error();
  }
  return closed;
}

std::optional<Error> DatedCounter::refuse_closed() const {
  if (restored_) return std::nullopt;
  const Result<bool> closed = is_closed(counters(), key().name, key().prefix);
  if (!closed.ok()) return closed.error();
  if (!closed.value()) return std::nullopt;
  return refusal(ErrorCode::kPeriodPruned,
                 called() +
                     " was pruned: made anew, it would give ids a second time. Was this machine's clock set "
                     "back? Set it right. Did prune go too far, in another time zone? Restore the counter "
                     "with: " +
                     advance_remedy(key(), std::nullopt, true));
}

Result<bool> release_dated(CounterCollection& counters, const CounterKey& key, Range unused) {
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
