#pragma once

#include <memory>
#include <string>

#include "core/store.h"

namespace nextid::mongo {

// A store in the database that `url` names, over libmongoc 1.21 or later of 1.x: plain and dated counters in
// the collection `collection`, cyclic and time-stamped ones in `counters_collection`, which may be the same.
// Connects on the first operation. kStoreInvalid, in a message that shows no credentials, where the URL
// cannot be read, names no database, has an option that libmongoc does not know, or asks for writes that
// nobody acknowledges (w=0). MongoUri tells the defaults. Cyclic and time-stamped counters need MongoDB 4.2
// or later.
Result<std::unique_ptr<Store>> make_store(const std::string& url, const std::string& collection,
                                          const std::string& counters_collection);

}  // namespace nextid::mongo
