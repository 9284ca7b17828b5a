#include "stores/sqlite/open_file.h"

#include <filesystem>
#include <fstream>

#include "stores/sqlite/file_facts.h"
#include "stores/sqlite/schema.h"
#include "stores/sqlite/sqlite_errors.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

int wait_for_lock(void* wait, int tries) { return static_cast<const LockWait*>(wait)->again(tries) ? 1 : 0; }

// Opening a device or a pipe could block, or look like an empty file.
std::optional<Error> refuse_special_file(const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos) {
    return refusal(
        ErrorCode::kStoreInvalid,
        "the path of the SQLite file is empty, or cannot be made an absolute one; give one such as "
        "sqlite:ids.db");
  }
  std::error_code error;
  const fs::file_type type = fs::status(to_path(path), error).type();
  if (type == fs::file_type::directory) {
    return refusal(ErrorCode::kStoreInvalid,
                   "cannot open " + store_name(path) +
                       ": it is a folder, and a file was expected; give a file in it, "
                       "such as " +
                       store_name(to_utf8(to_path(path) / "nextid.db")));
  }
  if (fs::exists(fs::file_status(type)) && type != fs::file_type::regular) {
    return refusal(ErrorCode::kStoreInvalid,
                   "cannot open " + store_name(path) + ": it is no ordinary file; give another path");
  }
  return std::nullopt;
}

// Each name of a file has its own -wal and -shm, so users of two names would not see each other's commits.
std::optional<Error> refuse_hard_links(const std::string& path) {
  std::error_code error;
  const uintmax_t names = fs::hard_link_count(to_path(path), error);
  if (error || names <= 1) return std::nullopt;
  return refusal(
      ErrorCode::kStoreInvalid,
      store_name(path) + " has " + std::to_string(names) +
          " names (hard links), and SQLite cannot keep their users apart; delete the other names, or "
          "use symbolic links");
}

bool is_missing(const std::string& path) {
  std::error_code error;
  const fs::path file = to_path(path);
  return fs::status(file, error).type() == fs::file_type::not_found &&
         fs::is_directory(file.parent_path(), error);
}

// Refuses a file that was truncated within a page, as by an interrupted copy. SQLite reads the missing part
// as zeros: a counter would be missing or lower, and numbers would be given twice. (SQLite itself notices if
// whole pages are missing.) REQUIRES: `db` has been read from, so that no other process removes its -wal.
std::optional<Error> refuse_truncated(sqlite3* db, const std::string& path) {
  Statement page_size(db, "PRAGMA page_size");
  const Statement::Run run(page_size);
  if (!run.has_row()) return sqlite_error(db, path);
  const auto page = static_cast<uintmax_t>(sqlite3_column_int64(run.row(), 0));
  const std::string file = sqlite3_db_filename(db, "main");
  std::error_code error;
  const uintmax_t size = fs::file_size(to_path(file), error);
  if (error || size % page == 0) return std::nullopt;
  // Another process may be extending the file with commits from the -wal, or have crashed while doing so.
  // Then the -wal has everything that the file lacks.
  const uintmax_t wal_size = fs::file_size(to_path(file + "-wal"), error);
  if (!error && wal_size > 0) return std::nullopt;
  return damaged(path);
}

// Switching to WAL mode needs exclusive access. SQLite does not call the busy handler where two connections
// could wait for each other, so this function waits. A file in WAL mode is not changed.
std::optional<Error> switch_to_wal(sqlite3* db, const std::string& path, const LockWait& wait) {
  for (int tries = 0;; ++tries) {
    Statement change(db, "PRAGMA journal_mode = WAL");
    const Statement::Run run(change);
    if (run.has_row()) {
      if (sqlite3_stricmp(reinterpret_cast<const char*>(sqlite3_column_text(run.row(), 0)), "wal") == 0) {
        return std::nullopt;
      }
      return refusal(ErrorCode::kStoreInvalid,
                     store_name(path) + " cannot be used in SQLite's WAL mode; put it on a local disk");
    }
    const Error error = sqlite_error(db, path);
    if ((sqlite3_errcode(db) & 0xff) != SQLITE_BUSY || !wait.again(tries)) return error;
  }
}

int open_database(const std::string& path, bool make, sqlite3** handle) {
  const int flags = SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX |
                    SQLITE_OPEN_PRIVATECACHE;
#ifdef _WIN32
  // Here SQLite does not resolve symbolic links and short names (IDS~1.DB). Each name of a file would have
  // its own -wal and -shm, so this resolves them, after it has made the file that a link may lead to.
  if (make) std::ofstream(to_path(path), std::ios::app);
  return sqlite3_open_v2(to_utf8(to_path(real_path(path))).c_str(), handle, flags, "win32-longpath");
#else
  return sqlite3_open_v2(path.c_str(), handle, flags, nullptr);
#endif
}

}  // namespace

std::optional<Error> refuse_files_of_others(const std::string& path) {
  const std::string real = real_path(path);
  for (const std::string& file : {path, real, real + "-wal", real + "-shm", real + "-journal"}) {
    const std::optional<uint64_t> owner = untrusted_owner(file);
    if (!owner) continue;
    return refusal(ErrorCode::kStoreInvalid, "cannot use " + store_name(path) + ": " + file +
                                                 " belongs to another user (uid " + std::to_string(*owner) +
                                                 "), in a folder that all users may write; keep the store " +
                                                 "in a folder that only its own users may write");
  }
  return std::nullopt;
}

std::optional<Error> open_file(const std::string& path, bool make, LockWait& wait, Database& db) {
  if (auto error = refuse_special_file(path)) return error;

  if (auto error = refuse_files_of_others(path)) return error;
  if (auto error = refuse_hard_links(path)) return error;

  sqlite3* handle = nullptr;
  const int code = open_database(path, make, &handle);
  Database opened(handle);
  if (code != SQLITE_OK) {
    if (!make && is_missing(path)) return std::nullopt;
    return sqlite_error(handle, path);
  }
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_handler(handle, wait_for_lock, &wait);
  if (sqlite3_db_readonly(handle, "main") == 1) {
    if (is_writable(path)) return not_shared(path);
    return refusal(ErrorCode::kAccessDenied,
                   store_name(path) +
                       " may be read but not written by this process; let it write the file, and "
                       "make files in the folder that holds it");
  }

  const Result<int64_t> version = schema_version(handle, path);
  if (!version.ok()) return version.error();
  const bool is_empty = version.value() == 0;
  if (is_empty && !make) return std::nullopt;
  // synchronous: a commit is on the disk when it returns. fullfsync: on macOS too, where fsync() alone does
  // not guarantee this. wal_autocheckpoint: each commit is copied into the file itself at once, because
  // people lose -wal files: they delete them, copy only the database, or mount a volume without them.
  if (auto error = execute(
          handle, path, "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = 1")) {
    return error;
  }
  if (!is_empty) {
    if (auto error = refuse_truncated(handle, path)) return error;
  }
  if (version.value() < kWithReturned) {
    if (auto error = update_schema(handle, path)) return error;
  }
  if (auto error = switch_to_wal(handle, path, wait)) return error;
  db = std::move(opened);
  return std::nullopt;
}

}  // namespace nextid::sqlite
