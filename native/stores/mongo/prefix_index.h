#pragma once

#include <optional>

#include "core/error.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// Makes the unique index {prefix: 1} that counters without a name need, unless it is there. Without it, two
// processes that come first could make two counters of one period. kStoreInvalid where something prevents it,
// as counters with names do: the index would refuse all but one of them.
std::optional<Error> ensure_prefix_index(CounterCollection& counters);

}  // namespace nextid::mongo
