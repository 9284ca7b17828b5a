#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/counter_key.h"
#include "core/counter_value.h"
#include "core/error.h"

namespace nextid {

// Where a store keeps its counters, in its own words.
struct Place {
  std::string in;             // "in sqlite:ids.db", "in the collection 'ids' of mongodb://host/shop"
  std::string if_field_lost;  // what else to do about a counter that lacks a field
};

// What can be wrong with a counter, whatever store keeps it. All of these errors are final.
namespace counter_errors {

// It is gone, or stands at `next`, although this process was given numbers below `floor`.
Error missing(const CounterKey& key, const Place& place, int64_t floor);
Error rewound(const CounterKey& key, const Place& place, int64_t next, int64_t floor);

// It holds something that is not a number of a counter; `problem` says what, as CounterValue::problem() does.
Error damaged(const CounterKey& key, const Place& place, const CounterValue& value);
Error damaged(const CounterKey& key, const Place& place, const std::string& problem);
constexpr const char* kTimeZoneProblem = "has a timeZone that is not a string";

// Its list of returned ranges, in `field`, cannot be right.
Error returned_damaged(const CounterKey& key, const Place& place, const char* field);

// It was made with the option `has`, and `asked` was asked for: "cycle: 99".
Error other_option(const CounterKey& key, const Place& place, const std::string& has,
                   const std::string& asked);

// It stands at `next`: at the limit of the sequence or past it, or with too little room below 2^63.
Error past_limit(const CounterKey& key, const Place& place, int64_t next, int64_t limit);
Error used_up(const CounterKey& key, const Place& place, int64_t next, int64_t count);

// Cyclic: a block does not fit into the `left` ids before the end of the cycle, or no cycle is that long.
Error across_wrap(const CounterKey& key, const Place& place, int64_t left, int64_t count);
Error too_many_at_once(const CounterKey& key, const Place& place, int64_t count);

// Time-stamped: the clock of this machine shows `now`, which is not from `earliest` to `latest`, in
// microseconds since 1970; or it is `ahead` microseconds ahead of the store's, where `allowed` are.
Error clock_out_of_range(const CounterKey& key, const Place& place, int64_t now, int64_t earliest,
                         int64_t latest);
Error clock_ahead(const CounterKey& key, const Place& place, int64_t ahead, int64_t allowed);

// Dated: it is not there, and its period is among those that were pruned, up to `closed`.
Error pruned(const CounterKey& key, const Place& place, int64_t closed);

// The mark that says up to which period of the kind of `prefix` the counters of `name` were pruned is
// damaged. `remedy`: the command that replaces it by P.
Error mark_damaged(const std::string& name, int64_t prefix, const Place& place, const CounterValue& value,
                   const std::string& remedy);

}  // namespace counter_errors
}  // namespace nextid
