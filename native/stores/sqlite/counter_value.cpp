#include "stores/sqlite/counter_value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

#include "core/quoting.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {
namespace {

constexpr double kTwoTo53 = 9007199254740992.0;  // from here on not every whole number is a double

// At most about 40 bytes of `text`, not cut within a UTF-8 character.
std::string shortened(std::string text) {
  constexpr size_t kMost = 40;
  if (text.size() <= kMost) return text;
  size_t length = kMost;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return text.substr(0, length) + "…";
}

std::string shortest(double value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

// What stands in the column, in words.
std::string found(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return "the number " + std::to_string(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
      return "the floating-point number " + shortest(sqlite3_column_double(row, column));
    case SQLITE_TEXT:
      return "the text '" + shortened(read_text(row, column)) + "'";
    case SQLITE_BLOB:
      return "a blob of " + std::to_string(sqlite3_column_bytes(row, column)) + " bytes";
    default:
      return "NULL";
  }
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

}  // namespace

Result<int64_t> read_number(sqlite3_stmt* row, int column, const Expected& expected) {
  const int type = sqlite3_column_type(row, column);
  const double real = type == SQLITE_FLOAT ? sqlite3_column_double(row, column) : 0;
  const bool inexact = is_whole(real) && real >= kTwoTo53;
  if (type == SQLITE_INTEGER || (type == SQLITE_FLOAT && is_whole(real) && std::abs(real) < kTwoTo53)) {
    const int64_t value = sqlite3_column_int64(row, column);
    if (value >= expected.least && value <= expected.most) return value;
  }
  return refusal(inexact ? ErrorCode::kIdOverflow : ErrorCode::kCounterInvalid,
                 "holds " + found(row, column) + (inexact ? " (not exact from 2^53 on)" : "") + expected.as +
                     ", where an integer from " + std::to_string(expected.least) + " to " +
                     std::to_string(expected.most) + " was expected");
}

Result<int64_t> read_number_or(sqlite3_stmt* row, int column, const Expected& expected,
                               std::optional<int64_t> instead, int64_t most) {
  Result<int64_t> value = read_number(row, column, expected);
  if (value.ok() || !instead) return value;
  const int type = sqlite3_column_type(row, column);
  const double number =
      type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(row, column) : -1;
  const bool is_larger = number >= static_cast<double>(*instead) && number <= static_cast<double>(most);
  return is_larger ? value : Result<int64_t>(*instead);
}

std::string read_text(sqlite3_stmt* row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  if (!text) return {};
  return std::string(text, static_cast<size_t>(sqlite3_column_bytes(row, column)));
}

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (std::string_view rest = text; !rest.empty();) {
    const Character character = first_character(rest);
    rest.remove_prefix(character.bytes.size());
    if (is_hidden(character.code)) {
      quoted += "'||char(" + std::to_string(character.code) + ")||'";
    } else {
      quoted += character.bytes;
      if (character.code == '\'') quoted += '\'';
    }
  }
  quoted += "'";
  return has_hidden(text) ? "(" + quoted + ")" : quoted;
}

}  // namespace nextid::sqlite
