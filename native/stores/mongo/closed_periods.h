#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// Which periods of a sequence are closed, by kind of period: all up to a mark, that never goes back. The
// marks are in a document beside the counters: `{_id: 'orders:pruned', name: 'orders', pruned: {day:
// 140601}}`, and for counters without a name `{_id: ':pruned', prefix: 'pruned', pruned: {…}}`, whose prefix
// keeps it clear of their unique index and of other programs' `remove({prefix: {$lt: 150000}})`.

// True if the period of `prefix` is closed. kCounterInvalid where the mark is damaged.
Result<bool> is_closed(CounterCollection& counters, const std::string& name, int64_t prefix);

// Closes the periods up to that of `prefix`.
std::optional<Error> close_periods(CounterCollection& counters, const std::string& name, int64_t prefix);

}  // namespace nextid::mongo
