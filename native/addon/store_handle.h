#pragma once

#include <napi.h>

#include <memory>

#include "addon/async_store.h"

namespace nextid {

// The JavaScript object of a store:
//   list()                   Promise of [{ name, kind, next: BigInt | undefined, problem, prefix, cycle,
//                            digits, timeZone }]; each kind has only its own fields
//   advance(options)         Promise of the counter's next number, a BigInt, or undefined. The options are
//                            those of AdvanceRequest: { kind, name, prefix, cycle, digits, timeZone,
//                            next: BigInt, make, restore }
//   prune(name, prefixes)    Promise of how many of these dated counters existed and were removed
//   sequence(options, callbacks, owner)   a Sequence object (see sequence_handle.h)
//   close()                  Promise; disconnects. No other call may follow.
// lib has checked all arguments.
class StoreHandle : public Napi::ObjectWrap<StoreHandle> {
 public:
  static Napi::Function define(Napi::Env env);

  // Arguments: External<std::shared_ptr<AsyncStore>>
  explicit StoreHandle(const Napi::CallbackInfo& info);

 private:
  Napi::Value list(const Napi::CallbackInfo& info);
  Napi::Value advance(const Napi::CallbackInfo& info);
  Napi::Value prune(const Napi::CallbackInfo& info);
  Napi::Value sequence(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  const std::shared_ptr<AsyncStore> store_;
};

}  // namespace nextid
