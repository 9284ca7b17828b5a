#pragma once

#include <tuple>

#include "stores/sqlite/counter_table.h"

namespace nextid::sqlite {

// Counters that wrap around: `val` is the last id given (0 before the first), `maxval` the largest.
struct CyclicRows {
  using Kind = Cyclic;
  static constexpr const char* kSchema =
      "CREATE TABLE cyclic_counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " val INTEGER NOT NULL CHECK (typeof(val) = 'integer' AND val >= 0),"
      " maxval INTEGER NOT NULL CHECK (typeof(maxval) = 'integer' AND maxval BETWEEN 1 AND 9007199254740991)"
      ") WITHOUT ROWID;";
  static constexpr const char* kRead = "SELECT name, val, maxval FROM cyclic_counters WHERE name = ?1";
  static constexpr const char* kList = "SELECT name, val, maxval FROM cyclic_counters ORDER BY name";
  static constexpr const char* kWrite =
      "INSERT INTO cyclic_counters (name, val, maxval) VALUES (?1, ?2, ?3)"
      " ON CONFLICT (name) DO UPDATE SET val = excluded.val, maxval = excluded.maxval";

  static Cyclic::State state_of(sqlite3_stmt* row) {
    return {read_value(row, 1, Cyclic::kVal), read_value(row, 2, Cyclic::kMaxval)};
  }
  static Cyclic kind_of(sqlite3_stmt*) { return {}; }
  static auto key(const CounterKey& counter) { return std::tie(counter.name); }
  static auto row(const CounterKey& counter, const Cyclic::State& state) {
    return std::tuple(counter.name, state.val.number(), state.maxval.number());
  }
};

using CyclicCounters = CounterTable<CyclicRows>;

}  // namespace nextid::sqlite
