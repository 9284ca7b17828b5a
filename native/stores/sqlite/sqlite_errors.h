#pragma once

#include <sqlite3.h>

#include <optional>
#include <string>

#include "core/error.h"

namespace nextid::sqlite {

// The name of the store in the file `path` as users write it.
inline std::string store_name(const std::string& path) { return "sqlite:" + path; }

// The file `path` is a store whose content cannot be trusted.
Error damaged(const std::string& path);

// The folder of the file `path` could not be opened, and so not be locked; `system_errno` says why.
Error folder_error(const std::string& path, int system_errno);

// Others kept the folder of the file `path` locked for longer than kBusyTimeout.
Error busy_error(const std::string& path);

// What SQLite has just said on `db`, which is or was to be the file `path`, as an Error. Passing is what may
// go away without a repair of the file: a lock, a full disk, a failing read or write.
Error sqlite_error(sqlite3* db, const std::string& path);

// The same after a COMMIT. What would be passing is doubtful: the transaction may be on the disk, for the
// next opener to find, although SQLite could not finish it.
Error commit_error(sqlite3* db, const std::string& path);

// Runs the statements `sql`, which return nothing. None on success.
std::optional<Error> execute(sqlite3* db, const std::string& path, const std::string& sql);

// Whether a connection that gave `error` is good for another try. After all else it is opened afresh, so that
// no error sticks to it.
bool connection_survives(const Error& error);

}  // namespace nextid::sqlite
