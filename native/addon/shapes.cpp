#include "addon/shapes.h"

#include <chrono>

#include "addon/js_values.h"

namespace nextid {

namespace {

// [first, end, first, end, …, last]
napi_value to_array(napi_env env, std::span<const Range> pieces, bool bigint,
                    std::optional<double> last = std::nullopt) {
  napi_value array = nullptr, value = nullptr;
  const size_t length = 2 * pieces.size() + (last ? 1 : 0);
  if (napi_create_array_with_length(env, length, &array) != napi_ok) return nullptr;
  uint32_t index = 0;
  for (const Range& piece : pieces) {
    for (const int64_t bound : {piece.first, piece.end}) {
      value = to_js(env, bound, bigint);
      if (value == nullptr || napi_set_element(env, array, index++, value) != napi_ok) return nullptr;
    }
  }
  if (!last) return array;
  const bool is_set = napi_create_double(env, *last, &value) == napi_ok &&
                      napi_set_element(env, array, index, value) == napi_ok;
  return is_set ? array : nullptr;
}

}  // namespace

napi_value to_range(napi_env env, Range range, bool bigint) {
  return to_array(env, std::span(&range, 1), bigint);
}

napi_value to_window(napi_env env, Range window, bool bigint, std::optional<Duration> lasts) {
  if (!lasts) return to_range(env, window, bigint);
  return to_array(env, std::span(&window, 1), bigint, Milliseconds(*lasts).count());
}

napi_value to_numbers(napi_env env, std::span<const Range> pieces, bool bigint) {
  if (pieces.empty()) return undefined(env);
  if (pieces.size() == 1 && pieces[0].count() == 1) return to_js(env, pieces[0].first, bigint);
  return to_array(env, pieces, bigint);
}

napi_value to_numbers(napi_env env, std::span<const Range> pieces, int64_t prefix) {
  if (pieces.empty()) return undefined(env);
  return to_array(env, pieces, false, static_cast<double>(prefix));
}

Napi::Value to_returns(Napi::Env env, Sequence::Returns returns) {
  Napi::Array result = Napi::Array::New(env, 2);
  result.Set(0u, static_cast<double>(returns.under_way));
  result.Set(1u, static_cast<double>(returns.ended));
  return result;
}

Napi::Value to_given_below(Napi::Env env, const std::map<int64_t, int64_t>& given) {
  Napi::Array result = Napi::Array::New(env);
  for (const auto& [prefix, below] : given) {
    result.Set(result.Length(), to_js(env, prefix, false));
    result.Set(result.Length(), to_js(env, below, false));
  }
  return result;
}

Range from_range(Napi::Env env, napi_value range) {
  const Napi::Array bounds(env, range);
  return {to_int64(bounds.Get(0u)), to_int64(bounds.Get(1u))};
}

void read_given_below(const Napi::Value& given_below, Sequence::Options& options) {
  if (given_below.IsArray()) {
    const auto periods = given_below.As<Napi::Array>();
    for (uint32_t i = 0; i + 1 < periods.Length(); i += 2) {
      options.given_in_period.emplace(to_int64(periods.Get(i)), to_int64(periods.Get(i + 1)));
    }
  } else if (!given_below.IsUndefined()) {
    options.given_below = to_int64(given_below);
  }
}

}  // namespace nextid
