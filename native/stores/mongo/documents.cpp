#include "stores/mongo/documents.h"

#include "stores/mongo/closed_periods.h"
#include "stores/mongo/counter_value.h"
#include "stores/mongo/kind_fields.h"

namespace nextid::mongo {
namespace {

template <typename Visit>
void for_each_field(const Document& document, const Visit& visit) {
  bson_iter_t field;
  bson_iter_init(&field, document.get());
  while (bson_iter_next(&field)) visit(bson_iter_key(&field));
}

}  // namespace

Place place_of(const CounterCollection& counters) {
  return {counters.where(),
          "; or if the document belongs to another program, keep the counters in a collection of their own "
          "(?collection=NAME in the URL)"};
}

std::string shell_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string id_of_dated(const std::string& name, int64_t prefix) {
  return name + ":" + std::to_string(prefix);
}

bool holds_named_dated(const bson_t* document) {
  const auto name = find_text(document, "name");
  const CounterValue prefix = read_value(document, {"prefix"});
  return name && prefix.fine() && find_text(document, "_id") == id_of_dated(*name, prefix.number());
}

bool may_be_shared(const bson_t* document) {
  for (const KindFields& kind : kKindFields) {
    if (kind.by_name && holds_any(document, kind.marks)) return true;
  }
  return holds_named_dated(document) || holds_marks(document);
}

Error taken(const CounterKey& key, const CounterCollection& counters, const bson_t* document) {
  return refusal(ErrorCode::kCounterInvalid,
                 "the document " + shell_text(find_text(document, "_id").value_or("")) + " " +
                     counters.where() + " belongs to another program or sequence: it has no field " +
                     fields_of(key.kind).marks[0] + " of " + describe(key) +
                     "; it was left as it is. Keep the counters in a collection of their own "
                     "(?collection=NAME in the URL), or use another name. If it is a counter that lost its "
                     "fields, restore them");
}

Result<Making> make_by_id(CounterCollection& counters, const std::string& id, const Document& fields,
                          bool is_there) {
  Document named;
  named.text("_id", id);
  if (!is_there) return counters.make(named, fields);
  for_each_field(fields, [&](const char* name) { named.document(name, Document().flag("$exists", false)); });
  const Result<bool> added = counters.update(named, Document().document("$set", fields));
  if (!added.ok()) return added.error();
  return Making{Making::Outcome::kDone, std::nullopt};
}

std::optional<Error> replace_damaged(CounterCollection& counters, Document identity, const bson_t* seen,
                                     const Document& fields) {
  for_each_field(fields, [&](const char* name) {
    const auto value = find_field(seen, name);
    Document as_seen;
    as_seen.flag("$exists", value.has_value());
    if (value) bson_append_iter(as_seen.get(), "$eq", -1, &*value);
    identity.document(name, as_seen);
  });
  const Result<bool> replaced = counters.update(identity, Document().document("$set", fields));
  if (!replaced.ok()) return replaced.error();
  return std::nullopt;
}

}  // namespace nextid::mongo
