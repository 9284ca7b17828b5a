#pragma once

#include <vector>

#include "core/store.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// Which kinds of counters a collection is for: those with KindFields::in_ids, the others, or both.
struct CollectionUse {
  bool ids;
  bool others;
};

// Adds the counters of the collection to `list`, in any order. Other documents are left out, and counters
// that are being made.
std::optional<Error> list_counters(CounterCollection& counters, CollectionUse use,
                                   std::vector<CounterInfo>& list);

}  // namespace nextid::mongo
