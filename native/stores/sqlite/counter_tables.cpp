#include "stores/sqlite/counter_tables.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace nextid::sqlite {

Counters& CounterTables::of(CounterKind kind) {
  switch (kind) {
    case CounterKind::kPlain:
      return plain;
    case CounterKind::kDated:
      return dated;
    case CounterKind::kCyclic:
      return cyclic;
    case CounterKind::kTimestamped:
      return timestamped;
  }
  return plain;
}

Result<std::vector<CounterInfo>> CounterTables::list() {
  std::vector<CounterInfo> counters;
  for (Counters* kind : {static_cast<Counters*>(&plain), static_cast<Counters*>(&dated),
                         static_cast<Counters*>(&cyclic), static_cast<Counters*>(&timestamped)}) {
    if (auto error = kind->list(counters)) return *error;
  }
  std::stable_sort(counters.begin(), counters.end(), [](const CounterInfo& a, const CounterInfo& b) {
    return std::tie(a.key.name, a.key.kind, a.key.prefix) < std::tie(b.key.name, b.key.kind, b.key.prefix);
  });
  return counters;
}

}  // namespace nextid::sqlite
