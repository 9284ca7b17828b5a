#include "stores/sqlite/plain_counter.h"

#include <algorithm>

#include "stores/sqlite/counter_value.h"

namespace nextid::sqlite {

PlainCounters::PlainCounters(sqlite3* db, const std::string& path)
    : Counters(db, path, "SELECT name, next FROM counters ORDER BY name") {}

Result<Range> PlainCounters::reserve(const ReserveRequest& request) {
  const Result<std::optional<int64_t>> counter = read(request.counter);
  if (!counter.ok()) return counter.error();
  const std::optional<int64_t>& next = counter.value();
  if (request.floor && !next) return missing(request);
  if (request.floor && *next < *request.floor) return rewound(request, *next);
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
  return gone(request, "numbers below " + std::to_string(*request.floor));
}

Result<std::optional<int64_t>> PlainCounters::advance(const AdvanceRequest& request) {
  const auto instead = request.restore ? std::optional(request.next) : std::nullopt;
  const Result<std::optional<int64_t>> counter = read(request.counter, instead);
  if (!counter.ok() || (!counter.value() && !request.make)) return counter;
  const int64_t next = std::max(counter.value().value_or(0), request.next);
  if (auto error = write(request.counter, next)) return *error;
  return std::optional(next);
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

Result<std::optional<int64_t>> PlainCounters::read(const CounterKey& counter,
                                                   std::optional<int64_t> instead) {
  const Statement::Run run(read_, counter.name);
  if (run.failed()) return failure();
  if (run.done()) return std::optional<int64_t>();
  const Result<int64_t> next = read_number_or(run.row(), 1, {}, instead);
  if (next.ok()) return std::optional(next.value());
  return damaged(counter, next.error());
}

std::optional<Error> PlainCounters::write(const CounterKey& counter, int64_t next) {
  const Statement::Run run(write_, counter.name, next);
  if (run.failed()) return failure();
  return std::nullopt;
}

}  // namespace nextid::sqlite
