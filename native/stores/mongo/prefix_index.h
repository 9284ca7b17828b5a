#pragma once

#include <optional>

#include "core/error.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// Makes the unique index {prefix: 1} that counters without a name need, unless it is there: without it two
// who come first make two counters of one period. kStoreInvalid where something stands in its way, as do
// counters with names, which it would hinder from then on.
std::optional<Error> ensure_prefix_index(CounterCollection& counters);

}  // namespace nextid::mongo
