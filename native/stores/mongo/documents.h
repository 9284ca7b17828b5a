#pragma once

#include <string>

#include "core/counter_errors.h"
#include "stores/mongo/counter_collection.h"

// What the kinds of counters have in common in how documents hold them.
namespace nextid::mongo {

// The words of core's errors for a collection.
Place place_of(const CounterCollection& counters);

// A text as the MongoDB shell takes it.
std::string shell_text(const std::string& text);

// The _id of a dated counter that has a name.
std::string id_of_dated(const std::string& name, int64_t prefix);

// Whether it holds a dated counter that has a name, or one half made: its _id is made of its name and prefix.
bool holds_named_dated(const bson_t* document);

// Whether a document may hold counters beside what it holds. Documents of other programs are left alone, and
// so are those of dated counters without a name: other programs remove old ones, and would remove any other
// counter in them.
bool may_be_shared(const bson_t* document);

// The document where a counter would be belongs to others and has no room for it.
Error taken(const CounterKey& key, const CounterCollection& counters, const bson_t* document);

// Makes a document `{_id: id, …fields}`, or adds the fields where the document is there and has none of them.
Result<Making> make_by_id(CounterCollection& counters, const std::string& id, const Document& fields,
                          bool is_there);

// Sets `fields` of the document that `identity` finds and that was `seen`, unless one of them has changed
// since; the next look will tell.
std::optional<Error> replace_damaged(CounterCollection& counters, Document identity, const bson_t* seen,
                                     const Document& fields);

}  // namespace nextid::mongo
