#include <napi.h>

#include "addon/store_module.h"
#include "stores/mongo/mongo_store.h"

namespace {

Napi::Object init(Napi::Env env, Napi::Object exports) {
  static nextid::StoreModule module{nextid::make_mongo_store};
  exports.Set("storeModule", Napi::External<nextid::StoreModule>::New(env, &module));
  return exports;
}

}  // namespace

NODE_API_MODULE(nextid_mongo, init)
