#include "stores/sqlite/counters.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "stores/sqlite/sqlite_error.h"

namespace nextid {
namespace {

constexpr double kTwoTo53 = 9007199254740992.0;  // from here on not every whole number is a double

// A value that is no counter.
struct Damage {
  ErrorCode code;
  std::string found;  // what stands there, in words
};

std::string column_text(sqlite3_stmt* row, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(row, column));
  if (!text) return {};
  return std::string(text, static_cast<size_t>(sqlite3_column_bytes(row, column)));
}

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

std::variant<int64_t, Damage> read_value(sqlite3_stmt* row, int column) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER: {
      const int64_t value = sqlite3_column_int64(row, column);
      if (value >= 0) return value;
      return Damage{ErrorCode::kCounterInvalid, "the number " + std::to_string(value)};
    }
    case SQLITE_FLOAT: {
      const double value = sqlite3_column_double(row, column);
      const std::string found = "the floating-point number " + shortest(value);
      if (value < 0 || !std::isfinite(value) || value != std::floor(value)) {
        return Damage{ErrorCode::kCounterInvalid, found};
      }
      if (value >= kTwoTo53) return Damage{ErrorCode::kIdOverflow, found + " (not exact from 2^53 on)"};
      return static_cast<int64_t>(value);
    }
    case SQLITE_TEXT:
      return Damage{ErrorCode::kCounterInvalid, "the text '" + shortened(column_text(row, column)) + "'"};
    case SQLITE_BLOB:
      return Damage{ErrorCode::kCounterInvalid,
                    "a blob of " + std::to_string(sqlite3_column_bytes(row, column)) + " bytes"};
    default:
      return Damage{ErrorCode::kCounterInvalid, "NULL"};
  }
}

std::string problem(const Damage& damage) {
  return "holds " + damage.found + ", where an integer from 0 to 9223372036854775807 was expected";
}

std::string sql_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted.append(c == '\'' ? 2 : 1, c);
  return quoted + "'";
}

}  // namespace

Counters::Counters(sqlite3* db, std::string path) : db_(db), path_(std::move(path)) {}

Result<std::optional<int64_t>> Counters::read(const std::string& name) {
  const Statement::Run run(read_, name);
  if (run.failed()) return sqlite_error(db_, path_);
  if (run.done()) return std::optional<int64_t>();
  const auto value = read_value(run.row(), 0);
  if (const auto* next = std::get_if<int64_t>(&value)) return std::optional(*next);
  const auto& damage = std::get<Damage>(value);
  return refusal(damage.code, "the counter '" + name + "' in " + store_name(path_) + " " + problem(damage) +
                                  "; it was left as it is. With N above every id that was given, run in the "
                                  "sqlite3 shell: UPDATE counters SET next = N WHERE name = " +
                                  sql_text(name) + ";");
}

std::optional<Error> Counters::write(const std::string& name, int64_t next) {
  const Statement::Run run(write_, name, next);
  if (run.failed()) return sqlite_error(db_, path_);
  return std::nullopt;
}

Result<bool> Counters::compare_and_set(const std::string& name, int64_t from, int64_t to) {
  const Statement::Run run(compare_and_set_, name, from, to);
  if (run.failed()) return sqlite_error(db_, path_);
  return sqlite3_changes(db_) == 1;
}

Result<std::vector<CounterInfo>> Counters::list() {
  std::vector<CounterInfo> counters;
  Statement::Run run(list_);
  for (; run.has_row(); run.next()) {
    const auto value = read_value(run.row(), 0);
    CounterInfo& counter = counters.emplace_back();
    counter.name = column_text(run.row(), 1);
    if (const auto* next = std::get_if<int64_t>(&value)) {
      counter.next = *next;
    } else {
      counter.problem = problem(std::get<Damage>(value));
    }
  }
  if (run.failed()) return sqlite_error(db_, path_);
  return counters;
}

}  // namespace nextid
