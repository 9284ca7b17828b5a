#include "addon/records.h"

#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "addon/js_values.h"

namespace nextid {
namespace {

struct GrowingNames {
  const char* value;
  const char* returned;
  const char* advanced;
  int64_t offset;
};
constexpr GrowingNames kPlainNames{"index", "indexReturned", "indexAdvanced", 0};
constexpr GrowingNames kDatedNames{"count", "countReturned", "countAdvanced", 1};

ReturnedRanges to_ranges(const Napi::Value& value, const char* field) {
  if (value.IsUndefined()) return {.field = field};
  const ReturnedRanges unreadable{.is_readable = false, .field = field};
  if (!value.IsArray()) return unreadable;
  const auto array = value.As<Napi::Array>();
  std::vector<int64_t> bounds;
  for (uint32_t i = 0; i < array.Length(); ++i) {
    const CounterValue bound = to_counter_value(array.Get(i), {field});
    if (!bound.fine()) return unreadable;
    bounds.push_back(bound.number());
  }
  return ReturnedRanges::of_bounds(bounds, field);
}

GrowingState to_growing(const GrowingNames& names, const Napi::Object& record) {
  const CounterValue advanced = to_counter_value(record.Get(names.advanced), {names.advanced});
  return {.value = to_counter_value(record.Get(names.value), {names.value}),
          .offset = names.offset,
          .returned = to_ranges(record.Get(names.returned), names.returned),
          .advanced = advanced.fine() ? advanced.number() : 0};
}

Napi::Value to_bigint(Napi::Env env, int64_t number) { return Napi::BigInt::New(env, number); }

Napi::Object to_growing_record(Napi::Env env, const GrowingNames& names, const GrowingState& state) {
  Napi::Object record = Napi::Object::New(env);
  record.Set(names.value, to_bigint(env, state.value.number()));
  if (!state.returned.ranges.empty()) {
    const std::vector<int64_t> bounds = state.returned.bounds();
    Napi::Array array = Napi::Array::New(env, bounds.size());
    for (uint32_t i = 0; i < bounds.size(); ++i) array.Set(i, to_bigint(env, bounds[i]));
    record.Set(names.returned, array);
  }
  if (state.advanced > 0) record.Set(names.advanced, to_bigint(env, state.advanced));
  return record;
}

}  // namespace

Napi::Object to_object(Napi::Env env, const CounterKey& key) {
  Napi::Object counter = Napi::Object::New(env);
  counter.Set("name", key.name);
  counter.Set("kind", to_string(key.kind));
  const auto set = [&counter](const char* name, const auto& field) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(field)>>) {
      counter.Set(name, static_cast<double>(field));
    } else {
      counter.Set(name, field);
    }
  };
  std::visit([&set](const auto& kind) { kind.each_field(kind, set); }, key.kind);
  return counter;
}

CounterKey to_counter_key(const Napi::Object& object) {
  CounterKey key{.name = object.Get("name").ToString().Utf8Value()};
  const std::string name_of_kind = object.Get("kind").ToString();
  for_each_kind([&](auto kind) {
    if (name_of_kind != kind.kName) return;
    kind.each_field(kind, [&](const char* name, auto& field) {
      const Napi::Value value = object.Get(name);
      if constexpr (std::is_integral_v<std::remove_reference_t<decltype(field)>>) {
        field = static_cast<std::remove_reference_t<decltype(field)>>(to_int64(value));
      } else if (value.IsString()) {
        field = value.ToString().Utf8Value();
      }
    });
    key.kind = std::move(kind);
  });
  return key;
}

CounterValue to_counter_value(const Napi::Value& value, const CounterValue::Expected& expected) {
  if (value.IsUndefined()) return CounterValue(expected);
  if (value.IsNumber()) return CounterValue::real(expected, value.ToNumber().DoubleValue());
  if (value.IsString()) return CounterValue::text(expected, value.ToString());
  if (value.IsBigInt()) {
    bool lossless = false;
    const int64_t number = value.As<Napi::BigInt>().Int64Value(&lossless);
    if (lossless) return CounterValue::integer(expected, number);
    return CounterValue::other(expected, "the integer " + value.ToString().Utf8Value(),
                               value.ToString().ToNumber().DoubleValue());
  }
  if (value.IsArray()) {
    return CounterValue::other(expected, "the array [ " + value.ToString().Utf8Value() + " ]");
  }
  if (!value.IsObject()) return CounterValue::other(expected, "the value " + value.ToString().Utf8Value());
  const auto object = value.As<Napi::Object>();
  const Napi::Value roughly = object.Get("roughly");
  return CounterValue::other(expected, object.Get("found").ToString(),
                             roughly.IsNumber() ? roughly.ToNumber().DoubleValue() : -1);
}

GrowingState to_state(const Plain&, const Napi::Object& record) { return to_growing(kPlainNames, record); }

GrowingState to_state(const Dated&, const Napi::Object& record) { return to_growing(kDatedNames, record); }

Cyclic::State to_state(const Cyclic&, const Napi::Object& record) {
  return {to_counter_value(record.Get("val"), Cyclic::kVal),
          to_counter_value(record.Get("maxval"), Cyclic::kMaxval)};
}

Timestamped::State to_state(const Timestamped&, const Napi::Object& record) {
  const Napi::Value zone = record.Get("timeZone");
  std::optional<std::string> time_zone;
  if (zone.IsUndefined()) time_zone = Timestamped::kUtc;
  if (zone.IsString()) time_zone = zone.ToString();
  return {{to_counter_value(record.Get("slot"), Timestamped::kSlot), 1},
          to_counter_value(record.Get("digits"), Timestamped::kDigits),
          time_zone};
}

Napi::Object to_record(Napi::Env env, const Plain&, const GrowingState& state) {
  return to_growing_record(env, kPlainNames, state);
}

Napi::Object to_record(Napi::Env env, const Dated&, const GrowingState& state) {
  return to_growing_record(env, kDatedNames, state);
}

Napi::Object to_record(Napi::Env env, const Cyclic&, const Cyclic::State& state) {
  Napi::Object record = Napi::Object::New(env);
  record.Set("val", to_bigint(env, state.val.number()));
  record.Set("maxval", to_bigint(env, state.maxval.number()));
  return record;
}

Napi::Object to_record(Napi::Env env, const Timestamped&, const Timestamped::State& state) {
  Napi::Object record = Napi::Object::New(env);
  record.Set("slot", to_bigint(env, state.slot.value.number()));
  record.Set("digits", to_bigint(env, state.digits.number()));
  if (*state.time_zone != Timestamped::kUtc) record.Set("timeZone", *state.time_zone);
  return record;
}

}  // namespace nextid
