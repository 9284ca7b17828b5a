#include "addon/addon.h"

#include <memory>
#include <string>
#include <vector>

#include "addon/js_store.h"
#include "addon/js_values.h"
#include "addon/sequence_handle.h"
#include "addon/store_handle.h"
#include "addon/store_module.h"
#include "addon/threaded_store.h"

namespace nextid {

namespace {

// Exports, for lib only:
//   setErrorFactory(f)      f(code, message, driverName?, driverMessage?, driverCode?) returns the error
//                           to throw
//   sqliteModule            the `module` of openStore() for an SQLite file
//   openStore(module, arguments, maxConcurrentRefills)   a Store; throws. store_module.h documents
//                           `arguments`, which are strings
//   openJsStore(object, maxConcurrentRefills)   a Store. js_store.h documents `object`
//   Sequence                the class, for tests
// Each worker_thread has its own environment, so everything per environment is a member of this class.
class Addon : public Napi::Addon<Addon> {
 public:
  Addon(Napi::Env env, Napi::Object exports) {
    store_class_ = Napi::Persistent(StoreHandle::define(env));
    sequence_class_ = Napi::Persistent(SequenceHandle::define(env));
    exports.Set("Sequence", sequence_class_.Value());
    exports.Set("sqliteModule",
                Napi::External<StoreModule>::New(env, const_cast<StoreModule*>(&sqlite_module)));
    DefineAddon(exports, {InstanceMethod("setErrorFactory", &Addon::set_error_factory),
                          InstanceMethod("openStore", &Addon::open_store),
                          InstanceMethod("openJsStore", &Addon::open_js_store)});
  }

  Napi::FunctionReference error_factory_;
  Napi::FunctionReference sequence_class_;

 private:
  void set_error_factory(const Napi::CallbackInfo& info) {
    error_factory_ = Napi::Persistent(info[0].As<Napi::Function>());
  }

  Napi::Value open_store(const Napi::CallbackInfo& info) {
    const Napi::Env env = info.Env();
    const auto* module = info[0].As<Napi::External<StoreModule>>().Data();
    const auto array = info[1].As<Napi::Array>();
    std::vector<std::string> arguments;
    for (uint32_t i = 0; i < array.Length(); ++i) arguments.push_back(array.Get(i).ToString());
    auto store = module->make(arguments);
    if (!store.ok()) throw Napi::Error(env, to_js(env, store.error()));
    return make_store_object(
        env, std::make_shared<ThreadedStore>(env, store.take(), info[2].ToNumber().Uint32Value()));
  }

  Napi::Value open_js_store(const Napi::CallbackInfo& info) {
    return make_store_object(
        info.Env(), std::make_shared<JsStore>(info[0].As<Napi::Object>(), info[1].ToNumber().Uint32Value()));
  }

  Napi::Value make_store_object(Napi::Env env, std::shared_ptr<AsyncStore> store) {
    return store_class_.New({Napi::External<std::shared_ptr<AsyncStore>>::New(env, &store)});
  }

  Napi::FunctionReference store_class_;
};

}  // namespace

napi_value error_factory(napi_env env) {
  const auto* addon = Napi::Env(env).GetInstanceData<Addon>();
  if (addon == nullptr || addon->error_factory_.IsEmpty()) return nullptr;
  return addon->error_factory_.Value();
}

Napi::Object make_sequence_object(Napi::Env env, std::initializer_list<napi_value> arguments) {
  return env.GetInstanceData<Addon>()->sequence_class_.New(arguments);
}

NODE_API_ADDON(Addon)

}  // namespace nextid
