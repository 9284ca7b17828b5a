#include "addon/js_values.h"

#include <algorithm>
#include <string>

#include "addon/addon.h"

namespace nextid {

namespace {

napi_value string(napi_env env, std::string_view text) {
  napi_value value = nullptr;
  return napi_create_string_utf8(env, text.data(), text.size(), &value) == napi_ok ? value : nullptr;
}

// An exception must not stay pending when control returns to libuv's event loop.
void drop_exception(napi_env env) {
  bool pending = false;
  napi_value exception = nullptr;
  if (napi_is_exception_pending(env, &pending) == napi_ok && pending) {
    napi_get_and_clear_last_exception(env, &exception);
  }
}

// Null if it fails.
napi_value next_id_error(napi_env env, const Error& error) {
  const napi_value factory = error_factory(env);
  napi_value receiver = nullptr, result = nullptr;
  if (factory == nullptr || napi_get_undefined(env, &receiver) != napi_ok) return nullptr;

  napi_value arguments[5] = {string(env, to_string(error.code)), string(env, error.message)};
  size_t count = 2;
  if (error.driver) {
    arguments[count++] = string(env, error.driver->name);
    arguments[count++] = string(env, error.driver->message);
    arguments[count++] = to_js(env, error.driver->code, false);
  }
  for (size_t i = 0; i < count; ++i) {
    if (arguments[i] == nullptr) return nullptr;
  }
  if (napi_call_function(env, receiver, factory, count, arguments, &result) == napi_ok) return result;
  drop_exception(env);
  return nullptr;
}

}  // namespace

bool can_run_javascript(napi_env env) {
  napi_value undefined = nullptr, value = nullptr;
  return napi_get_undefined(env, &undefined) == napi_ok &&
         napi_coerce_to_bool(env, undefined, &value) == napi_ok;
}

napi_value undefined(napi_env env) {
  napi_value value = nullptr;
  return napi_get_undefined(env, &value) == napi_ok ? value : nullptr;
}

napi_value to_js(napi_env env, int64_t value, bool bigint) {
  napi_value result = nullptr;
  const napi_status status = bigint ? napi_create_bigint_int64(env, value, &result)
                                    : napi_create_double(env, static_cast<double>(value), &result);
  return status == napi_ok ? result : nullptr;
}

int64_t to_int64(const Napi::Value& value) {
  bool lossless = false;
  if (value.IsBigInt()) return value.As<Napi::BigInt>().Int64Value(&lossless);
  return value.ToNumber().Int64Value();
}

napi_value to_js(napi_env env, const Error& error) {
  napi_value result = next_id_error(env, error);
  if (result != nullptr) return result;
  const napi_value code = string(env, to_string(error.code));
  const napi_value message = string(env, error.message);
  if (code == nullptr || message == nullptr) return nullptr;
  return napi_create_error(env, code, message, &result) == napi_ok ? result : nullptr;
}

PendingPromise make_promise(Napi::Env env) {
  PendingPromise pending;
  const napi_status status = napi_create_promise(env, &pending.deferred, &pending.promise);
  if (status != napi_ok) throw Napi::Error::New(env);
  return pending;
}

void resolve(napi_env env, napi_deferred deferred, napi_value value) {
  if (value != nullptr && napi_resolve_deferred(env, deferred, value) == napi_ok) return;
  drop_exception(env);
}

void reject(napi_env env, napi_deferred deferred, napi_value reason) {
  if (reason != nullptr && napi_reject_deferred(env, deferred, reason) == napi_ok) return;
  drop_exception(env);
}

napi_value property(napi_env env, napi_value object, const char* name) {
  napi_value value = nullptr;
  const bool is_read = object != nullptr && napi_get_named_property(env, object, name, &value) == napi_ok;
  return is_read ? value : nullptr;
}

napi_value call_method(napi_env env, napi_value object, const char* name,
                       std::span<const napi_value> arguments) {
  const napi_value method = property(env, object, name);
  const bool has_all = method != nullptr && std::ranges::find(arguments, nullptr) == arguments.end();
  napi_value result = nullptr;
  if (has_all &&
      napi_call_function(env, object, method, arguments.size(), arguments.data(), &result) == napi_ok) {
    return result;
  }
  drop_exception(env);
  return nullptr;
}

}  // namespace nextid
