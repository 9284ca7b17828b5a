#pragma once

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "stores/sqlite/file_facts.h"
#include "stores/sqlite/lock_wait.h"

#ifndef _WIN32
#include <sys/file.h>
#endif

namespace nextid::sqlite {

// An exclusive lock on a folder, held during the lifetime of the object. It excludes all other stores that
// have a file in this folder.
//
// SQLite's own locks are not enough. They are POSIX locks, which belong to the process:
//   - they do not separate two copies of this addon in one process, each with its own SQLite;
//   - the process loses them when any code in it closes another handle of the file, for example to copy it.
// A flock() belongs to its handle.
//
// It locks the folder because that cannot be replaced while files in it are in use. The price: stores in one
// folder take turns, and every user who may read the folder can hold the lock forever. A separate lock file
// would not exclude older versions of this addon, which lock the folder too.
//
// On Windows all locks belong to their handle, and folders cannot be locked. There it locks the database, in
// a place that SQLite does not use, and only so that of several connections that close at once the last one
// can remove -wal and -shm. It neither times out nor fails.
class FolderLock {
 public:
  // Waits until the deadline of `wait`. `file` is the path of the database.
#ifdef _WIN32
  FolderLock(const std::string& file, const LockWait& wait);
  ~FolderLock();
  bool held() const { return handle_; }
#else
  FolderLock(const std::string& file, const LockWait& wait) {
    std::error_code error;
    const auto real = std::filesystem::weakly_canonical(to_path(file), error);
    if (!error) handle_ = ::open(real.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (handle_ < 0) {
      system_errno_ = error ? error.value() : errno;
      return;
    }
    for (int tries = 0; ::flock(handle_, LOCK_EX | LOCK_NB) != 0; ++tries) {
      if (wait.again(tries)) continue;
      timed_out_ = true;
      return;
    }
  }

  ~FolderLock() {
    if (handle_ >= 0) ::close(handle_);
  }

  bool held() const { return handle_ >= 0 && !timed_out_; }
#endif

  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool timed_out() const { return timed_out_; }
  // Why the folder could not be opened and locked. 0 if it was opened, or if there is no such folder: then
  // there is no file to protect.
  int system_errno() const {
    const bool no_folder = system_errno_ == ENOENT || system_errno_ == ENOTDIR ||
                           system_errno_ == ENAMETOOLONG || system_errno_ == ELOOP;
    return no_folder ? 0 : system_errno_;
  }

 private:
#ifdef _WIN32
  void* handle_ = nullptr;
#else
  int handle_ = -1;
#endif
  int system_errno_ = 0;
  bool timed_out_ = false;
};

}  // namespace nextid::sqlite
