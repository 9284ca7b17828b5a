#include "stores/sqlite/closed_periods.h"

#include <utility>

#include "core/counter_key.h"
#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {

ClosedPeriods::ClosedPeriods(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}

Result<std::optional<int64_t>> ClosedPeriods::last(const std::string& name, int64_t prefix) {
  const std::string period = period_of(prefix);
  const Statement::Run run(read_, name, period);
  if (run.failed()) return sqlite_error(db_, path_);
  if (run.done()) return std::optional<int64_t>();
  const Result<int64_t> up_to = read_number(run.row(), 0, {"", 10, 99'999'999});
  if (up_to.ok()) return std::optional(up_to.value());
  return refusal(up_to.error().code,
                 "the mark in " + store_name(path_) + " up to which each " + period + " of " +
                     sql_text(name) + " was pruned " + up_to.error().message +
                     "; it was left as it is. With P the last " + period +
                     " that was pruned, run in the sqlite3 shell: UPDATE closed_periods SET up_to = P WHERE "
                     "name = " +
                     sql_text(name) + " AND period = '" + period +
                     "' AND (typeof(up_to) <> 'integer' OR up_to NOT BETWEEN 10 AND 99999999);");
}

std::optional<Error> ClosedPeriods::close_up_to(const std::string& name, int64_t prefix) {
  const Result<std::optional<int64_t>> closed = last(name, prefix);
  if (!closed.ok()) return closed.error();
  if (closed.value() && *closed.value() >= prefix) return std::nullopt;
  const Statement::Run run(write_, name, std::string(period_of(prefix)), prefix);
  if (run.failed()) return sqlite_error(db_, path_);
  return std::nullopt;
}

}  // namespace nextid::sqlite
