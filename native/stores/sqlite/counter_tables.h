#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/store.h"
#include "stores/sqlite/cyclic_counter.h"
#include "stores/sqlite/dated_counter.h"
#include "stores/sqlite/plain_counter.h"
#include "stores/sqlite/timestamped_counter.h"

namespace nextid::sqlite {

// The counters of every kind in the file `path`, open as `db`.
struct CounterTables {
  CounterTables(sqlite3* db, const std::string& path)
      : plain(db, path), dated(db, path), cyclic(db, path), timestamped(db, path) {}

  Counters& of(CounterKind kind);

  // As Store::list().
  Result<std::vector<CounterInfo>> list();

  PlainCounters plain;
  DatedCounters dated;
  CyclicCounters cyclic;
  TimestampCounters timestamped;
};

}  // namespace nextid::sqlite
