#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"

namespace nextid::sqlite {

// What a column of a counter should hold: a whole number from `least` to `most`.
struct Expected {
  const char* as = "";  // as what the counter holds it, for messages: " as its maxval"
  int64_t least = 0;
  int64_t most = INT64_MAX;
};

// The number in a column of `row`. A whole floating-point number below 2^53 is read as the integer it is; one
// above is kIdOverflow; anything else that is not as expected is kCounterInvalid. The error's message is the
// end of a sentence that begins with the counter: "holds the text 'two', where …".
Result<int64_t> read_number(sqlite3_stmt* row, int column, const Expected& expected = {});

// The same, but a value that is not as expected counts as `instead`, if that is given, unless it is a larger
// number up to `most`.
Result<int64_t> read_number_or(sqlite3_stmt* row, int column, const Expected& expected,
                               std::optional<int64_t> instead, int64_t most = INT64_MAX);

std::string read_text(sqlite3_stmt* row, int column);

// `text` as it is written in SQL.
std::string sql_text(const std::string& text);

}  // namespace nextid::sqlite
