#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/store.h"
#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid {

// An error that lasts until somebody mends something.
Error refusal(ErrorCode code, std::string message);

// A text as the MongoDB shell takes it.
std::string shell_text(const std::string& text);

// The shell's command `updateOne({query}, {$set: {set}})` on the collection; `upsert` makes the document too.
std::string shell_update(const CounterCollection& counters, const std::string& query, const std::string& set,
                         bool upsert = false);

// A counter that holds `value`, which is not fine. `remedy`: `With N …, run in the MongoDB shell: …`.
Error damaged(const Counter& counter, const CounterValue& value, const std::string& remedy);

// The document where a counter would be belongs to others and has no room for it.
Error taken(const Counter& counter, const bson_t* document);

// A counter that is not there, though this process was given numbers of it (`given`). `remedy`: a command.
Error missing(const Counter& counter, const std::string& given, const std::string& remedy);

// What a request minds of a counter whose next number is `next`: that it is below the floor, at the limit or
// beyond, or has too few numbers left.
std::optional<Error> misfit(const Counter& counter, const ReserveRequest& request, int64_t next,
                            const std::string& remedy);

}  // namespace nextid
