#pragma once

#include <memory>
#include <string>

#include "core/store.h"

namespace nextid {

// A store in the collection `collection` of the database that `url` names, over libmongoc.
// Connects on the first operation. A URL that libmongoc does not take, or that asks for writes nobody
// acknowledges (w=0), is an Error of code kStoreInvalid whose message shows no credentials.
Result<std::unique_ptr<Store>> make_mongo_store(const std::string& url, const std::string& collection);

}  // namespace nextid
