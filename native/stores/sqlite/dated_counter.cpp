#include "stores/sqlite/dated_counter.h"

namespace nextid::sqlite {
namespace {

constexpr CounterValue::Expected kPrefix{"prefix", kSmallestPrefix, kLargestPrefix};
constexpr CounterValue::Expected kNext{"next", 1};  // counts begin with 1

}  // namespace

// A prefix that is not a period's, which only list() can meet, damages the counter.
Dated::State DatedRows::state_of(sqlite3_stmt* row) {
  const CounterValue prefix = read_value(row, 1, kPrefix);
  return {prefix.fine() ? read_value(row, 2, kNext) : prefix, 0};
}

Dated DatedRows::kind_of(sqlite3_stmt* row) {
  const CounterValue prefix = read_value(row, 1, kPrefix);
  return {prefix.fine() ? prefix.number() : 0};
}

Result<int64_t> DatedCounters::prune(const std::string& name, const std::vector<int64_t>& prefixes) {
  if (auto error = closed_periods_.close_up_to(name, prefixes.back())) return *error;
  int64_t removed = 0;
  for (const int64_t prefix : prefixes) {
    const Statement::Run run(remove_, std::tie(name, prefix));
    if (run.failed()) return failure();
    removed += sqlite3_changes(db_);
  }
  return removed;
}

std::optional<Error> DatedCounters::refuse_to_make(const CounterKey& counter) {
  const Result<std::optional<int64_t>> closed = closed_periods_.last(counter.name, prefix_of(counter));
  if (!closed.ok()) return closed.error();
  if (!closed.value() || prefix_of(counter) > *closed.value()) return std::nullopt;
  return counter_errors::pruned(counter, place_, *closed.value());
}

}  // namespace nextid::sqlite
