#pragma once

#include <tuple>

#include "stores/sqlite/counter_table.h"

namespace nextid::sqlite {

// Counters that keep the next number nobody has.
struct PlainRows {
  using Kind = Plain;
  static constexpr const char* kSchema =
      "CREATE TABLE counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 0)"
      ") WITHOUT ROWID;";
  static constexpr const char* kRead = "SELECT name, next FROM counters WHERE name = ?1";
  static constexpr const char* kList = "SELECT name, next FROM counters ORDER BY name";
  static constexpr const char* kWrite =
      "INSERT INTO counters (name, next) VALUES (?1, ?2)"
      " ON CONFLICT (name) DO UPDATE SET next = excluded.next";

  static Plain::State state_of(sqlite3_stmt* row) { return {read_value(row, 1, {"next"}), 0}; }
  static Plain kind_of(sqlite3_stmt*) { return {}; }
  static auto key(const CounterKey& counter) { return std::tie(counter.name); }
  static auto row(const CounterKey& counter, const Plain::State& state) {
    return std::tuple(counter.name, state.next());
  }
};

using PlainCounters = CounterTable<PlainRows>;

}  // namespace nextid::sqlite
