#pragma once

#include <sqlite3.h>

#include <string>
#include <vector>

#include "stores/sqlite/cyclic_counter.h"
#include "stores/sqlite/dated_counter.h"
#include "stores/sqlite/plain_counter.h"
#include "stores/sqlite/timestamped_counter.h"

namespace nextid::sqlite {

// The counters of every kind in the file `path`, open as `db`.
class CounterTables {
 public:
  CounterTables(sqlite3* db, const std::string& path)
      : plain_(db, path), dated_(db, path), cyclic_(db, path), timestamped_(db, path) {}

  PlainCounters& of(const Plain&) { return plain_; }
  DatedCounters& of(const Dated&) { return dated_; }
  CyclicCounters& of(const Cyclic&) { return cyclic_; }
  TimestampedCounters& of(const Timestamped&) { return timestamped_; }

  // See Store::list().
  Result<std::vector<CounterInfo>> list();

 private:
  PlainCounters plain_;
  DatedCounters dated_;
  CyclicCounters cyclic_;
  TimestampedCounters timestamped_;
};

}  // namespace nextid::sqlite
