#include "stores/sqlite/sqlite_errors.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "stores/sqlite/file_facts.h"
#include "stores/sqlite/lock_wait.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

int primary_code(int64_t extended_code) { return static_cast<int>(extended_code & 0xff); }

bool no_space(int system_errno) {
#ifdef EDQUOT
  if (system_errno == EDQUOT) return true;
#endif
  return system_errno == ENOSPC;
}

bool out_of_handles_or_memory(int system_errno) {
  return system_errno == EMFILE || system_errno == ENFILE || system_errno == ENOMEM;
}

// SQLite only says "unable to open", and its errno is that of a second try without O_CREAT. So this function
// looks for the cause itself.
Error cannot_open(const std::string& path, int system_errno) {
  const std::string what = "cannot open " + store_name(path) + ": ";
  const fs::path folder = to_path(path).parent_path();
  const std::string folder_name = to_utf8(folder);
  std::error_code error;
  const fs::file_type folder_type = fs::status(folder, error).type();
  if (folder_type == fs::file_type::not_found) {
    return refusal(ErrorCode::kStoreInvalid,
                   what + "the folder " + folder_name + " does not exist; make it, or give another path");
  }
  if (folder_type != fs::file_type::directory && folder_type != fs::file_type::none) {
    return refusal(ErrorCode::kStoreInvalid, what + folder_name + " is not a folder; give another path");
  }
  if (system_errno == EBUSY) return not_shared(path);
  if (system_errno == EACCES || system_errno == EPERM || system_errno == EROFS ||
      folder_type == fs::file_type::none || !may_create_in(folder_name)) {
    return refusal(ErrorCode::kAccessDenied,
                   what + "this process may not; let it read and write the file, and make files in " +
                       folder_name + " (SQLite keeps its -wal and -shm files there)");
  }
  if (no_space(system_errno)) {
    return Error{
        ErrorCode::kStoreUnavailable, ErrorClass::kPassing, what + "the disk is full; free some space", {}};
  }
  if (out_of_handles_or_memory(system_errno)) {
    return Error{ErrorCode::kStoreUnavailable,
                 ErrorClass::kPassing,
                 what + "the system is out of file handles or memory; close some, or raise the limit",
                 {}};
  }
  if (system_errno == EIO) {
    return Error{ErrorCode::kStoreUnavailable,
                 ErrorClass::kPassing,
                 what + std::generic_category().message(EIO) + "; look at the disk it is on",
                 {}};
  }
  return refusal(ErrorCode::kStoreInvalid,
                 what + "the system refuses the path; give that of a file on a local disk");
}

Error explain(int code, int system_errno, const std::string& said, const std::string& path) {
  const std::string name = store_name(path);
  const auto unavailable = [](std::string message) {
    return Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, std::move(message), {}};
  };
  switch (primary_code(code)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return unavailable(name + " is locked by another program, for more than " +
                         std::to_string(kBusyTimeout.count()) + " s; end that program's transaction");
    case SQLITE_FULL:
      return unavailable("the disk of " + name + " is full; free some space");
    case SQLITE_IOERR:
      if (no_space(system_errno)) return unavailable("the disk of " + name + " is full; free some space");
      return unavailable(name + " could not be read or written (" + said + "); look at the disk it is on");
    case SQLITE_NOMEM:
      return unavailable("there was not enough memory to use " + name);
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT:
    case SQLITE_SCHEMA:
      return unavailable(name + " could not be used this time (" + said + ")");
    case SQLITE_CANTOPEN:
      return cannot_open(path, system_errno);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return refusal(ErrorCode::kAccessDenied,
                     name +
                         " may not be written by this process; let it write the file, and make files in the "
                         "folder that holds it");
    case SQLITE_NOTADB:
      return refusal(
          ErrorCode::kStoreInvalid,
          name +
              " is not an SQLite database, and was left as it is; give the path of a nextid store, "
              "or of a file that does not exist yet");
    case SQLITE_CORRUPT:
      return damaged(path);
    default:
      return refusal(ErrorCode::kStoreInvalid,
                     name + " does not hold the table of counters that nextid keeps (" + said +
                         "); restore it from a backup, or give another path");
  }
}

}  // namespace

Error not_shared(const std::string& path) {
  return Error{ErrorCode::kStoreUnavailable,
               ErrorClass::kPassing,
               "cannot open " + store_name(path) +
                   ": another program has it open and does not share it; end that program",
               {}};
}

Error folder_error(const std::string& path, int system_errno) {
  const std::string what = "cannot lock the folder of " + store_name(path) + ": ";
  if (system_errno == EBUSY) {
    return Error{ErrorCode::kStoreUnavailable,
                 ErrorClass::kPassing,
                 what + "another program has it open and does not share it; end that program",
                 {}};
  }
  if (system_errno == EACCES || system_errno == EPERM) {
    return refusal(ErrorCode::kAccessDenied,
                   what + "this process may not read it; let it read the folder, and make files in it");
  }
  return Error{ErrorCode::kStoreUnavailable,
               ErrorClass::kPassing,
               what + (out_of_handles_or_memory(system_errno)
                           ? "the system is out of file handles or memory; close some, or raise the limit"
                           : std::generic_category().message(system_errno)),
               {}};
}

Error busy_error(const std::string& path) {
  return Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
               "the folder of " + store_name(path) + " is locked by another program, for more than " +
                   std::to_string(kBusyTimeout.count()) +
                   " s: a store locks it for milliseconds, but all users who may read it can; end that "
                   "program (lslocks names it), and keep other users out with: chmod o-r " +
                   to_utf8(to_path(real_path(path)).parent_path()),
               DriverError{"SqliteError", sqlite3_errstr(SQLITE_BUSY), SQLITE_BUSY}};
}

Error damaged(const std::string& path) {
  return refusal(ErrorCode::kStoreInvalid,
                 store_name(path) +
                     " is damaged; restore it from a backup, then move each counter past the ids that were "
                     "given since with: nextid advance --store URL NAME N");
}

Error sqlite_error(sqlite3* db, const std::string& path) {
  const int code = sqlite3_extended_errcode(db);
  const std::string said = sqlite3_errmsg(db);
  Error error = explain(code, to_errno(sqlite3_system_errno(db)), said, path);
  error.driver = DriverError{"SqliteError", said, code};
  return error;
}

Error commit_error(sqlite3* db, const std::string& path) {
  Error error = sqlite_error(db, path);
  if (error.error_class == ErrorClass::kPassing) error.error_class = ErrorClass::kDoubtful;
  return error;
}

std::optional<Error> execute(sqlite3* db, const std::string& path, const std::string& sql) {
  if (sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return std::nullopt;
  return sqlite_error(db, path);
}

bool connection_survives(const Error& error) {
  if (!error.driver) return true;
  const int code = primary_code(error.driver->code);
  return code == SQLITE_BUSY || code == SQLITE_FULL;
}

}  // namespace nextid::sqlite
