#include "stores/sqlite/dated_counter.h"

#include <algorithm>

#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {
namespace {

constexpr Expected kNext{"", 1};  // counts begin with 1

}  // namespace

DatedCounters::DatedCounters(sqlite3* db, const std::string& path)
    : Counters(db, path, "SELECT name, prefix, next FROM dated_counters ORDER BY name, prefix") {}

Result<Range> DatedCounters::reserve(const ReserveRequest& request) {
  const Result<std::optional<int64_t>> counter = read(request.counter);
  if (!counter.ok()) return counter.error();
  const std::optional<int64_t>& next = counter.value();
  if (!next) {
    if (auto error = refuse_to_make(request)) return *error;
  } else if (request.floor && *next < *request.floor) {
    return rewound(request, *next);
  }
  const Result<Range> range = range_from(next.value_or(1), request, "counts", "choose a shorter period");
  if (range.ok() && (!next || request.count > 0)) {
    if (auto error = write(request.counter, range.value().end)) return *error;
  }
  return range;
}

Result<bool> DatedCounters::release(const CounterKey& counter, Range unused) {
  const Statement::Run run(compare_and_set_, counter.name, counter.prefix, unused.end, unused.first);
  if (run.failed()) return failure();
  return sqlite3_changes(db_) == 1;
}

Error DatedCounters::missing(const ReserveRequest& request) const {
  return gone(request, "counts below " + std::to_string(*request.floor));
}

Result<std::optional<int64_t>> DatedCounters::advance(const AdvanceRequest& request) {
  const auto instead = request.restore ? std::optional(request.next) : std::nullopt;
  const Result<std::optional<int64_t>> counter = read(request.counter, instead);
  if (!counter.ok() || (!counter.value() && !request.make)) return counter;
  if (!counter.value() && !request.restore) {
    if (auto error = refuse_to_make({.counter = request.counter, .floor = std::nullopt})) return *error;
  }
  const int64_t next = std::max(counter.value().value_or(1), request.next);
  if (auto error = write(request.counter, next)) return *error;
  return std::optional(next);
}

Result<int64_t> DatedCounters::prune(const std::string& name, const std::vector<int64_t>& prefixes) {
  if (auto error = closed_periods_.close_up_to(name, prefixes.back())) return *error;
  int64_t removed = 0;
  for (const int64_t prefix : prefixes) {
    const Statement::Run run(remove_, name, prefix);
    if (run.failed()) return failure();
    removed += sqlite3_changes(db_);
  }
  return removed;
}

CounterInfo DatedCounters::show(sqlite3_stmt* row) const {
  const Result<int64_t> prefix = read_number(row, 1, {" as its prefix", 10, 99'999'999});
  const Result<int64_t> next = read_number(row, 2, kNext);
  CounterInfo info{
      .key = {.kind = CounterKind::kDated, .name = read_text(row, 0)}, .next = {}, .problem = {}};
  if (prefix.ok()) info.key.prefix = prefix.value();
  if (prefix.ok() && next.ok()) {
    info.next = next.value();
  } else {
    info.problem = (prefix.ok() ? next : prefix).error().message;
  }
  return info;
}

std::optional<Error> DatedCounters::refuse_to_make(const ReserveRequest& request) {
  const Result<std::optional<int64_t>> closed =
      closed_periods_.last(request.counter.name, request.counter.prefix);
  if (!closed.ok()) return closed.error();
  if (closed.value() && request.counter.prefix <= *closed.value()) {
    return pruned(request.counter, *closed.value());
  }
  if (request.floor) return missing(request);
  return std::nullopt;
}

Error DatedCounters::pruned(const CounterKey& counter, int64_t closed) const {
  return refusal(ErrorCode::kPeriodPruned,
                 place(counter) + " is not there, and each " + period_of(counter.prefix) + " up to " +
                     std::to_string(closed) +
                     " was pruned: made anew, it would give ids a second time. Was this machine's clock set "
                     "back? Set it right. Did prune go too far, in another time zone? Restore the counter "
                     "with: " +
                     advance_remedy(counter, std::nullopt, true));
}

Result<std::optional<int64_t>> DatedCounters::read(const CounterKey& counter,
                                                   std::optional<int64_t> instead) {
  const Statement::Run run(read_, counter.name, counter.prefix);
  if (run.failed()) return failure();
  if (run.done()) return std::optional<int64_t>();
  const Result<int64_t> next = read_number_or(run.row(), 2, kNext, instead);
  if (next.ok()) return std::optional(next.value());
  return damaged(counter, next.error());
}

std::optional<Error> DatedCounters::write(const CounterKey& counter, int64_t next) {
  const Statement::Run run(write_, counter.name, counter.prefix, next);
  if (run.failed()) return failure();
  return std::nullopt;
}

}  // namespace nextid::sqlite
