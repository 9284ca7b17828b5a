#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"

namespace nextid::sqlite {

// The version of the tables in this release. Each version includes the tables of the one before. The columns
// for returned ranges came later and are not a version: older releases go on using the file.
constexpr int64_t kSchemaVersion = 2;
constexpr int64_t kWithReturned = kSchemaVersion + 1;

// Returns the version of the tables in the file `path`, open as `db`; 0 if the file is empty, kWithReturned
// if it also has the columns for returned ranges. Refuses files of other programs and of newer releases.
Result<int64_t> schema_version(sqlite3* db, const std::string& path);

// Creates the missing tables and columns, all or none. Any number of processes may call this at once; one of
// them creates them. Returns nullopt on success.
std::optional<Error> update_schema(sqlite3* db, const std::string& path);

}  // namespace nextid::sqlite
