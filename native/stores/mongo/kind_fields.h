#pragma once

#include <array>
#include <cstddef>

#include "core/counter_key.h"
#include "stores/mongo/bson_document.h"

namespace nextid::mongo {

// Which fields of a document belong to counters of which kind. Counters of one name share a document where
// they share a collection, because each kind has fields of its own.
struct KindFields {
  using Names = std::array<const char*, 4>;  // null: no more names

  Names marks;      // any of them shows that the document holds such a counter, be it a damaged one
  Names also{};     // no other kind has these either
  Names options{};  // nor these; but other programs may
  bool in_ids;      // in the collection of plain and dated counters, not in that of the others
  bool by_name;     // the document's _id is the name of the counter
};

// In the order of CounterKind.
constexpr std::array<KindFields, std::variant_size_v<CounterKind>> kKindFields = {{
    {.marks = {"index"}, .also = {"indexReturned", "indexAdvanced"}, .in_ids = true, .by_name = true},
    {.marks = {"count", "prefix"},
     .also = {"name", "making", "countReturned", "countAdvanced"},
     .in_ids = true,
     .by_name = false},
    {.marks = {"val", "maxval"}, .in_ids = false, .by_name = true},
    {.marks = {"slot"}, .also = {"digits"}, .options = {"timeZone"}, .in_ids = false, .by_name = true},
}};

inline const KindFields& fields_of(const CounterKind& kind) { return kKindFields[kind.index()]; }

template <typename Visit>
void for_each_name(const KindFields::Names& names, const Visit& visit) {
  for (const char* name : names) {
    if (name != nullptr) visit(name);
  }
}

inline bool holds_any(const bson_t* document, const KindFields::Names& names) {
  bool holds = false;
  for_each_name(names, [&](const char* name) { holds = holds || bson_has_field(document, name); });
  return holds;
}

// Whether the document holds a mark of a kind other than `kind`.
inline bool holds_other_kind(const bson_t* document, const CounterKind& kind) {
  for (const KindFields& other : kKindFields) {
    if (&other != &fields_of(kind) && holds_any(document, other.marks)) return true;
  }
  return false;
}

}  // namespace nextid::mongo
