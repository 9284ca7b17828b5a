#include "stores/sqlite/plain_counters.h"

#include "stores/sqlite/counter_value.h"

namespace nextid {
namespace {

std::string advance_remedy(const ReserveRequest& request) {
  return "with: " + advance_command(request.counter, *request.floor) +
         " (or higher: past the largest id in use)";
}

}  // namespace

PlainCounters::PlainCounters(sqlite3* db, const std::string& path)
    : Counters(db, path, "SELECT name, next FROM counters ORDER BY name") {}

Result<Range> PlainCounters::reserve(const ReserveRequest& request) {
  const Result<std::optional<int64_t>> counter = read(request.counter);
  if (!counter.ok()) return counter.error();
  const std::optional<int64_t>& next = counter.value();
  if (request.floor && !next) return missing(request);
  if (request.floor && *next < *request.floor) return rewound(request, *next, advance_remedy(request));
  const Result<Range> range =
      range_from(next.value_or(request.start), request, "ids", "open it with bigint: true");
  if (range.ok() && (!next || request.count > 0)) {
    if (auto error = write(request.counter, range.value().end)) return *error;
  }
  return range;
}

Result<bool> PlainCounters::release(const CounterKey& counter, Range unused) {
  const Statement::Run run(compare_and_set_, counter.name, unused.end, unused.first);
  if (run.failed()) return failure();
  return sqlite3_changes(db_) == 1;
}

Error PlainCounters::missing(const ReserveRequest& request) const {
  return gone(request.counter, "numbers below " + std::to_string(*request.floor), advance_remedy(request));
}

Result<int64_t> PlainCounters::advance(const std::string& name, int64_t next) {
  const CounterKey key{.name = name};
  const Result<std::optional<int64_t>> counter = read(key);
  if (!counter.ok()) return counter.error();
  if (counter.value() && *counter.value() >= next) return *counter.value();
  if (auto error = write(key, next)) return *error;
  return next;
}

CounterInfo PlainCounters::show(sqlite3_stmt* row) const {
  const Result<int64_t> next = read_number(row, 1);
  CounterInfo info{.key = {.name = read_text(row, 0)}, .next = {}, .problem = {}};
  if (next.ok()) {
    info.next = next.value();
  } else {
    info.problem = next.error().message;
  }
  return info;
}

Result<std::optional<int64_t>> PlainCounters::read(const CounterKey& counter) {
  const Statement::Run run(read_, counter.name);
  if (run.failed()) return failure();
  if (run.done()) return std::optional<int64_t>();
  const Result<int64_t> next = read_number(run.row(), 1);
  if (next.ok()) return std::optional(next.value());
  return damaged(counter, next.error(),
                 "With N above every id that was given, run in the sqlite3 shell: "
                 "UPDATE counters SET next = N WHERE name = " +
                     sql_text(counter.name) + ";");
}

std::optional<Error> PlainCounters::write(const CounterKey& counter, int64_t next) {
  const Statement::Run run(write_, counter.name, next);
  if (run.failed()) return failure();
  return std::nullopt;
}

}  // namespace nextid
