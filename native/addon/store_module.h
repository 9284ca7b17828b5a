#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store.h"

namespace nextid {

// A kind of native store, as lib hands it to the addon's openStore(), wrapped in a Node-API External. A store
// may live in a .node file of its own: a machine without its system library can still load everything else.
struct StoreModule {
  // `arguments` are what the file of the store in lib says.
  Result<std::unique_ptr<Store>> (*make)(const std::vector<std::string>& arguments);
};

// Arguments: the path of the file.
extern const StoreModule sqlite_module;

}  // namespace nextid
