#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// Which periods of a sequence are closed, separately for hours, days, months and years: all up to a mark,
// which never goes back. The marks are in a document beside the counters: `{_id: 'orders:pruned', name:
// 'orders', pruned: {day: 140601}}`. For counters without a name it is `{_id: ':pruned', prefix: 'pruned',
// pruned: {…}}`. Its prefix keeps it clear of their unique index and of other programs' `remove({prefix:
// {$lt: 150000}})`.

constexpr const char* kPrunedField = "pruned";

// Whether a document holds the marks of a name, or was just made for them.
bool holds_marks(const bson_t* document);

// Up to which period of the kind of `prefix` all are closed; 0 if none is. kCounterInvalid where the mark is
// damaged.
Result<int64_t> last_closed(CounterCollection& counters, const std::string& name, int64_t prefix);

// Closes the periods up to that of `prefix`.
std::optional<Error> close_periods(CounterCollection& counters, const std::string& name, int64_t prefix);

}  // namespace nextid::mongo
