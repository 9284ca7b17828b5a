#pragma once

#include <tuple>

#include "stores/sqlite/counter_table.h"

namespace nextid::sqlite {

// Counters that follow the clock: `slot` is the slot that was given last, of those with `digits` digits,
// whose ids show the time of `time_zone`. The file has no clock of its own to compare
// ReserveRequest::max_skew with.
struct TimestampedRows {
  using Kind = Timestamped;
  static constexpr const char* kSchema =
      "CREATE TABLE timestamp_counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " slot INTEGER NOT NULL CHECK (typeof(slot) = 'integer' AND slot BETWEEN 0 AND 9223372036854775806),"
      " digits INTEGER NOT NULL CHECK (typeof(digits) = 'integer' AND digits BETWEEN 0 AND 4),"
      " time_zone TEXT NOT NULL DEFAULT 'UTC' CHECK (typeof(time_zone) = 'text')"
      ") WITHOUT ROWID;";
  static constexpr const char* kRead =
      "SELECT name, slot, digits, time_zone FROM timestamp_counters WHERE name = ?1";
  static constexpr const char* kList =
      "SELECT name, slot, digits, time_zone FROM timestamp_counters ORDER BY name";
  static constexpr const char* kWrite =
      "INSERT INTO timestamp_counters (name, slot, digits, time_zone) VALUES (?1, ?2, ?3, ?4)"
      " ON CONFLICT (name) DO UPDATE SET slot = excluded.slot, digits = excluded.digits";

  static Timestamped::State state_of(sqlite3_stmt* row) {
    return {{read_value(row, 1, Timestamped::kSlot), 1}, read_value(row, 2, Timestamped::kDigits),
            read_text(row, 3)};
  }
  static Timestamped kind_of(sqlite3_stmt*) { return {}; }
  static auto key(const CounterKey& counter) { return std::tie(counter.name); }
  static auto row(const CounterKey& counter, const Timestamped::State& state) {
    return std::tuple(counter.name, state.slot.value.number(), state.digits.number(), *state.time_zone);
  }
};

using TimestampedCounters = CounterTable<TimestampedRows>;

}  // namespace nextid::sqlite
