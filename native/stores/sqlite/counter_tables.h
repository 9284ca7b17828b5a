#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

#include "core/error.h"
#include "core/store.h"
#include "stores/sqlite/cyclic_counters.h"
#include "stores/sqlite/dated_counters.h"
#include "stores/sqlite/plain_counters.h"
#include "stores/sqlite/timestamp_counters.h"

namespace nextid {

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

}  // namespace nextid
