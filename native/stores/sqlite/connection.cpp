#include "stores/sqlite/connection.h"

#include <new>
#include <utility>

#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {

Connection::Connection(Database db, const std::string& path)
    : path_(path),
      db_(std::move(db)),
      real_path_(sqlite3_db_filename(db_.get(), "main")),
      begin_(db_.get(), "BEGIN IMMEDIATE"),
      commit_(db_.get(), "COMMIT"),
      roll_back_(db_.get(), "ROLLBACK"),
      counters_(db_.get(), path_) {}

Connection::~Connection() {
  // The last connection to close copies -wal into the database and deletes it. A connection to a -wal or -shm
  // that was replaced must not do this: it would undo the commits of others since.
  bool checkpoint = false;
  try {
    checkpoint = in_place();
  } catch (const std::bad_alloc&) {
    // Assume that it is not in place.
  }
  if (!checkpoint) close_without_checkpoint();
}

void Connection::close_without_checkpoint() {
  sqlite3_db_config(db_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

std::optional<Error> Connection::begin() {
  const Statement::Run run(begin_);
  if (run.failed()) return sqlite_error(db_.get(), path_);
  // SQLite opens -wal and -shm when the first transaction begins.
  if (!opened_) {
    // Others may have created them since the check in open_file().
    if (auto error = refuse_files_of_others(path_)) return error;
    opened_ = files_in_use(files_at(real_path_));
    const uint64_t mount = mount_id(real_path_), mount_of_wal = mount_id(real_path_ + "-wal");
    mounted_alone_ = mount && mount_of_wal ? mount != mount_of_wal
                                           : opened_ && opened_->main.device != opened_->wal.device;
  }
  if (!mounted_alone_) return std::nullopt;
  // Two containers that share only this one file would each have their own -shm, and so their own locks.
  return refusal(
      ErrorCode::kStoreInvalid,
      store_name(path_) +
          " is mounted by itself, on another disk than the folder it is in or from another folder, as into a "
          "container; mount the folder instead, so that all who use the file share its -wal and -shm too");
}

std::optional<Error> Connection::commit() {
  const Statement::Run run(commit_);
  if (run.failed()) return commit_error(db_.get(), path_);
  return std::nullopt;
}

bool Connection::roll_back() {
  if (sqlite3_get_autocommit(db_.get())) return true;
  const Statement::Run run(roll_back_);
  return run.done();
}

bool Connection::in_place() const {
  // SQLite compares the inode it has open with that of the name, so it notices every change since the file
  // was opened. The comparison below adds the device, symbolic links and the two other files.
  int moved = 0;
  if (sqlite3_file_control(db_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
    return false;
  return opened_ && files_at(path_) == *opened_ && !is_truncated_shm(real_path_ + "-shm");
}

StoreFiles Connection::files_at(const std::string& main) const {
  return StoreFiles{file_id(main), file_id(real_path_ + "-wal"), file_id(real_path_ + "-shm")};
}

}  // namespace nextid::sqlite
