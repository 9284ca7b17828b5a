#include "stores/sqlite/counter_value.h"

#include <cstddef>
#include <string_view>

#include "core/quoting.h"

namespace nextid::sqlite {

CounterValue read_value(sqlite3_stmt* row, int column, const CounterValue::Expected& expected) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
      return CounterValue::integer(expected, sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
      return CounterValue::real(expected, sqlite3_column_double(row, column));
    case SQLITE_TEXT:
      return CounterValue::text(expected, read_text(row, column));
    case SQLITE_BLOB:
      return CounterValue::other(expected,
                                 "a blob of " + std::to_string(sqlite3_column_bytes(row, column)) + " bytes");
    default:
      return CounterValue::other(expected, "NULL");
  }
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
