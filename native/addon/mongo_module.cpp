#include <napi.h>

#include <utility>

#include "addon/guarded_store.h"
#include "addon/store_module.h"
#include "stores/mongo/checked_url.h"
#include "stores/mongo/mongo_driver.h"
#include "stores/mongo/mongo_store.h"

namespace {

using nextid::GuardedStore;
using nextid::Result;
using nextid::Store;

// Arguments: the URL, its form for errors, the collection of plain and dated counters, that of the other
// kinds, and any number of secrets of the URL.
Result<std::unique_ptr<Store>> make(const std::vector<std::string>& arguments) {
  return GuardedStore::guarded<std::unique_ptr<Store>>([&]() -> Result<std::unique_ptr<Store>> {
    nextid::mongo::CheckedUrl url{arguments.at(0), arguments.at(1), {arguments.begin() + 4, arguments.end()}};
    auto store = nextid::mongo::make_store(std::move(url), arguments.at(2), arguments.at(3));
    if (!store.ok()) return store;
    return std::unique_ptr<Store>(std::make_unique<GuardedStore>(store.take()));
  });
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  // While the module is loaded: see withoutSharedMemory() in lib/stores/mongodb.js.
  nextid::mongo::start_mongo_driver();
  static nextid::StoreModule module{make};
  exports.Set("storeModule", Napi::External<nextid::StoreModule>::New(env, &module));
  return exports;
}

}  // namespace

NODE_API_MODULE(nextid_mongo, init)
