#pragma once

#include <napi.h>

#include <initializer_list>

namespace nextid {

// The function that lib gave to setErrorFactory() in this environment, or null.
napi_value error_factory(napi_env env);

// Makes a Sequence object of the class that belongs to this environment. For `arguments` see SequenceHandle.
Napi::Object make_sequence_object(Napi::Env env, std::initializer_list<napi_value> arguments);

}  // namespace nextid
