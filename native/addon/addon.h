#pragma once

#include <napi.h>

namespace nextid {

// The function that lib gave to setErrorFactory() in this environment, or null.
napi_value error_factory(napi_env env);

// Makes a Sequence object of the class that belongs to this environment. `store`:
// External<std::shared_ptr<AsyncStore>>
Napi::Object make_sequence_object(Napi::Env env, Napi::Value store, Napi::Value options);

}  // namespace nextid
