#include "addon/store_module.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid {

const StoreModule sqlite_module{[](const std::vector<std::string>& arguments) {
  return Result<std::unique_ptr<Store>>(sqlite::make_store(arguments.at(0)));
}};

}  // namespace nextid
