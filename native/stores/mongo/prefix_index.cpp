#include "stores/mongo/prefix_index.h"

#include "stores/mongo/documents.h"

namespace nextid::mongo {
namespace {

constexpr const char* kNeeded = "dated sequences without a name need a unique index on prefix";

// Where several make it at once, one succeeds, and the others see it when they look again.
constexpr int kMostTries = 3;

// What a server says that could not make the index because of the documents that are there.
bool blames_documents(const DriverError& error) {
  // FerretDB passes on what PostgreSQL says, as an internal error.
  return error.code == kDuplicateKey || error.code == kOldDuplicateKey ||
         error.message.find("could not create exclusion constraint") != std::string::npos ||
         error.message.find("could not create unique index") != std::string::npos;
}

Error unfit(const CounterCollection& counters, const Index& index) {
  return refusal(ErrorCode::kStoreInvalid,
                 "the index '" + index.name + "' on prefix " + counters.where() +
                     (index.unique ? " leaves documents out by a filter" : " is not unique") + ", and " +
                     kNeeded + ". Remove it, and a unique one is made in its place: db.getCollection(" +
                     shell_text(counters.name()) + ").dropIndex(" + shell_text(index.name) + ")");
}

Error hindered(const CounterCollection& counters, const std::string& by) {
  return refusal(ErrorCode::kStoreInvalid,
                 by + " " + counters.where() + ", and " + kNeeded +
                     ". Keep these sequences in a collection of their own (?collection=NAME in the URL), or "
                     "give the sequence a name");
}

// The index would be made where there is one counter with a name, and refuse the next one. Not the marks of
// what was pruned, which have a prefix: see closed_periods.h.
Result<bool> has_counters_with_names(CounterCollection& counters) {
  Document query;
  query.array("$or", Array()
                         .document(Document().document("prefix", Document().flag("$exists", false)))
                         .document(Document().document("name", Document().flag("$exists", true))));
  const Result<std::optional<Document>> found = counters.find(query);
  if (!found.ok()) return found.error();
  return found.value().has_value();
}

}  // namespace

std::optional<Error> ensure_prefix_index(CounterCollection& counters) {
  std::optional<Error> error;
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    const Result<std::vector<Index>> indexes = counters.indexes();
    if (!indexes.ok()) return indexes.error();
    const Index* found = nullptr;
    for (const Index& index : indexes.value()) {
      if (!index.on_prefix) continue;
      if (index.unique && !index.partial) return std::nullopt;
      found = &index;
    }
    if (found != nullptr) return unfit(counters, *found);

    const Result<bool> has_names = has_counters_with_names(counters);
    if (!has_names.ok()) return has_names.error();
    if (has_names.value()) return hindered(counters, "there are counters with names");

    error = counters.make_prefix_index();
    if (!error || !error->driver) return error;
    if (blames_documents(*error->driver)) {
      Error why = hindered(counters, "there are documents of the same prefix");
      why.driver = error->driver;
      return why;
    }
    if (!is_conflict(error->driver->code, error->driver->message)) return error;
  }
  return error;
}

}  // namespace nextid::mongo
