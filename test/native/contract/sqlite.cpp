#include <charconv>

#include "native/contract/store_under_test.h"
#include "native/sqlite/other_program.h"
#include "native/temp_dir.h"
#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid::contract {
namespace {

std::string literal(const Raw& raw) {
  if (const auto* integer = std::get_if<int64_t>(&raw)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&raw)) return sqlite::sql_text(*text);
  const auto* real = std::get_if<double>(&raw);
  if (real == nullptr) return "NULL";
  char digits[32];
  const std::string shortest(digits, std::to_chars(digits, digits + sizeof digits, *real).ptr);
  return shortest.find_first_of(".e") == std::string::npos ? shortest + ".0" : shortest;
}

// A dated counter keeps the next count, not the last.
Raw one_more(const Raw& raw) {
  if (const auto* integer = std::get_if<int64_t>(&raw)) return *integer + 1;
  if (const auto* real = std::get_if<double>(&raw)) return *real + 1;
  return raw;
}

class Sqlite final : public StoreUnderTest {
 public:
  // Without types and checks the tables keep every value as it is written.
  Sqlite() {
    open()->reserve({.counter = {.name = "to make the file"}, .floor = {}}).value();
    sqlite::run_sql(
        path_,
        "DROP TABLE counters; CREATE TABLE counters (name PRIMARY KEY, next, returned "
        "DEFAULT '', advanced DEFAULT 0);"
        "DROP TABLE dated_counters; CREATE TABLE dated_counters (name, prefix, next, returned "
        "DEFAULT '', advanced DEFAULT 0, PRIMARY KEY "
        "(name, prefix));"
        "DROP TABLE cyclic_counters; CREATE TABLE cyclic_counters (name PRIMARY KEY, val, maxval);"
        "DROP TABLE timestamp_counters; CREATE TABLE timestamp_counters (name PRIMARY KEY, slot, "
        "digits, time_zone);"
        "DROP TABLE closed_periods; CREATE TABLE closed_periods (name, period, up_to, PRIMARY KEY "
        "(name, period))");
  }

  std::unique_ptr<Store> open() override { return sqlite::make_store(path_); }
  const char* place() const override { return R"(in sqlite:[^ ]+\.db)"; }

  void write(const CounterKey& key, const std::vector<Raw>& values) override {
    std::string row = sqlite::sql_text(key.name);
    if (is<Dated>(key)) {
      row += ", " + std::to_string(prefix_of(key)) + ", " + literal(one_more(values.at(0)));
    } else {
      for (const Raw& value : values) row += ", " + literal(value);
    }
    if (is<Timestamped>(key)) row += ", 'UTC'";
    sqlite::run_sql(
        path_, "INSERT OR REPLACE INTO " + table_of(key) + " (" + columns_of(key) + ") VALUES (" + row + ")");
  }
  void write_returned(const CounterKey& key, const Raw& value) override {
    sqlite::run_sql(path_, "UPDATE " + table_of(key) + " SET returned = " + literal(value));
  }
  void remove(const CounterKey& key) override {
    sqlite::run_sql(path_, "DELETE FROM " + table_of(key) + " WHERE name = " + sqlite::sql_text(key.name));
  }
  void write_mark(const std::string& name, const Raw& value) override {
    sqlite::run_sql(path_, "UPDATE closed_periods SET up_to = " + literal(value) +
                               " WHERE name = " + sqlite::sql_text(name));
  }

 private:
  static std::string table_of(const CounterKey& key) {
    const char* const tables[] = {"counters", "dated_counters", "cyclic_counters", "timestamp_counters"};
    return tables[key.kind.index()];
  }
  static std::string columns_of(const CounterKey& key) {
    const char* const columns[] = {"name, next", "name, prefix, next", "name, val, maxval",
                                   "name, slot, digits, time_zone"};
    return columns[key.kind.index()];
  }

  const TempDir dir_{TempDir::fast()};
  const std::string path_ = dir_ / "ids.db";
};

}  // namespace

StoreName sqlite() {
  return {"sqlite", [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<Sqlite>()); }};
}

}  // namespace nextid::contract
