#pragma once

#include <cerrno>
#include <filesystem>
#include <string>

#include "native/sqlite/vfs_shim.h"

namespace nextid::sqlite {

// A disk that fails when a test says so.
class FailingDisk final : public VfsShim {
 public:
  enum Fault {
    kFull,    // nothing can be made or written
    kBroken,  // not even read
  };

  // Of the calls from here on that `fault` concerns, number `nth` (1, 2, …) fails, and all after it unless
  // `once`.
  void fail(Fault fault, int nth, bool once) {
    const std::lock_guard lock(mutex_);
    fault_ = fault;
    nth_ = nth;
    once_ = once;
    calls_ = 0;
  }
  void mend() {
    const std::lock_guard lock(mutex_);
    nth_ = 0;
  }

  // Whether any call failed since fail().
  bool has_failed() {
    const std::lock_guard lock(mutex_);
    return calls_ >= nth_;
  }

 private:
  int before(const DiskCall& call) override {
    const int code = fault_ == kFull ? when_full(call) : when_broken(call);
    if (nth_ == 0 || code == SQLITE_OK || ++calls_ < nth_ || (once_ && calls_ > nth_)) return SQLITE_OK;
    errno = fault_ == kFull ? ENOSPC : EIO;
    return code;
  }

  static int when_full(const DiskCall& call) {
    switch (call.kind) {
      case DiskCall::kOpen:
        return call.creates && !std::filesystem::exists(call.path) ? SQLITE_CANTOPEN : SQLITE_OK;
      case DiskCall::kWrite:
        return SQLITE_FULL;
      case DiskCall::kSync:  // what was written may not have got its place yet
        return SQLITE_IOERR_FSYNC;
      case DiskCall::kShmMap:
        return SQLITE_IOERR_SHMSIZE;
      default:
        return SQLITE_OK;
    }
  }

  static int when_broken(const DiskCall& call) {
    switch (call.kind) {
      case DiskCall::kOpen:
        return SQLITE_CANTOPEN;
      case DiskCall::kRead:
        return SQLITE_IOERR_READ;
      case DiskCall::kWrite:
        return SQLITE_IOERR_WRITE;
      case DiskCall::kTruncate:
        return SQLITE_IOERR_TRUNCATE;
      case DiskCall::kSync:
        return SQLITE_IOERR_FSYNC;
      case DiskCall::kDelete:
        return SQLITE_IOERR_DELETE;
      case DiskCall::kShmMap:
        return SQLITE_IOERR_SHMMAP;
    }
    return SQLITE_OK;
  }

  Fault fault_ = kFull;
  int nth_ = 0;  // 0: the disk works
  bool once_ = false;
  int calls_ = 0;
};

}  // namespace nextid::sqlite
