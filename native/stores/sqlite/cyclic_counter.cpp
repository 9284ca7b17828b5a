#include "stores/sqlite/cyclic_counter.h"

#include <algorithm>

#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {
namespace {

constexpr Expected kVal{" as its val"};
constexpr Expected kMaxval{" as its maxval", 1, 9'007'199'254'740'991};

// The id after `val`, which a hand may have set past `maxval`.
int64_t next_id(int64_t val, int64_t maxval) { return (val >= maxval ? 0 : val) + 1; }

}  // namespace

CyclicCounters::CyclicCounters(sqlite3* db, const std::string& path)
    : Counters(db, path, "SELECT name, val, maxval FROM cyclic_counters ORDER BY name") {}

Result<Range> CyclicCounters::reserve(const ReserveRequest& request) {
  const CounterKey& key = request.counter;
  const Result<std::optional<Row>> counter = read(key);
  if (!counter.ok()) return counter.error();
  const std::optional<Row>& row = counter.value();
  if (request.floor && !row) return missing(request);
  if (row && row->maxval != key.cycle) return other_cycle(key, row->maxval);
  const int64_t first = row ? next_id(row->val, row->maxval) : 1;
  if (request.unbroken && request.count > key.cycle - first + 1) return across_wrap(request, first);
  if (request.count > INT64_MAX - first) {
    return refusal(ErrorCode::kIdOverflow, std::to_string(request.count) + " ids of " + describe(key) +
                                               " at once are too many; ask for fewer");
  }
  if (request.count > 0) {
    const int64_t last = first - 1 + (request.count - 1);
    if (auto error = write(key, last % key.cycle + 1)) return *error;
  } else if (!row) {
    if (auto error = write(key, 0)) return *error;
  }
  return Range{first, first + request.count};
}

Result<std::optional<int64_t>> CyclicCounters::advance(const AdvanceRequest& request) {
  const CounterKey& key = request.counter;
  const int64_t last = request.next - 1;
  const Result<std::optional<Row>> counter = read(key, request.restore ? std::optional(last) : std::nullopt);
  if (!counter.ok()) return counter.error();
  const std::optional<Row>& row = counter.value();
  if (!row && !request.make) return std::optional<int64_t>();
  if (row && row->maxval != key.cycle) return other_cycle(key, row->maxval);
  const int64_t val = std::max(row ? row->val : 0, last);
  if (auto error = write(key, val)) return *error;
  return std::optional(next_id(val, key.cycle));
}

Error CyclicCounters::missing(const ReserveRequest& request) const { return gone(request, "ids of it"); }

CounterInfo CyclicCounters::show(sqlite3_stmt* row) const {
  const Result<int64_t> val = read_number(row, 1, kVal);
  const Result<int64_t> maxval = read_number(row, 2, kMaxval);
  CounterInfo info{
      .key = {.kind = CounterKind::kCyclic, .name = read_text(row, 0)}, .next = {}, .problem = {}};
  if (maxval.ok()) info.key.cycle = maxval.value();
  if (val.ok() && maxval.ok()) {
    info.next = next_id(val.value(), maxval.value());
  } else {
    info.problem = (val.ok() ? maxval : val).error().message;
  }
  return info;
}

Error CyclicCounters::other_cycle(const CounterKey& counter, int64_t maxval) const {
  return refusal(ErrorCode::kOptionsConflict, place(counter) + " goes from 1 to " + std::to_string(maxval) +
                                                  ", and cycle: " + std::to_string(counter.cycle) +
                                                  " was asked for; open the sequence with cycle: " +
                                                  std::to_string(maxval) + ", or give it another name");
}

Error CyclicCounters::across_wrap(const ReserveRequest& request, int64_t first) const {
  const int64_t cycle = request.counter.cycle;
  const int64_t left = cycle - first + 1;
  return refusal(ErrorCode::kAcrossWrap, place(request.counter) + " has " + std::to_string(left) +
                                             " ids left before it goes on from " + std::to_string(cycle) +
                                             " to 1, and one block of " + std::to_string(request.count) +
                                             " was asked for; reserve at most " + std::to_string(left) +
                                             ", or take ids with nextIds(), which goes round");
}

Result<std::optional<CyclicCounters::Row>> CyclicCounters::read(const CounterKey& counter,
                                                                std::optional<int64_t> last) {
  const Statement::Run run(read_, counter.name);
  if (run.failed()) return failure();
  if (run.done()) return std::optional<Row>();
  // A val past the end of the cycle is no larger place in it.
  const Result<int64_t> val = read_number_or(run.row(), 1, kVal, last, counter.cycle);
  const Result<int64_t> maxval =
      read_number_or(run.row(), 2, kMaxval, last ? std::optional(counter.cycle) : std::nullopt, 0);
  if (val.ok() && maxval.ok()) return std::optional(Row{val.value(), maxval.value()});
  return damaged(counter, (val.ok() ? maxval : val).error());
}

std::optional<Error> CyclicCounters::write(const CounterKey& counter, int64_t val) {
  const Statement::Run run(write_, counter.name, val, counter.cycle);
  if (run.failed()) return failure();
  return std::nullopt;
}

}  // namespace nextid::sqlite
