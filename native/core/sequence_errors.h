#pragma once

#include <cstddef>
#include <cstdint>

#include "core/clock.h"
#include "core/counter_key.h"
#include "core/error.h"
#include "core/range.h"

// The errors of a sequence itself; `key` is its counter. If memory is short, the message is only "out of
// memory".
namespace nextid::sequence_errors {

Error closed(const CounterKey& key) noexcept;
Error too_many_waiters(const CounterKey& key, size_t max_waiters) noexcept;

// The window could not be taken back from the caller.
Error no_window(const CounterKey& key) noexcept;

// No timer could be set for the caller's timeout.
Error no_timer(const CounterKey& key) noexcept;

// No number arrived within `timeout`. `reason`: why, or null if the store has not answered yet.
Error timeout(const CounterKey& key, Duration timeout, const Error* reason) noexcept;

// The reason of a timeout: `ahead` earlier requests of this process were not answered yet.
Error still_queued(size_t ahead) noexcept;

// The sequence has passed `max_number`, its largest id.
Error overflow(const CounterKey& key, int64_t max_number) noexcept;

// The counter gave `range`, which begins below `floor`.
Error rewound(const CounterKey& key, Range range, int64_t floor) noexcept;

}  // namespace nextid::sequence_errors
