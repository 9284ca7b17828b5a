#pragma once

#include <sqlite3.h>

#include <functional>
#include <utility>

namespace nextid::sqlite {

// Gets between SQLite and the disk: counts the syncs of -wal files, and lets a test do something at just the
// moment when one is opened, or is synced, which is the middle of a COMMIT. For stores opened while it lives.
// One at a time.
class WalWatch {
 public:
  WalWatch() {
    static sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
    static sqlite3_vfs watched = *real;
    real_ = real;
    vfs_ = &watched;
    vfs_->zName = "wal-watch";
    vfs_->xOpen = open;
    sqlite3_vfs_register(vfs_, 1);
    current_ = this;
  }
  ~WalWatch() {
    current_ = nullptr;
    sqlite3_vfs_unregister(vfs_);
  }
  WalWatch(const WalWatch&) = delete;
  WalWatch& operator=(const WalWatch&) = delete;

  int syncs = 0;
  // Run once, at the next opening and the next sync. What at_sync returns is the sync's result if not
  // SQLITE_OK.
  std::function<void()> at_open;
  std::function<int()> at_sync;

 private:
  static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
    const int code = real_->xOpen(real_, name, file, flags, out_flags);
    if (code != SQLITE_OK || !(flags & SQLITE_OPEN_WAL)) return code;
    static sqlite3_io_methods methods;
    methods = *file->pMethods;
    real_sync_ = methods.xSync;
    methods.xSync = sync;
    file->pMethods = &methods;
    if (current_) {
      if (const auto act = std::exchange(current_->at_open, nullptr)) act();
    }
    return code;
  }
  static int sync(sqlite3_file* file, int flags) {
    if (current_) {
      ++current_->syncs;
      if (const auto act = std::exchange(current_->at_sync, nullptr)) {
        if (const int code = act(); code != SQLITE_OK) return code;
      }
    }
    return real_sync_(file, flags);
  }

  // Not in the object: a store that was opened by it may outlive it.
  inline static WalWatch* current_ = nullptr;
  inline static sqlite3_vfs* real_ = nullptr;
  inline static sqlite3_vfs* vfs_ = nullptr;
  inline static int (*real_sync_)(sqlite3_file*, int) = nullptr;
};

}  // namespace nextid::sqlite
