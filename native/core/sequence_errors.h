#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"
#include "core/counter_key.h"
#include "core/error.h"
#include "core/range.h"

// The errors that a sequence itself raises, `key` being the counter it draws from. Where memory is short the
// message is short too.
namespace nextid::sequence_errors {

Error closed(const CounterKey& key) noexcept;
Error too_many_waiters(const CounterKey& key, size_t max_waiters) noexcept;

// The window could not be taken back from the caller.
Error no_window(const CounterKey& key) noexcept;

// There is nothing to measure with how long the caller waits.
Error no_timer(const CounterKey& key) noexcept;

// No number came within `timeout`; `reason` is why, or null if the store has not answered yet.
Error timeout(const CounterKey& key, Duration timeout, const Error* reason) noexcept;

// Why no number came: `ahead` requests of this process were still to be answered before the one for it.
Error still_queued(size_t ahead) noexcept;

// There are no ids past `max_number`.
Error overflow(const CounterKey& key, int64_t max_number) noexcept;

// The counter gave `range`, below `floor`, which it had passed.
Error rewound(const CounterKey& key, Range range, int64_t floor) noexcept;

}  // namespace nextid::sequence_errors
