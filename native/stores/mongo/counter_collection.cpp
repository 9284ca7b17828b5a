#include "stores/mongo/counter_collection.h"

#include <mongoc/mongoc.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace nextid {
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
  const auto message = find_field(reply, (path + ".errmsg").c_str());
  if (message && BSON_ITER_HOLDS_UTF8(&*message)) error.message = bson_iter_utf8(&*message, nullptr);
  return error;
}

// A step's operator, with an int64, so that the counter becomes or stays one.
Document& append_change(Document& command, const Step& step) {
  const char* op = step.kind == Step::Kind::kAdd       ? "$inc"
                   : step.kind == Step::Kind::kRaiseTo ? "$max"
                                                       : "$set";
  return command.document("update", Document().document(op, Document().number("index", step.operand)));
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

}  // namespace

int64_t Step::from(int64_t counter) const {
  switch (kind) {
    case Kind::kAdd:
      return counter + operand;
    case Kind::kRaiseTo:
      return std::max(counter, operand);
    case Kind::kSetTo:
      break;
  }
  return operand;
}

bool Step::leads_to(int64_t counter, const Fit& fit) const {
  switch (kind) {
    case Kind::kAdd:
      return counter - operand >= fit.least && counter - operand <= fit.most;
    case Kind::kRaiseTo:
      return counter >= operand;
    case Kind::kSetTo:
      break;
  }
  return counter == operand;
}

Result<std::optional<int64_t>> CounterCollection::step(const std::string& name, const Fit& fit,
                                                       const Step& step) {
  Document fits;
  fits.number("$gte", fit.least).number("$lte", fit.most);
  if (fit.type == Fit::Type::kInteger) {
    fits.array_of("$type", {"int", "long"});
  } else {
    fits.text("$type", "double");
  }
  fits.document("$not", Document().text("$type", "array"));  // the others look into arrays
  Document command;
  command.text("findAndModify", collection_)
      .document("query", Document().text("_id", name).document("index", fits));
  append_change(command, step)
      .flag("new", true)
      .document("fields", Document().number("index", 1).number("_id", 0));

  Outcome outcome;
  run(command, outcome);
  const bson_t* reply = outcome.reply.get();
  const auto value = find_field(reply, "value");
  const bool found = value && BSON_ITER_HOLDS_DOCUMENT(&*value);
  if (outcome.error) {
    if (outcome.unconfirmed && found) outcome.error->lost = step.lost;
    return *outcome.error;
  }
  if (value && BSON_ITER_HOLDS_NULL(&*value)) return std::optional<int64_t>();
  if (!found) return errors_.of_nonsense("findAndModify came back without a value");

  bson_t document;
  uint32_t length = 0;
  const uint8_t* data = nullptr;
  bson_iter_document(&*value, &length, &data);
  if (!bson_init_static(&document, data, length))
    return errors_.of_nonsense("findAndModify's value is cut off");
  const CounterValue counter = read_counter_value(&document);
  if (!counter.problem().empty() || !step.leads_to(counter.number, fit)) {
    Error error = errors_.of_nonsense("findAndModify says that index is now " + counter.text);
    error.lost = step.lost;
    return error;
  }
  return std::optional(counter.number);
}

std::optional<Error> CounterCollection::make(const std::string& name, int64_t start) {
  Document change;
  change.document("$setOnInsert", Document().number("index", start));
  bool conflict = false;
  const Result<int64_t> matched = run_update(Document().text("_id", name), change, true, conflict);
  if (conflict || matched.ok()) return std::nullopt;
  return matched.error();
}

Result<bool> CounterCollection::compare_and_set(const std::string& name, int64_t from, int64_t to) {
  Document change;
  change.document("$set", Document().number("index", to));
  bool conflict = false;
  const Result<int64_t> matched =
      run_update(Document().text("_id", name).number("index", from), change, false, conflict);
  if (!matched.ok()) return matched.error();
  return matched.value() == 1;
}

Result<std::optional<CounterValue>> CounterCollection::read(const std::string& name) {
  std::optional<CounterValue> value;
  const auto keep = [&value](const bson_t* document) { value = read_counter_value(document); };
  if (auto error = find(Document().text("_id", name), true, keep)) return *error;
  return value;
}

Result<std::vector<CounterInfo>> CounterCollection::list() {
  std::vector<CounterInfo> counters;
  const auto keep = [&counters](const bson_t* document) {
    const auto id = find_field(document, "_id");
    if (!id || !BSON_ITER_HOLDS_UTF8(&*id) || find_field(document, "count")) return;
    uint32_t length = 0;
    const char* name = bson_iter_utf8(&*id, &length);
    const CounterValue value = read_counter_value(document);
    CounterInfo& counter = counters.emplace_back();
    counter.name.assign(name, length);
    counter.problem = value.problem();
    if (counter.problem.empty()) counter.next = value.number;
  };
  Document named;
  named.document("_id", Document().text("$type", "string"));
  if (auto error = find(named, false, keep)) return *error;
  std::sort(counters.begin(), counters.end(),
            [](const CounterInfo& a, const CounterInfo& b) { return a.name < b.name; });
  return counters;
}

// Runs a command that writes. It is repeated by the driver if it is a findAndModify and never if it is an
// update: given as a command, that one is not among the retryable writes.
void CounterCollection::run(const Document& command, Outcome& outcome) {
  const int sent_before = client_.commands_sent();
  bson_error_t error{};
  const bool done = mongoc_client_write_command_with_opts(client_.get(), uri_.database(), command.get(),
                                                          nullptr, outcome.reply.overwrite(), &error);
  const int times_sent = client_.commands_sent() - sent_before;
  const bson_t* reply = outcome.reply.get();

  if (!done && error.domain != MONGOC_ERROR_WRITE_CONCERN) {
    outcome.conflict = error.domain == MONGOC_ERROR_SERVER && is_conflict(error.code, error.message);
    outcome.error = errors_.of_driver(error, log_.last_error(), times_sent, Effect::kWrites);
  } else if (!bson_validate(reply, BSON_VALIDATE_NONE, nullptr)) {
    outcome.error = errors_.of_nonsense("the reply is no whole document");
  } else if (const auto unconfirmed = server_error(reply, "writeConcernError")) {
    outcome.unconfirmed = true;
    outcome.error = errors_.of_write_concern(unconfirmed->code, unconfirmed->message);
  } else if (const auto refused = server_error(reply, "writeErrors.0")) {
    outcome.conflict = is_conflict(refused->code, refused->message);
    outcome.error = errors_.of_server(refused->code, refused->message, times_sent, Effect::kWrites);
  } else if (!done) {
    outcome.error = errors_.of_driver(error, log_.last_error(), times_sent, Effect::kWrites);
  }
}

// How many documents `query` matched or, with `upsert`, made.
Result<int64_t> CounterCollection::run_update(const Document& query, const Document& change, bool upsert,
                                              bool& conflict) {
  Document update;
  update.document("q", query).document("u", change).flag("upsert", upsert);
  Document command;
  command.text("update", collection_).array_of("updates", update);
  Outcome outcome;
  run(command, outcome);
  conflict = outcome.conflict;
  if (outcome.error) return *outcome.error;
  const auto matched = find_field(outcome.reply.get(), "n");
  if (!matched || !BSON_ITER_HOLDS_NUMBER(&*matched))
    return errors_.of_nonsense("update came back without a count");
  return bson_iter_as_int64(&*matched);
}

// Calls `visitor` with `_id`, `index` and `count` of each document, or of the one document, that `filter`
// matches.
template <typename Visitor>
std::optional<Error> CounterCollection::find(const Document& filter, bool one, Visitor visitor) {
  const std::unique_ptr<mongoc_collection_t, DestroyCollection> collection(
      mongoc_client_get_collection(client_.get(), uri_.database(), collection_.c_str()));
  // Whatever the URL says: a member that lags behind would show counters that are rewound.
  const std::unique_ptr<mongoc_read_prefs_t, DestroyReadPrefs> primary(
      mongoc_read_prefs_new(MONGOC_READ_PRIMARY));
  Document options;
  options.document("projection", Document().number("index", 1).number("count", 1));
  if (one) options.number("limit", 1).flag("singleBatch", true);

  const int sent_before = client_.commands_sent();
  const std::unique_ptr<mongoc_cursor_t, DestroyCursor> cursor(
      mongoc_collection_find_with_opts(collection.get(), filter.get(), options.get(), primary.get()));
  const bson_t* document = nullptr;
  while (mongoc_cursor_next(cursor.get(), &document)) visitor(document);
  bson_error_t error{};
  if (!mongoc_cursor_error(cursor.get(), &error)) return std::nullopt;
  client_.hang_up();  // else the cursor would say good-bye to a server that may be gone
  return errors_.of_driver(error, log_.last_error(), client_.commands_sent() - sent_before, Effect::kReads);
}

}  // namespace nextid
