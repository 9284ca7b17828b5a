#include "stores/sqlite/counter_tables.h"

#include <algorithm>
#include <optional>

namespace nextid::sqlite {

Result<std::vector<CounterInfo>> CounterTables::list() {
  std::vector<CounterInfo> counters;
  std::optional<Error> error;
  for_each_kind([&](const auto& kind) {
    if (!error) error = of(kind).list(counters);
  });
  if (error) return *error;
  std::stable_sort(counters.begin(), counters.end(),
                   [](const CounterInfo& a, const CounterInfo& b) { return listed_before(a.key, b.key); });
  return counters;
}

}  // namespace nextid::sqlite
