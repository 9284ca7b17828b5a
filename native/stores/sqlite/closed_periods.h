#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {

// The last pruned period of each name, separately for hours, days, months and years. A dated counter that is
// missing from a closed period must not begin at 1 again. REQUIRES, for all methods: an open transaction.
class ClosedPeriods {
 public:
  static constexpr const char* kSchema =
      "CREATE TABLE closed_periods ("
      " name TEXT NOT NULL CHECK (typeof(name) = 'text'),"
      " period TEXT NOT NULL CHECK (period IN ('hour', 'day', 'month', 'year')),"
      " up_to INTEGER NOT NULL CHECK (typeof(up_to) = 'integer' AND up_to BETWEEN 10 AND 99999999),"
      " PRIMARY KEY (name, period)"
      ") WITHOUT ROWID;";

  ClosedPeriods(sqlite3* db, std::string path);

  // The last closed period of the kind that `prefix` names; nullopt if none is closed.
  Result<std::optional<int64_t>> last(const std::string& name, int64_t prefix);

  // Closes the periods up to `prefix`. Closed periods stay closed. Returns nullopt on success.
  std::optional<Error> close_up_to(const std::string& name, int64_t prefix);

 private:
  sqlite3* const db_;
  const std::string path_;
  Statement read_{db_, "SELECT up_to FROM closed_periods WHERE name = ?1 AND period = ?2"};
  Statement write_{db_,
                   "INSERT INTO closed_periods (name, period, up_to) VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (name, period) DO UPDATE SET up_to = excluded.up_to"};
};

}  // namespace nextid::sqlite
