#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/store.h"
#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {

// An error that lasts until somebody mends something.
Error refusal(ErrorCode code, std::string message);

// A text as the MongoDB shell takes it.
std::string shell_text(const std::string& text);

// A counter that holds `value`, which is not fine.
Error damaged(const Counter& counter, const CounterValue& value);

// A counter with this `problem`: `holds …, where … was expected`; `is_there`: in a field that it has.
Error damaged(const Counter& counter, const std::string& problem, bool is_there);

// The document where a counter would be belongs to others and has no room for it.
Error taken(const Counter& counter, const bson_t* document);

// A counter that is not there, though this process was given numbers of it (`given`), below `floor`.
Error missing(const Counter& counter, const std::string& given, std::optional<int64_t> floor);

// What a request minds of a counter whose next number is `next`: that it is below the floor, at the limit or
// beyond, or has too few numbers left.
std::optional<Error> misfit(const Counter& counter, const ReserveRequest& request, int64_t next);

}  // namespace nextid::mongo
