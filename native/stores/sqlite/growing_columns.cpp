#include "stores/sqlite/growing_columns.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "stores/sqlite/counter_value.h"

namespace nextid::sqlite {
namespace {

ReturnedRanges parse_returned(const std::string& text) {
  std::vector<int64_t> bounds;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    if (!bounds.empty() && *at++ != ' ') return {.is_readable = false};
    const auto [after, error] = std::from_chars(at, end, bounds.emplace_back());
    if (error != std::errc()) return {.is_readable = false};
    at = after;
  }
  return ReturnedRanges::of_bounds(bounds, "returned");
}

}  // namespace

GrowingState growing_state(CounterValue next, sqlite3_stmt* row, int column) {
  return {.value = std::move(next),
          .offset = 0,
          .returned = parse_returned(read_text(row, column)),
          .advanced = sqlite3_column_int64(row, column + 1)};
}

std::string returned_text(const GrowingState& state) {
  std::string text;
  for (const int64_t bound : state.returned.bounds()) {
    text += (text.empty() ? "" : " ") + std::to_string(bound);
  }
  return text;
}

}  // namespace nextid::sqlite
