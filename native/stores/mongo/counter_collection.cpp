#include "stores/mongo/counter_collection.h"

#include <mongoc/mongoc.h>

#include <memory>
#include <utility>

#include "stores/mongo/closed_periods.h"
#include "stores/mongo/kind_fields.h"

namespace nextid::mongo {
namespace {

using Effect = MongoErrors::Effect;

struct ServerError {
  int64_t code = 0;
  std::string message = "unknown error";
};

// The error that `reply` has at `path`, if it has one.
std::optional<ServerError> server_error(const bson_t* reply, const std::string& path) {
  if (!find_field(reply, path.c_str())) return std::nullopt;
  ServerError error;
  if (const auto code = find_field(reply, (path + ".code").c_str())) error.code = bson_iter_as_int64(&*code);
  if (auto message = find_text(reply, (path + ".errmsg").c_str())) error.message = *std::move(message);
  return error;
}

// The fields that counters of any kind have: others may keep large things beside them.
Document counter_fields() {
  Document fields;
  const auto add = [&fields](const char* name) { fields.number(name, 1); };
  for (const KindFields& kind : kKindFields) {
    for (const KindFields::Names& names : {kind.marks, kind.also, kind.options}) for_each_name(names, add);
  }
  add(kPrunedField);
  return fields;
}

struct DestroyCollection {
  void operator()(mongoc_collection_t* collection) const { mongoc_collection_destroy(collection); }
};
struct DestroyCursor {
  void operator()(mongoc_cursor_t* cursor) const { mongoc_cursor_destroy(cursor); }
};
struct DestroyReadPrefs {
  void operator()(mongoc_read_prefs_t* prefs) const { mongoc_read_prefs_destroy(prefs); }
};
using Collection = std::unique_ptr<mongoc_collection_t, DestroyCollection>;
using Cursor = std::unique_ptr<mongoc_cursor_t, DestroyCursor>;
using ReadPrefs = std::unique_ptr<mongoc_read_prefs_t, DestroyReadPrefs>;

Index read_index(const bson_t* description) {
  Index index;
  index.name = find_text(description, "name").value_or("");
  const auto is_true = [description](const char* field) {
    const auto value = find_field(description, field);
    return value && bson_iter_as_bool(&*value);
  };
  index.unique = is_true("unique");
  index.partial = find_field(description, "partialFilterExpression").has_value();
  int fields = 0;
  bool ascends = false;
  bson_iter_t key;
  if (const auto keys = find_field(description, "key"); keys && bson_iter_recurse(&*keys, &key)) {
    while (bson_iter_next(&key)) {
      index.fields += (fields++ == 0 ? "" : ", ") + std::string(bson_iter_key(&key));
      ascends = BSON_ITER_HOLDS_NUMBER(&key) && bson_iter_as_double(&key) == 1;
    }
  }
  index.on_prefix = ascends && index.fields == "prefix";
  return index;
}

}  // namespace

Result<std::optional<Document>> CounterCollection::find_and_modify(const Step& step) {
  Document command;
  command.text("findAndModify", name()).document("query", step.query);
  if (step.is_pipeline) {
    command.array("update", Array().document(step.change));
  } else {
    command.document("update", step.change);
  }
  command.flag("new", true).document("fields", counter_fields());

  Reply reply;
  run(command, reply);
  const auto value = find_field(reply.document.get(), "value");
  const bool found = value && BSON_ITER_HOLDS_DOCUMENT(&*value);
  if (reply.error) {
    if (reply.unconfirmed && found) reply.error->lost = step.lost;
    return *reply.error;
  }
  if (value && BSON_ITER_HOLDS_NULL(&*value)) return std::optional<Document>();
  if (!found) return errors().of_nonsense("findAndModify came back without a value");

  bson_t document;
  uint32_t length = 0;
  const uint8_t* data = nullptr;
  bson_iter_document(&*value, &length, &data);
  if (!bson_init_static(&document, data, length))
    return errors().of_nonsense("findAndModify's value is cut off");
  return std::optional<Document>(&document);
}

Result<Making> CounterCollection::make(const Document& query, const Document& fields) {
  Document update;
  update.document("q", query).document("u", Document().document("$setOnInsert", fields)).flag("upsert", true);
  Document command;
  command.text("update", name()).array("updates", Array().document(update));
  Reply reply;
  run(command, reply);
  if (reply.conflict) {
    const int64_t code = reply.error->driver->code;
    const bool duplicate = code == kDuplicateKey || code == kOldDuplicateKey;
    return Making{duplicate ? Making::Outcome::kDuplicate : Making::Outcome::kBusy, reply.error->driver};
  }
  const Result<int64_t> made = count_of(reply, "update");
  if (!made.ok()) return made.error();
  return Making{Making::Outcome::kDone, std::nullopt};
}

Result<bool> CounterCollection::update(const Document& query, const Document& change) {
  Document command;
  command.text("update", name())
      .array("updates", Array().document(Document().document("q", query).document("u", change)));
  Reply reply;
  run(command, reply);
  const Result<int64_t> matched = count_of(reply, "update");
  if (!matched.ok()) return matched.error();
  return matched.value() == 1;
}

Result<int64_t> CounterCollection::update_all(const Document& query, const Document& change) {
  Document update;
  update.document("q", query).document("u", change).flag("multi", true);
  Document command;
  command.text("update", name()).array("updates", Array().document(update));
  Reply reply;
  run(command, reply);
  return count_of(reply, "update");
}

Result<int64_t> CounterCollection::remove(const Document& query) {
  Document command;
  command.text("delete", name())
      .array("deletes", Array().document(Document().document("q", query).small_number("limit", 0)));
  Reply reply;
  run(command, reply);
  return count_of(reply, "delete");
}

Result<std::optional<Document>> CounterCollection::find(const Document& query) {
  std::optional<Document> found;
  Document options;
  options.document("projection", counter_fields()).number("limit", 1).flag("singleBatch", true);
  const auto keep = [&found](Document document) { found = std::move(document); };
  if (auto error = visit(query, options, keep)) return *error;
  return found;
}

std::optional<Error> CounterCollection::find_all(const Document& query, const Visitor& visitor) {
  Document options;
  options.document("projection", counter_fields());
  return visit(query, options, visitor);
}

Result<std::vector<Index>> CounterCollection::indexes() {
  const Collection collection(mongoc_client_get_collection(client_.get(), uri_.database(), name().c_str()));
  const int sent_before = client_.commands_sent();
  const Cursor cursor(mongoc_collection_find_indexes_with_opts(collection.get(), nullptr));
  std::vector<Index> indexes;
  const auto keep = [&indexes](const Document& description) {
    Index index = read_index(description.get());
    if (index.fields != "_id") indexes.push_back(std::move(index));
  };
  if (auto error = visit(cursor.get(), sent_before, keep)) return *error;
  return indexes;
}

std::optional<Error> CounterCollection::make_prefix_index() {
  Document index;
  index.document("key", Document().small_number("prefix", 1)).text("name", "prefix_1").flag("unique", true);
  Document command;
  command.text("createIndexes", name()).array("indexes", Array().document(index));
  Reply reply;
  run(command, reply);
  return reply.error;
}

Result<int64_t> CounterCollection::server_time() {
  const ReadPrefs primary(mongoc_read_prefs_new(MONGOC_READ_PRIMARY));
  const int sent_before = client_.commands_sent();
  Document reply;
  bson_error_t error{};
  if (!mongoc_client_command_simple(client_.get(), uri_.database(), Document().number("hello", 1).get(),
                                    primary.get(), reply.overwrite(), &error)) {
    return errors().of_driver(error, log_.last_error(), client_.commands_sent() - sent_before,
                              Effect::kReads);
  }
  const auto time = find_field(reply.get(), "localTime");
  if (!time || !BSON_ITER_HOLDS_DATE_TIME(&*time))
    return errors().of_nonsense("hello came back without a time");
  return bson_iter_date_time(&*time) * 1000;
}

// Runs a command that writes. It is repeated by the driver if it is a findAndModify and never otherwise:
// given as commands, the others are not among the retryable writes.
void CounterCollection::run(const Document& command, Reply& reply) {
  const int sent_before = client_.commands_sent();
  bson_error_t error{};
  const bool done = mongoc_client_write_command_with_opts(client_.get(), uri_.database(), command.get(),
                                                          nullptr, reply.document.overwrite(), &error);
  const int times_sent = client_.commands_sent() - sent_before;
  const bson_t* answer = reply.document.get();

  if (!done && error.domain != MONGOC_ERROR_WRITE_CONCERN) {
    reply.conflict = error.domain == MONGOC_ERROR_SERVER && is_conflict(error.code, error.message);
    reply.error = errors().of_driver(error, log_.last_error(), times_sent, Effect::kWrites);
  } else if (!bson_validate(answer, BSON_VALIDATE_NONE, nullptr)) {
    reply.error = errors().of_nonsense("the reply is no whole document");
  } else if (const auto unconfirmed = server_error(answer, "writeConcernError")) {
    reply.unconfirmed = true;
    reply.error = errors().of_write_concern(unconfirmed->code, unconfirmed->message);
  } else if (const auto refused = server_error(answer, "writeErrors.0")) {
    reply.conflict = is_conflict(refused->code, refused->message);
    reply.error = errors().of_server(refused->code, refused->message, times_sent, Effect::kWrites);
  } else if (!done) {
    reply.error = errors().of_driver(error, log_.last_error(), times_sent, Effect::kWrites);
  }
}

// How many documents an update or delete found, or made.
Result<int64_t> CounterCollection::count_of(const Reply& reply, const char* command) {
  if (reply.error) return *reply.error;
  const auto count = find_field(reply.document.get(), "n");
  if (!count || !BSON_ITER_HOLDS_NUMBER(&*count))
    return errors().of_nonsense(std::string(command) + " came back without a count");
  return bson_iter_as_int64(&*count);
}

std::optional<Error> CounterCollection::visit(const Document& query, const Document& options,
                                              const Visitor& visitor) {
  const Collection collection(mongoc_client_get_collection(client_.get(), uri_.database(), name().c_str()));
  // Whatever the URL says: a member that lags behind would show counters that are rewound.
  const ReadPrefs primary(mongoc_read_prefs_new(MONGOC_READ_PRIMARY));
  const int sent_before = client_.commands_sent();
  const Cursor cursor(
      mongoc_collection_find_with_opts(collection.get(), query.get(), options.get(), primary.get()));
  return visit(cursor.get(), sent_before, visitor);
}

std::optional<Error> CounterCollection::visit(mongoc_cursor_t* cursor, int sent_before,
                                              const Visitor& visitor) {
  const bson_t* document = nullptr;
  while (mongoc_cursor_next(cursor, &document)) visitor(Document(document));
  bson_error_t error{};
  if (!mongoc_cursor_error(cursor, &error)) return std::nullopt;
  client_.hang_up();  // else the cursor would say good-bye to a server that may be gone
  return errors().of_driver(error, log_.last_error(), client_.commands_sent() - sent_before, Effect::kReads);
}

}  // namespace nextid::mongo
