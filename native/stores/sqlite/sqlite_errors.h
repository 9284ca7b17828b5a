#pragma once

#include <sqlite3.h>

#include <optional>
#include <string>

#include "core/error.h"

namespace nextid::sqlite {

// The name of the store in the file `path` as users write it.
inline std::string store_name(const std::string& path) { return "sqlite:" + path; }

// The errno for what sqlite3_system_errno() returns, which on Windows is an error code of Windows.
#ifdef _WIN32
int to_errno(int windows_error);
#else
inline int to_errno(int system_errno) { return system_errno; }
#endif

// The store in the file `path` is damaged.
Error damaged(const std::string& path);

// Another program keeps the file `path` from being opened, which only Windows allows it.
Error not_shared(const std::string& path);

// The folder of the file `path` could not be opened and locked; `system_errno` is the reason.
Error folder_error(const std::string& path, int system_errno);

// Others kept the folder of the file `path` locked for longer than kBusyTimeout.
Error busy_error(const std::string& path);

// The last error of `db`, opened from the file `path`. Errors that may disappear without a repair of the file
// are passing: a lock, a full disk, a failed read or write.
Error sqlite_error(sqlite3* db, const std::string& path);

// The same after a COMMIT. Passing errors become doubtful: the transaction may be on the disk although SQLite
// could not complete it.
Error commit_error(sqlite3* db, const std::string& path);

// Runs the statements `sql` and ignores their rows. Returns nullopt on success.
std::optional<Error> execute(sqlite3* db, const std::string& path, const std::string& sql);

// Whether a connection can be used again after `error`. If not, it is reopened, so that no error persists.
bool connection_survives(const Error& error);

}  // namespace nextid::sqlite
