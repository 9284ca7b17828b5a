#include "stores/mongo/closed_periods.h"

#include "stores/mongo/counter_value.h"
#include "stores/mongo/documents.h"
#include "stores/mongo/index_in_the_way.h"

namespace nextid::mongo {
namespace {

constexpr int kMostRounds = 20;

std::string id_of_marks(const std::string& name) { return name + ":pruned"; }

std::string called(const CounterCollection& counters, const std::string& name) {
  return "the document '" + id_of_marks(name) + "' " + counters.where() + ", which says what was pruned";
}

Document find_marks(const std::string& name) {
  Document query;
  query.text("_id", id_of_marks(name));
  return query;
}

// Makes the document of the marks, with no mark in it.
Result<Making> make_marks(CounterCollection& counters, const std::string& name) {
  Document fields;
  if (name.empty()) {
    fields.text("prefix", "pruned");
  } else {
    fields.text("name", name);
  }
  return counters.make(find_marks(name), fields);
}

}  // namespace

bool holds_marks(const bson_t* document) {
  const auto name = find_text(document, "name");
  return name && find_text(document, "_id") == id_of_marks(*name);
}

Result<int64_t> last_closed(CounterCollection& counters, const std::string& name, int64_t prefix) {
  const Result<std::optional<Document>> found = counters.find(find_marks(name));
  if (!found.ok()) return found.error();
  if (!found.value()) return int64_t{0};
  const bson_t* document = found.value()->get();
  const auto marks = find_field(document, kPrunedField);
  if (!marks) return int64_t{0};
  const std::string period = period_of(prefix);
  const std::string path = kPrunedField + ("." + period);
  const bool has_marks = BSON_ITER_HOLDS_DOCUMENT(&*marks);
  if (has_marks && !find_field(document, path.c_str())) return int64_t{0};
  const CounterValue mark = read_value(document, {path.c_str(), kSmallestPrefix, kLargestPrefix});
  if (mark.fine()) return mark.number();
  // Only what is not a mark may be replaced: a lower one would open periods again.
  const std::string no_mark = has_marks ? "'" + path + "': {$not: {$gte: " + std::to_string(kSmallestPrefix) +
                                              ", $lte: " + std::to_string(kLargestPrefix) + "}}"
                                        : "pruned: {$not: {$type: 'object'}}";
  return counter_errors::mark_damaged(
      name, prefix, place_of(counters), mark,
      "in the MongoDB shell: db.getCollection(" + shell_text(counters.name()) +
          ").updateOne({_id: " + shell_text(id_of_marks(name)) + ", " + no_mark + "}, {$set: {" +
          (has_marks ? "'" + path + "': P" : "pruned: {" + period + ": P}") + "}})");
}

std::optional<Error> close_periods(CounterCollection& counters, const std::string& name, int64_t prefix) {
  if (const Result<int64_t> mark = last_closed(counters, name, prefix); !mark.ok()) return mark.error();
  const std::string path = std::string("pruned.") + period_of(prefix);
  Document raise;
  raise.document("$max", Document().number(path.c_str(), prefix));
  for (int round = 0; round < kMostRounds; ++round) {
    const Result<bool> raised = counters.update(find_marks(name), raise);
    if (!raised.ok()) return raised.error();
    if (raised.value()) return std::nullopt;
    const Result<Making> made = make_marks(counters, name);
    if (!made.ok()) return made.error();
    if (made.value().outcome == Making::Outcome::kDuplicate && round > 0) {
      if (auto error = index_in_the_way(counters, called(counters, name), made.value().refusal)) return error;
    }
  }
  return Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
               called(counters, name) + ", cannot be made just now; nothing was removed, try again",
               std::nullopt, 0};
}

}  // namespace nextid::mongo
