#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store.h"

namespace nextid {

// A kind of native store. lib passes it to the addon's openStore(), wrapped in a Node-API External. A store
// may be in a separate .node file, so that a machine without its system library can still load the rest.
struct StoreModule {
  // The store's file in lib/stores/ lists the `arguments`.
  Result<std::unique_ptr<Store>> (*make)(const std::vector<std::string>& arguments);
};

// Arguments: the path of the file.
extern const StoreModule sqlite_module;

}  // namespace nextid
