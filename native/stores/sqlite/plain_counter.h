#pragma once

#include <tuple>

#include "stores/sqlite/counter_table.h"
#include "stores/sqlite/growing_columns.h"

namespace nextid::sqlite {

// Plain counters: `next` is the next free number.
struct PlainRows {
  using Kind = Plain;
  static constexpr const char* kSchema =
      "CREATE TABLE counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " next INTEGER NOT NULL CHECK (typeof(next) = 'integer' AND next >= 0)"
      ") WITHOUT ROWID;";
  static constexpr const char* kRead = "SELECT name, next, returned, advanced FROM counters WHERE name = ?1";
  static constexpr const char* kList = "SELECT name, next, returned, advanced FROM counters ORDER BY name";
  static constexpr const char* kWrite =
      "INSERT INTO counters (name, next, returned, advanced) VALUES (?1, ?2, ?3, ?4)"
      " ON CONFLICT (name) DO UPDATE SET"
      " next = excluded.next, returned = excluded.returned, advanced = excluded.advanced";

  static Plain::State state_of(sqlite3_stmt* row) {
    return growing_state(read_value(row, 1, {"next"}), row, 2);
  }
  static Plain kind_of(sqlite3_stmt*) { return {}; }
  static auto key(const CounterKey& counter) { return std::tie(counter.name); }
  static auto row(const CounterKey& counter, const Plain::State& state) {
    return std::tuple(counter.name, state.next(), returned_text(state), state.advanced);
  }
};

using PlainCounters = CounterTable<PlainRows>;

}  // namespace nextid::sqlite
