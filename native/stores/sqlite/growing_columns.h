#pragma once

#include <sqlite3.h>

#include <string>

#include "core/kinds/growing.h"

// What plain and dated counters have beside their number: the columns `returned` and `advanced`.
namespace nextid::sqlite {

// The state with the next number `next`, and with `returned` in the column `column` and `advanced` in the one
// after it.
GrowingState growing_state(CounterValue next, sqlite3_stmt* row, int column);

// The returned ranges as the column holds them: "300 310 450 500", pairs of a first number and an end.
std::string returned_text(const GrowingState& state);

}  // namespace nextid::sqlite
