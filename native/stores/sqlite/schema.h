#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"

namespace nextid::sqlite {

// The version of the tables, as the file says it. Each version has all that the one before has. Columns that
// older programs do not know came later, without a version: those programs go on with the file.
constexpr int64_t kSchemaVersion = 2;
constexpr int64_t kWithReturned = kSchemaVersion + 1;

// The version of the tables in the file `path`, open as `db`; 0 if the file is still empty, and kWithReturned
// if it has all columns. A file that is not a store of ours, or a newer one, is refused.
Result<int64_t> schema_version(sqlite3* db, const std::string& path);

// Makes the tables and columns that the file lacks, all or none. Any number of processes may come here at
// once: one makes them, the others find them made. None on success.
std::optional<Error> update_schema(sqlite3* db, const std::string& path);

}  // namespace nextid::sqlite
