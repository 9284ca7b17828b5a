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

// Keeps all others who keep counters in files of the same folder out while it lives.
//
// SQLite's own locks are POSIX locks, which belong to a process: they do not keep apart two copies of this
// addon within one process, each with an SQLite of its own, and the process loses them when anything in it
// closes another handle of the file, as copying it does. A flock() belongs to the handle it was made with. It
// is the folder that is locked because that cannot be replaced while files are in use in it; stores in one
// folder take turns. (Windows' locks belong to handles anyway.) Everybody who may read the folder can hold
// this lock for ever; a lock file that they cannot open would not keep out the versions that lock the folder,
// of which one may be in this very process.
class FolderLock {
 public:
  // Waits as long as `wait` allows. `file` is the path of the database.
  FolderLock(const std::string& file, const LockWait& wait) {
#ifndef _WIN32
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
#else
    (void)file, (void)wait;
#endif
  }

  ~FolderLock() {
#ifndef _WIN32
    if (handle_ >= 0) ::close(handle_);
#endif
  }

  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool held() const { return handle_ >= 0 && !timed_out_; }
  bool timed_out() const { return timed_out_; }
  // Why the folder could not be opened, so that there is no lock. 0 if it could, or if the path leads to no
  // folder: that holds no file to be kept from others.
  int system_errno() const {
    const bool no_folder = system_errno_ == ENOENT || system_errno_ == ENOTDIR ||
                           system_errno_ == ENAMETOOLONG || system_errno_ == ELOOP;
    return no_folder ? 0 : system_errno_;
  }

 private:
  int handle_ = -1;
  int system_errno_ = 0;
  bool timed_out_ = false;
};

}  // namespace nextid::sqlite
