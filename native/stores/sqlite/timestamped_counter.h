#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stores/sqlite/counter.h"

namespace nextid::sqlite {

// Counters that follow the clock: `slot` is the last slot that was given, of those with `digits` digits,
// whose ids show the time of `time_zone`. The file has no clock of its own, so that ReserveRequest::max_skew
// has nothing to be compared with.
class TimestampCounters final : public Counters {
 public:
  static constexpr const char* kSchema =
      "CREATE TABLE timestamp_counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " slot INTEGER NOT NULL CHECK (typeof(slot) = 'integer' AND slot BETWEEN 0 AND 9223372036854775806),"
      " digits INTEGER NOT NULL CHECK (typeof(digits) = 'integer' AND digits BETWEEN 0 AND 4),"
      " time_zone TEXT NOT NULL DEFAULT 'UTC' CHECK (typeof(time_zone) = 'text')"
      ") WITHOUT ROWID;";

  TimestampCounters(sqlite3* db, const std::string& path);

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override;
  Error missing(const ReserveRequest& request) const override;

 private:
  struct Row {
    int64_t slot;
    int64_t digits;
    std::string time_zone;
  };

  CounterInfo show(sqlite3_stmt* row) const override;
  // The slot of the clock; kIdOverflow if there is none, as the clock is far off.
  Result<int64_t> present_slot(const ReserveRequest& request) const;
  // kOptionsConflict if the counter in `row` counts otherwise than `counter` says.
  std::optional<Error> refuse_other_options(const CounterKey& counter, const Row& row) const;
  Error made_for(const CounterKey& counter, const std::string& has, const std::string& asked) const;
  // None if there is no such counter. With `last`, what is damaged counts as that and as the digits asked
  // for.
  Result<std::optional<Row>> read(const CounterKey& counter, std::optional<int64_t> last = std::nullopt);
  std::optional<Error> write(const CounterKey& counter, int64_t slot);

  Statement read_{db_, "SELECT name, slot, digits, time_zone FROM timestamp_counters WHERE name = ?1"};
  Statement write_{db_,
                   "INSERT INTO timestamp_counters (name, slot, digits, time_zone) VALUES (?1, ?2, ?3, ?4)"
                   " ON CONFLICT (name) DO UPDATE SET slot = excluded.slot, digits = excluded.digits"};
};

}  // namespace nextid::sqlite
