#pragma once

#include <bson/bson.h>

#include "core/counter_value.h"

namespace nextid::mongo {

// What is in a field of `document`, where something is expected: an int32, an int64 or, from a shell, a
// double. The name of the field has dots where it is within others.
CounterValue read_value(const bson_t* document, const CounterValue::Expected& expected);

}  // namespace nextid::mongo
