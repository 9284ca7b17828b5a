#pragma once

#include <memory>
#include <string>

#include "core/store.h"
#include "stores/mongo/checked_url.h"

namespace nextid::mongo {

// A store in the database of `url`, over libmongoc 1.21 or later of 1.x: plain and dated counters in the
// collection `collection`, cyclic and time-stamped ones in `counters_collection`, which may be the same.
// Connects on the first operation. Errors: those of MongoUri::parse(), where the defaults are too, and
// kStoreInvalid for the name of a collection that is empty or has a NUL character. Cyclic and time-stamped
// counters need MongoDB 4.2 or later.
Result<std::unique_ptr<Store>> make_store(CheckedUrl url, const std::string& collection,
                                          const std::string& counters_collection);

}  // namespace nextid::mongo
