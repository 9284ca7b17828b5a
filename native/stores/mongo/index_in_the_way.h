#pragma once

#include <optional>
#include <string>

#include "core/error.h"
#include "stores/mongo/counter_collection.h"

namespace nextid::mongo {

// For a document, `called` so, that is refused as a duplicate again and again, though it is not there: the
// error that names the unique index in its way, if the collection has one besides that on _id. Such an index
// takes all documents without its field for equal. `refused` is what the server said.
std::optional<Error> index_in_the_way(CounterCollection& counters, const std::string& called,
                                      const std::optional<DriverError>& refused);

}  // namespace nextid::mongo
