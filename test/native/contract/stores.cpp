#include "native/contract/store_under_test.h"

namespace nextid::contract {

const std::vector<StoreName>& all_stores() {
#ifdef NEXTID_WITH_MONGO
  static const std::vector<StoreName> stores{memory(), sqlite(), mongodb()};
#else
  static const std::vector<StoreName> stores{memory(), sqlite()};
#endif
  return stores;
}

}  // namespace nextid::contract
