#pragma once

#include <vector>

#include "core/store.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// Which kinds of counters a collection is for.
enum class Kinds { kPlainAndDated, kCyclicAndTimestamped, kAll };

// Adds the counters of the collection to `list`, in any order. Documents that are none are left out, and
// those that are being made.
std::optional<Error> list_counters(CounterCollection& counters, Kinds kinds, std::vector<CounterInfo>& list);

}  // namespace nextid::mongo
