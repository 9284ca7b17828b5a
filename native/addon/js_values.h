#pragma once

#include <napi.h>

#include <chrono>
#include <cstdint>
#include <span>

#include "core/error.h"

// Values of core as JavaScript sees them. All of it runs on the JavaScript thread, inside a handle scope.
//
// These use Node-API's C functions, because they run when a worker thread has finished: the environment may
// be shutting down then, and every call may fail. A function that fails returns null, which callers must
// check.
namespace nextid {

using Milliseconds = std::chrono::duration<double, std::milli>;  // as lib counts time

// Whether JavaScript can still run. It cannot while its worker_thread or process is being torn down.
bool can_run_javascript(napi_env env);

napi_value undefined(napi_env env);

// A number, or a BigInt. REQUIRES: |value| <= 2^53 unless `bigint`
napi_value to_js(napi_env env, int64_t value, bool bigint);

// The value of a number or a BigInt.
int64_t to_int64(const Napi::Value& value);

// A NextIdError, made by the function that lib passed to setErrorFactory(). If that fails, for example
// because the stack is exhausted, a plain Error with the same code and message.
napi_value to_js(napi_env env, const Error& error);

// A Promise and the handle that settles it, once. Unlike Napi::Promise::Deferred, the handle is a plain
// pointer.
struct PendingPromise {
  napi_deferred deferred = nullptr;
  napi_value promise = nullptr;
};
PendingPromise make_promise(Napi::Env env);

// Settles the promise of `deferred`. Does nothing if the environment is shutting down.
void resolve(napi_env env, napi_deferred deferred, napi_value value);
void reject(napi_env env, napi_deferred deferred, napi_value reason);

// The property `name` of `object`.
napi_value property(napi_env env, napi_value object, const char* name);

// Calls the method `name` of `object`. Null if that failed, or if `object` or an argument is null. An
// exception is dropped.
napi_value call_method(napi_env env, napi_value object, const char* name,
                       std::span<const napi_value> arguments);

}  // namespace nextid
