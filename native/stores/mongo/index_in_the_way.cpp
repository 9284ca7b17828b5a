#include "stores/mongo/index_in_the_way.h"

#include "stores/mongo/documents.h"

namespace nextid::mongo {

std::optional<Error> index_in_the_way(CounterCollection& counters, const std::string& called,
                                      const std::optional<DriverError>& refused) {
  const Result<std::vector<Index>> indexes = counters.indexes();
  if (!indexes.ok()) return indexes.error();
  std::string fields, cure;
  for (const Index& index : indexes.value()) {
    if (!index.unique) continue;
    fields += (fields.empty() ? "" : "; ") + index.fields;
    if (index.on_prefix) {
      cure = "; or, if no dated sequence without a name is used here, drop it: db.getCollection(" +
             shell_text(counters.name()) + ").dropIndex(" + shell_text(index.name) + ")";
    }
  }
  if (fields.empty()) return std::nullopt;
  Error error = refusal(ErrorCode::kStoreInvalid,
                        called + " cannot be made: a unique index of the collection (on " + fields +
                            ") stands in its way, which takes documents without that field for equal. Use "
                            "another collection (?collection=NAME in the URL) for named sequences" +
                            cure);
  error.driver = refused;
  return error;
}

}  // namespace nextid::mongo
