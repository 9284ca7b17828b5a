#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/store.h"
#include "stores/sqlite/statement.h"

namespace nextid {

// The table of counters in the file `path`, open as `db`. Every method runs within the caller's transaction.
class Counters {
 public:
  // What makes the table. The checks keep a hand edit from damaging a counter; SQLite's shell of any age
  // reads it.
  static constexpr const char* kSchema =
      "CREATE TABLE counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 0)"
      ") WITHOUT ROWID";

  Counters(sqlite3* db, std::string path);

  // Where the counter stands; none if there is no such counter. A whole floating-point number below 2^53 is
  // read as the integer it is; one above is kIdOverflow; anything else that is no number from 0 is
  // kCounterInvalid.
  Result<std::optional<int64_t>> read(const std::string& name);

  // Sets the counter to `next`, making it if there is none. None on success.
  std::optional<Error> write(const std::string& name, int64_t next);

  // Sets the counter from `from` to `to`; false if it does not stand at `from`.
  Result<bool> compare_and_set(const std::string& name, int64_t from, int64_t to);

  // All counters, ordered by name.
  Result<std::vector<CounterInfo>> list();

 private:
  sqlite3* const db_;
  const std::string path_;
  Statement read_{db_, "SELECT next FROM counters WHERE name = ?1"};
  Statement write_{db_,
                   "INSERT INTO counters (name, next) VALUES (?1, ?2)"
                   " ON CONFLICT (name) DO UPDATE SET next = excluded.next"};
  Statement compare_and_set_{db_, "UPDATE counters SET next = ?3 WHERE name = ?1 AND next = ?2"};
  Statement list_{db_, "SELECT next, name FROM counters ORDER BY name"};
};

}  // namespace nextid
