#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"

namespace nextid::sqlite {

// The version of the tables that this nextid keeps. Each version has all that the one before has.
constexpr int64_t kSchemaVersion = 2;

// The version of the tables in the file `path`, open as `db`; 0 if there is nothing in it yet. A file that is
// no store of ours, or a newer one, is refused.
Result<int64_t> schema_version(sqlite3* db, const std::string& path);

// Makes the tables that the file lacks, all or none. Any number of processes may come here at once: one makes
// them, the others find them made. None on success.
std::optional<Error> update_schema(sqlite3* db, const std::string& path);

}  // namespace nextid::sqlite
