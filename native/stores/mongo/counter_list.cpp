#include "stores/mongo/counter_list.h"

#include <utility>

#include "stores/mongo/closed_periods.h"
#include "stores/mongo/counter_classes.h"

namespace nextid::mongo {
namespace {

// Whether a document whose _id is a name is a counter of this kind, be it a damaged one. One that has no
// field of any kind is a plain counter that lost its own.
bool holds(const bson_t* document, const CounterKind& kind) {
  if (holds_any(document, fields_of(kind).marks)) return true;
  return std::holds_alternative<Plain>(kind) && !holds_other_kind(document, kind) &&
         !bson_has_field(document, kPrunedField);
}

template <typename Kind>
std::optional<CounterKey> key_of(const Kind& kind, const std::optional<std::string>& id,
                                 const bson_t* document) {
  if (!id || !holds(document, kind)) return std::nullopt;
  return CounterKey{.name = *id, .kind = kind};
}

std::optional<CounterKey> key_of(const Dated&, const std::optional<std::string>& id, const bson_t* document) {
  const CounterValue prefix = read_value(document, {"prefix"});
  if (bson_has_field(document, "making") || !prefix.fine() || !names_a_period(prefix.number())) {
    return std::nullopt;
  }
  const Dated kind{prefix.number()};
  if (!bson_has_field(document, "name")) {
    return bson_has_field(document, "count") ? std::optional(CounterKey{.name = "", .kind = kind})
                                             : std::nullopt;
  }
  const auto name = find_text(document, "name");
  if (!name || name->empty() || id != id_of_dated(*name, kind.prefix)) return std::nullopt;
  return CounterKey{.name = *name, .kind = kind};
}

// What finds the documents of counters with these fields.
void append_queries(const KindFields& kind, Array& any) {
  const auto add = [&any](const char* field) {
    Document query;
    query.document(field, Document().flag("$exists", true));
    any.document(query);
  };
  for_each_name(kind.marks, add);
}

}  // namespace

std::optional<Error> list_counters(CounterCollection& counters, CollectionUse use,
                                   std::vector<CounterInfo>& list) {
  const auto add = [&](const Document& visited) {
    const bson_t* document = visited.get();
    const std::optional<std::string> id = find_text(document, "_id");
    for_each_kind([&](const auto& kind) {
      if (!(fields_of(kind).in_ids ? use.ids : use.others)) return;
      std::optional<CounterKey> key = key_of(kind, id, document);
      if (!key) return;
      CounterInfo info{.key = *std::move(key), .next = {}, .problem = {}};
      show(CounterClass<std::decay_t<decltype(kind)>>::state_of(document), info);
      list.push_back(std::move(info));
    });
  };
  Array any;
  // Plain counters may have lost their field.
  if (use.ids) any.document(Document().document("_id", Document().text("$type", "string")));
  for (const KindFields& kind : kKindFields) {
    if (kind.in_ids ? use.ids && !kind.by_name : use.others) append_queries(kind, any);
  }
  return counters.find_all(Document().array("$or", any), add);
}

}  // namespace nextid::mongo
