#pragma once

#include <sqlite3.h>

#include <string>

#include "core/counter_value.h"

namespace nextid::sqlite {

// What stands in a column of `row`, where something is expected.
CounterValue read_value(sqlite3_stmt* row, int column, const CounterValue::Expected& expected);

std::string read_text(sqlite3_stmt* row, int column);

// `text` as it is written in SQL.
std::string sql_text(const std::string& text);

}  // namespace nextid::sqlite
