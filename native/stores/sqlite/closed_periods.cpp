#include "stores/sqlite/closed_periods.h"

#include <utility>

#include "core/counter_errors.h"
#include "stores/sqlite/counter_table.h"

namespace nextid::sqlite {

ClosedPeriods::ClosedPeriods(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}

Result<std::optional<int64_t>> ClosedPeriods::last(const std::string& name, int64_t prefix) {
  const std::string period = period_of(prefix);
  const Statement::Run run(read_, std::tie(name, period));
  if (run.failed()) return sqlite_error(db_, path_);
  if (run.done()) return std::optional<int64_t>();
  const CounterValue up_to = read_value(run.row(), 0, {"up_to", kSmallestPrefix, kLargestPrefix});
  if (up_to.fine()) return std::optional(up_to.number());
  return counter_errors::mark_damaged(
      name, prefix, place_of(path_), up_to,
      "in the sqlite3 shell: UPDATE closed_periods SET up_to = P WHERE name = " + sql_text(name) +
          " AND period = '" + period +
          "' AND (typeof(up_to) <> 'integer' OR up_to NOT BETWEEN 10 AND 99999999);");
}

std::optional<Error> ClosedPeriods::close_up_to(const std::string& name, int64_t prefix) {
  const Result<std::optional<int64_t>> closed = last(name, prefix);
  if (!closed.ok()) return closed.error();
  if (closed.value() && *closed.value() >= prefix) return std::nullopt;
  const std::string period = period_of(prefix);
  const Statement::Run run(write_, std::tie(name, period, prefix));
  if (run.failed()) return sqlite_error(db_, path_);
  return std::nullopt;
}

}  // namespace nextid::sqlite
