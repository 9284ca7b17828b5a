#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stores/sqlite/counter.h"

namespace nextid::sqlite {

// Counters that keep the next number nobody has.
class PlainCounters final : public Counters {
 public:
  static constexpr const char* kSchema =
      "CREATE TABLE counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 0)"
      ") WITHOUT ROWID;";

  PlainCounters(sqlite3* db, const std::string& path);

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<bool> release(const CounterKey& counter, Range unused) override;
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override;
  Error missing(const ReserveRequest& request) const override;

 private:
  CounterInfo show(sqlite3_stmt* row) const override;
  // None if there is no such counter. `instead`: see read_number_or().
  Result<std::optional<int64_t>> read(const CounterKey& counter,
                                      std::optional<int64_t> instead = std::nullopt);
  std::optional<Error> write(const CounterKey& counter, int64_t next);

  Statement read_{db_, "SELECT name, next FROM counters WHERE name = ?1"};
  Statement write_{db_,
                   "INSERT INTO counters (name, next) VALUES (?1, ?2)"
                   " ON CONFLICT (name) DO UPDATE SET next = excluded.next"};
  Statement compare_and_set_{db_, "UPDATE counters SET next = ?3 WHERE name = ?1 AND next = ?2"};
};

}  // namespace nextid::sqlite
