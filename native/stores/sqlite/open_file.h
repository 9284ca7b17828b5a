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

// Refuses `path` if it, the file it leads to or what SQLite keeps beside that may be of another user's making
// (see untrusted_owner()): that user could change the counters.
std::optional<Error> refuse_files_of_others(const std::string& path);

// Opens the file `path` as a store: in WAL mode, every commit synced to the disk, waiting for locks as `wait`
// says. A missing or empty file is made a store if `make` is true; else `db` stays empty and there is no
// error. A store of an older version is brought up to date. A file that is no store of ours is refused and
// left as it is. None on success.
// REQUIRES: `wait` outlives `db`.
std::optional<Error> open_file(const std::string& path, bool make, LockWait& wait, Database& db);

}  // namespace nextid::sqlite
