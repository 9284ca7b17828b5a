#pragma once

#include <napi.h>

#include "core/counter_key.h"

namespace nextid {

// Which counter it is: { name, kind } and the fields of the kind, which are prefix, cycle, or digits and
// timeZone.
Napi::Object to_object(Napi::Env env, const CounterKey& key);
CounterKey to_counter_key(const Napi::Object& object);

// What a counter stores, as stores in JavaScript load and save it: an object with a property for each field.
// The fields have the names of MongoDB's documents. A whole number is a BigInt.
//   plain         index, indexReturned, indexAdvanced
//   dated         count, countReturned, countAdvanced
//   cyclic        val, maxval
//   time-stamped  slot, digits, timeZone
// Other programs may have written a loaded record. So a field may also be a number (a double), a string, or
// { found, roughly }: what it is in words, and about which number.
CounterValue to_counter_value(const Napi::Value& value, const CounterValue::Expected& expected);

GrowingState to_state(const Plain& kind, const Napi::Object& record);
GrowingState to_state(const Dated& kind, const Napi::Object& record);
Cyclic::State to_state(const Cyclic& kind, const Napi::Object& record);
Timestamped::State to_state(const Timestamped& kind, const Napi::Object& record);

// REQUIRES: the values are fine()
Napi::Object to_record(Napi::Env env, const Plain& kind, const GrowingState& state);
Napi::Object to_record(Napi::Env env, const Dated& kind, const GrowingState& state);
Napi::Object to_record(Napi::Env env, const Cyclic& kind, const Cyclic::State& state);
Napi::Object to_record(Napi::Env env, const Timestamped& kind, const Timestamped::State& state);

}  // namespace nextid
