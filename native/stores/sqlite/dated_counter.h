#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "stores/sqlite/closed_periods.h"
#include "stores/sqlite/counter_table.h"

namespace nextid::sqlite {

// Counters that keep the next count of one period.
struct DatedRows {
  using Kind = Dated;
  static constexpr const char* kSchema =
      "CREATE TABLE dated_counters ("
      " name TEXT NOT NULL CHECK (typeof(name) = 'text'),"
      " prefix INTEGER NOT NULL CHECK (typeof(prefix) = 'integer' AND prefix BETWEEN 10 AND 99999999),"
      " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 1),"
      " PRIMARY KEY (name, prefix)"
      ") WITHOUT ROWID;";
  static constexpr const char* kRead =
      "SELECT name, prefix, next FROM dated_counters WHERE name = ?1 AND prefix = ?2";
  static constexpr const char* kList = "SELECT name, prefix, next FROM dated_counters ORDER BY name, prefix";
  static constexpr const char* kWrite =
      "INSERT INTO dated_counters (name, prefix, next) VALUES (?1, ?2, ?3)"
      " ON CONFLICT (name, prefix) DO UPDATE SET next = excluded.next";

  static Dated::State state_of(sqlite3_stmt* row);
  static Dated kind_of(sqlite3_stmt* row);
  static auto key(const CounterKey& counter) { return std::tuple(counter.name, prefix_of(counter)); }
  static auto row(const CounterKey& counter, const Dated::State& state) {
    return std::tuple(counter.name, prefix_of(counter), state.next());
  }
};

class DatedCounters final : public CounterTable<DatedRows> {
 public:
  using CounterTable::CounterTable;

  // As Store::prune(). REQUIRES: there are prefixes
  Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes);

 private:
  // kPeriodPruned if the period is closed.
  std::optional<Error> refuse_to_make(const CounterKey& counter) override;

  ClosedPeriods closed_periods_{db_, path_};
  Statement remove_{db_, "DELETE FROM dated_counters WHERE name = ?1 AND prefix = ?2"};
};

}  // namespace nextid::sqlite
