// Any value in a column of a counter: it is refused, or is the whole number within the bounds that an
// independent reading finds there.

#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "fuzz/fuzz_input.h"
#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {
namespace {

sqlite3* memory() {
  static sqlite3* const db = [] {
    sqlite3* opened = nullptr;
    require(sqlite3_open(":memory:", &opened) == SQLITE_OK, "SQLite opens");
    return opened;
  }();
  return db;
}

double as_double(int64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void run(FuzzInput input) {
  sqlite3_stmt* row = nullptr;
  require(sqlite3_prepare_v2(memory(), "SELECT ?", -1, &row, nullptr) == SQLITE_OK, "SQLite prepares");
  const int64_t least = input.below(2);
  const int64_t most = input.below(2) == 0 ? INT64_MAX : input.byte();
  const uint32_t type = input.below(5);
  const int64_t number = input.number();
  const double real = as_double(number);
  const std::string bytes = input.rest();
  const auto size = static_cast<int>(bytes.size());
  std::optional<int64_t> expected;
  switch (type) {
    case 0:
      sqlite3_bind_int64(row, 1, number);
      expected = number;
      break;
    case 1:
      sqlite3_bind_double(row, 1, real);
      if (std::abs(real) < std::ldexp(1.0, 53) && real == std::floor(real)) {
        expected = static_cast<int64_t>(real);
      }
      break;
    case 2:
      sqlite3_bind_text(row, 1, bytes.data(), size, SQLITE_TRANSIENT);
      break;
    case 3:
      sqlite3_bind_blob(row, 1, bytes.data(), size, SQLITE_TRANSIENT);
      break;
    default:
      sqlite3_bind_null(row, 1);
  }
  if (expected && (*expected < least || *expected > most)) expected.reset();

  require(sqlite3_step(row) == SQLITE_ROW, "SQLite gives the value");
  const CounterValue read = read_value(row, 0, {.field = "next", .least = least, .most = most});
  require(read.fine() == expected.has_value(), "a whole number within the bounds is taken, and nothing else");
  require(!read.fine() || read.number() == *expected, "the number is the one that stands there");
  require(read.fine() || !read.problem().empty(), "what is wrong is said");
  sqlite3_finalize(row);
}

}  // namespace
}  // namespace nextid::sqlite

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::sqlite::run(nextid::FuzzInput(data, size));
  return 0;
}
