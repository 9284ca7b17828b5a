#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stores/sqlite/closed_periods.h"
#include "stores/sqlite/counter.h"

namespace nextid::sqlite {

// Counters that keep the next count of one period.
class DatedCounters final : public Counters {
 public:
  static constexpr const char* kSchema =
      "CREATE TABLE dated_counters ("
      " name TEXT NOT NULL CHECK (typeof(name) = 'text'),"
      " prefix INTEGER NOT NULL CHECK (typeof(prefix) = 'integer' AND prefix BETWEEN 10 AND 99999999),"
      " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 1),"
      " PRIMARY KEY (name, prefix)"
      ") WITHOUT ROWID;";

  DatedCounters(sqlite3* db, const std::string& path);

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<bool> release(const CounterKey& counter, Range unused) override;
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override;
  Error missing(const ReserveRequest& request) const override;

  // As Store::prune(). REQUIRES: there are prefixes
  Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes);

 private:
  CounterInfo show(sqlite3_stmt* row) const override;
  // Why the counter, which is not there, must not be made; none if it may.
  std::optional<Error> refuse_to_make(const ReserveRequest& request);
  Error pruned(const CounterKey& counter, int64_t closed) const;
  // None if there is no such counter. `instead`: see read_number_or().
  Result<std::optional<int64_t>> read(const CounterKey& counter,
                                      std::optional<int64_t> instead = std::nullopt);
  std::optional<Error> write(const CounterKey& counter, int64_t next);

  ClosedPeriods closed_periods_{db_, path_};
  Statement read_{db_, "SELECT name, prefix, next FROM dated_counters WHERE name = ?1 AND prefix = ?2"};
  Statement write_{db_,
                   "INSERT INTO dated_counters (name, prefix, next) VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (name, prefix) DO UPDATE SET next = excluded.next"};
  Statement compare_and_set_{
      db_, "UPDATE dated_counters SET next = ?4 WHERE name = ?1 AND prefix = ?2 AND next = ?3"};
  Statement remove_{db_, "DELETE FROM dated_counters WHERE name = ?1 AND prefix = ?2"};
};

}  // namespace nextid::sqlite
