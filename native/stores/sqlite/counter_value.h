#pragma once

#include <sqlite3.h>

#include <string>

#include "core/counter_value.h"

namespace nextid::sqlite {

// Reads the value in a column of `row`, where `expected` should be.
CounterValue read_value(sqlite3_stmt* row, int column, const CounterValue::Expected& expected);

std::string read_text(sqlite3_stmt* row, int column);

// `text` as an SQL expression, on one line.
std::string sql_text(const std::string& text);

}  // namespace nextid::sqlite
