#pragma once

#include <memory>
#include <string>

#include "core/store.h"

namespace nextid {

// What a store that lives in a module of its own (a .node file beside the addon's) hands to the addon,
// wrapped in a Node-API External: a machine without the store's system library can still load everything
// else.
struct StoreModule {
  using Make = Result<std::unique_ptr<Store>> (*)(const std::string& url, const std::string& collection,
                                                  const std::string& counters_collection);
  Make make;
};

}  // namespace nextid
