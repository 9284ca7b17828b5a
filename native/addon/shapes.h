#pragma once

#include <napi.h>

#include <map>
#include <optional>
#include <span>

#include "core/clock.h"
#include "core/range.h"
#include "core/sequence.h"

// The arrays in which numbers cross between core and lib. The table in lib/bridge.js explains each shape. No
// other native file knows them. As in js_values.h, a failed call gives null.
namespace nextid {

napi_value to_range(napi_env env, Range range, bool bigint);

// `lasts`: for how long its numbers may be handed out, if that is limited.
napi_value to_window(napi_env env, Range window, bool bigint, std::optional<Duration> lasts);

// The second is for numbers of the period `prefix`.
napi_value to_numbers(napi_env env, std::span<const Range> pieces, bool bigint);
napi_value to_numbers(napi_env env, std::span<const Range> pieces, int64_t prefix);

// These throw Napi::Error.
Napi::Value to_returns(Napi::Env env, Sequence::Returns returns);
Napi::Value to_given_below(Napi::Env env, const std::map<int64_t, int64_t>& given);
Range from_range(Napi::Env env, napi_value range);
void read_given_below(const Napi::Value& given_below, Sequence::Options& options);

}  // namespace nextid
