#include "stores/sqlite/schema.h"

#include <array>
#include <charconv>

#include "stores/sqlite/counter_tables.h"
#include "stores/sqlite/sqlite_errors.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {
namespace {

constexpr int kApplicationId = 0x4e784964;  // "NxId": identifies the file, also to file(1)

std::string hex(int64_t value) {
  std::array<char, 17> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

// The tables that keep returned ranges.
constexpr const char* kGrowing[] = {"counters", "dated_counters"};

// Adds the columns for returned ranges to the table if it does not have them.
std::optional<Error> complete(sqlite3* db, const std::string& path, const std::string& table) {
  Statement columns(db, "SELECT count(*) FROM pragma_table_info(?1) WHERE name = 'advanced'");
  const Statement::Run run(columns, std::tie(table));
  if (!run.has_row()) return sqlite_error(db, path);
  if (sqlite3_column_int64(run.row(), 0) > 0) return std::nullopt;
  return execute(db, path,
                 "ALTER TABLE " + table +
                     " ADD COLUMN returned TEXT NOT NULL DEFAULT '' CHECK (typeof(returned) = 'text');"
                     "ALTER TABLE " +
                     table +
                     " ADD COLUMN advanced INTEGER NOT NULL DEFAULT 0 CHECK (typeof(advanced) = 'integer')");
}

// SQL that updates the tables of a file from `version` to kSchemaVersion.
std::string steps_from(int64_t version) {
  std::string sql;
  if (version < 1) sql += PlainRows::kSchema;
  if (version < 2) {
    sql += DatedRows::kSchema;
    sql += ClosedPeriods::kSchema;
    sql += CyclicRows::kSchema;
    sql += TimestampedRows::kSchema;
  }
  return sql + "PRAGMA application_id = " + std::to_string(kApplicationId) +
         ";PRAGMA user_version = " + std::to_string(kSchemaVersion);
}

}  // namespace

Result<int64_t> schema_version(sqlite3* db, const std::string& path) {
  // One statement, so that all values belong to the same moment.
  Statement facts(
      db,
      "SELECT (SELECT application_id FROM pragma_application_id),"
      " (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master),"
      " (SELECT count(*) FROM sqlite_master JOIN pragma_table_info(sqlite_master.name) AS columns"
      "  WHERE sqlite_master.name IN ('counters', 'dated_counters') AND columns.name = 'advanced')");
  const Statement::Run run(facts);
  if (!run.has_row()) return sqlite_error(db, path);
  const int64_t application_id = sqlite3_column_int64(run.row(), 0);
  const int64_t version = sqlite3_column_int64(run.row(), 1);
  const int64_t tables = sqlite3_column_int64(run.row(), 2);
  const bool has_returned = sqlite3_column_int64(run.row(), 3) == 2;

  if (application_id == 0 && version == 0 && tables == 0) return 0;
  if (application_id != kApplicationId) {
    return refusal(ErrorCode::kStoreInvalid,
                   store_name(path) + " belongs to another program (its application_id is " +
                       hex(application_id) + ", a nextid store's is " + hex(kApplicationId) +
                       "), and was left as it is; give the counters a file of their own");
  }
  if (version > kSchemaVersion) {
    return refusal(ErrorCode::kStoreInvalid, store_name(path) +
                                                 " was written by a newer nextid (its version is " +
                                                 std::to_string(version) + ", this nextid knows " +
                                                 std::to_string(kSchemaVersion) + "); update nextid");
  }
  if (version < 1) {
    return refusal(ErrorCode::kStoreInvalid,
                   store_name(path) + " is damaged (its version is " + std::to_string(version) + ", 1 to " +
                       std::to_string(kSchemaVersion) + " was expected); restore it from a backup");
  }
  return version == kSchemaVersion && has_returned ? kWithReturned : version;
}

std::optional<Error> update_schema(sqlite3* db, const std::string& path) {
  if (auto error = execute(db, path, "BEGIN IMMEDIATE")) return error;
  const Result<int64_t> version = schema_version(db, path);
  std::optional<Error> error;
  if (!version.ok()) {
    error = version.error();
  } else {
    error = execute(db, path, steps_from(version.value()));
  }
  for (const char* table : kGrowing) {
    if (!error) error = complete(db, path, table);
  }
  if (!error) error = execute(db, path, "COMMIT");
  if (error) execute(db, path, "ROLLBACK");
  return error;
}

}  // namespace nextid::sqlite
