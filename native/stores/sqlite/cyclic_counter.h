#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "stores/sqlite/counter.h"

namespace nextid::sqlite {

// Counters that go round: `val` is the last id that was given (0: none yet), `maxval` the largest there is.
class CyclicCounters final : public Counters {
 public:
  static constexpr const char* kSchema =
      "CREATE TABLE cyclic_counters ("
      " name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text'),"
      " val INTEGER NOT NULL CHECK (typeof(val) = 'integer' AND val >= 0),"
      " maxval INTEGER NOT NULL CHECK (typeof(maxval) = 'integer' AND maxval BETWEEN 1 AND 9007199254740991)"
      ") WITHOUT ROWID;";

  CyclicCounters(sqlite3* db, const std::string& path);

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override;
  Error missing(const ReserveRequest& request) const override;

 private:
  struct Row {
    int64_t val;
    int64_t maxval;
  };

  CounterInfo show(sqlite3_stmt* row) const override;
  Error other_cycle(const CounterKey& counter, int64_t maxval) const;
  Error across_wrap(const ReserveRequest& request, int64_t first) const;
  // None if there is no such counter. With `last`, what is damaged counts as that and as
  // the cycle asked for.
  Result<std::optional<Row>> read(const CounterKey& counter, std::optional<int64_t> last = std::nullopt);
  std::optional<Error> write(const CounterKey& counter, int64_t val);

  Statement read_{db_, "SELECT name, val, maxval FROM cyclic_counters WHERE name = ?1"};
  Statement write_{db_,
                   "INSERT INTO cyclic_counters (name, val, maxval) VALUES (?1, ?2, ?3)"
                   " ON CONFLICT (name) DO UPDATE SET val = excluded.val, maxval = excluded.maxval"};
};

}  // namespace nextid::sqlite
