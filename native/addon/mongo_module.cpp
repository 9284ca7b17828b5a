#include <napi.h>

#include "addon/guarded_store.h"
#include "addon/store_module.h"
#include "stores/mongo/mongo_driver.h"
#include "stores/mongo/mongo_store.h"

namespace {

using nextid::GuardedStore;
using nextid::Result;
using nextid::Store;

Result<std::unique_ptr<Store>> make(const std::string& url, const std::string& collection,
                                    const std::string& counters_collection) {
  return GuardedStore::guarded<std::unique_ptr<Store>>([&]() -> Result<std::unique_ptr<Store>> {
    auto store = nextid::mongo::make_store(url, collection, counters_collection);
    if (!store.ok()) return store;
    return std::unique_ptr<Store>(std::make_unique<GuardedStore>(store.take()));
  });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  nextid::mongo::start_mongo_driver();  // while the module is loaded: see withoutSharedMemory() in
                                        // lib/addon.js
  static nextid::StoreModule module{make};
  exports.Set("storeModule", Napi::External<nextid::StoreModule>::New(env, &module));
  return exports;
}

}  // namespace

NODE_API_MODULE(nextid_mongo, init)
