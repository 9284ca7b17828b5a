#pragma once

#include <sqlite3.h>

#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "stores/sqlite/lock_wait.h"

namespace nextid::sqlite {

struct CloseDatabase {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

// Refuses `path` if another user may have planted it, the file it leads to or one of SQLite's files beside
// that (see untrusted_owner()): this user could change the counters. Returns nullopt if it is accepted.
std::optional<Error> refuse_files_of_others(const std::string& path);

// Opens the file `path` as a store: in WAL mode, with every commit synced to the disk, waiting for locks
// until the deadline of `wait`. Returns nullopt on success.
//   - A missing or empty file becomes a store if `make` is true; otherwise `db` stays null without an error.
//   - A store of an older version is updated.
//   - A file that is not a nextid store is refused and not changed.
// REQUIRES: `wait` outlives `db`.
std::optional<Error> open_file(const std::string& path, bool make, LockWait& wait, Database& db);

}  // namespace nextid::sqlite
