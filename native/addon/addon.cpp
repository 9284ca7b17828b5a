#include "addon/addon.h"

#include <memory>
#include <string>
#include <utility>

#include "addon/sequence_handle.h"
#include "addon/store_handle.h"
#include "addon/store_module.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid {

namespace {

// Exports, for lib only:
//   setErrorFactory(f)      f(code, message, driverName?, driverMessage?, driverCode?) returns the error
//                           to throw
//   openSqlite(path, maxConcurrentRefills)   a Store
//   openMongo(storeModule, url, collection, countersCollection, maxConcurrentRefills)
//                           a Store; throws
//   Sequence                the class, for tests
// Everything that lives as long as an environment is a member here: each worker_thread has its own.
class Addon : public Napi::Addon<Addon> {
 public:
  Addon(Napi::Env env, Napi::Object exports) {
    store_class_ = Napi::Persistent(StoreHandle::define(env));
    sequence_class_ = Napi::Persistent(SequenceHandle::define(env));
    exports.Set("Sequence", sequence_class_.Value());
    DefineAddon(exports, {InstanceMethod("setErrorFactory", &Addon::set_error_factory),
                          InstanceMethod("openSqlite", &Addon::open_sqlite),
                          InstanceMethod("openMongo", &Addon::open_mongo)});
  }

  Napi::FunctionReference error_factory_;
  Napi::FunctionReference sequence_class_;

 private:
  void set_error_factory(const Napi::CallbackInfo& info) {
    error_factory_ = Napi::Persistent(info[0].As<Napi::Function>());
  }

  Napi::Value open_sqlite(const Napi::CallbackInfo& info) {
    return make_store(sqlite::make_store(info[0].As<Napi::String>()), info[1]);
  }

  Napi::Value open_mongo(const Napi::CallbackInfo& info) {
    const auto* module = info[0].As<Napi::External<StoreModule>>().Data();
    auto store =
        module->make(info[1].As<Napi::String>(), info[2].As<Napi::String>(), info[3].As<Napi::String>());
    if (!store.ok()) throw Napi::Error(info.Env(), to_js(info.Env(), store.error()));
    return make_store(store.take(), info[4]);
  }

  Napi::Value make_store(std::unique_ptr<Store> store, Napi::Value limit) {
    auto queue = std::make_shared<StoreQueue>(std::move(store), limit.ToNumber().Uint32Value());
    return store_class_.New({Napi::External<std::shared_ptr<StoreQueue>>::New(limit.Env(), &queue)});
  }

  Napi::FunctionReference store_class_;
};

}  // namespace

napi_value error_factory(napi_env env) {
  const auto* addon = Napi::Env(env).GetInstanceData<Addon>();
  if (addon == nullptr || addon->error_factory_.IsEmpty()) return nullptr;
  return addon->error_factory_.Value();
}

Napi::Object make_sequence_object(Napi::Env env, Napi::Value store_queue, Napi::Value options) {
  return env.GetInstanceData<Addon>()->sequence_class_.New({store_queue, options});
}

NODE_API_ADDON(Addon)

}  // namespace nextid
