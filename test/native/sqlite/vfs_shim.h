#pragma once

#include <sqlite3.h>

#include <cerrno>
#include <cstddef>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

namespace nextid::sqlite {

// One thing that SQLite is about to do with a file.
struct DiskCall {
  enum Kind { kOpen, kRead, kWrite, kTruncate, kSync, kDelete, kShmMap };

  Kind kind;
  std::string path;             // empty: a nameless temporary file
  int64_t offset = 0;           // kWrite; kTruncate: the new size
  std::string_view bytes = {};  // kWrite
  bool creates = false;         // kOpen: makes the file if it is not there
  bool syncs_folder = false;    // kSync, kDelete: the folder's list of names is synced too
};

// Gets between SQLite and its files: all stores that are opened while one lives use it unawares, as it is the
// default VFS (virtual file system) then. One at a time. REQUIRES: whatever was opened is closed before its
// end.
class VfsShim {
 public:
  VfsShim() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
    vfs_.zName = "nextid-test-shim";
    vfs_.szOsFile = static_cast<int>(kRealFileAt) + real_->szOsFile;
    vfs_.xOpen = open;
    vfs_.xDelete = remove;
    current_ = this;
    sqlite3_vfs_register(&vfs_, 1);
  }
  virtual ~VfsShim() {
    sqlite3_vfs_unregister(&vfs_);
    current_ = nullptr;
  }
  VfsShim(const VfsShim&) = delete;
  VfsShim& operator=(const VfsShim&) = delete;

 protected:
  // Comes before each call, one at a time. What is not SQLITE_OK is the call's result; then nothing was done,
  // or half of a write. From any thread.
  virtual int before(const DiskCall& call) = 0;

  std::mutex mutex_;  // held during before()

 private:
  struct File {
    sqlite3_file base;
    const char* path;  // SQLite keeps it for as long as the file is open
    bool syncs_folder;

    sqlite3_file* real() {
      return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(this) + kRealFileAt);
    }
  };
  static constexpr size_t kAlignment = alignof(std::max_align_t);
  static constexpr size_t kRealFileAt = (sizeof(File) + kAlignment - 1) / kAlignment * kAlignment;

  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

  // before() and the real call, in one piece: no other call comes between them.
  template <typename Act>
  static int pass(const DiskCall& call, const Act& act) {
    const std::lock_guard lock(current_->mutex_);
    const int code = current_->before(call);
    return code == SQLITE_OK ? act() : code;
  }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* handle, int flags, int* out_flags) {
    File* const file = new (handle) File{};
    const bool creates = flags & SQLITE_OPEN_CREATE;
    file->path = name ? name : "";
    // What SQLite's own VFS for POSIX does: the first sync of such a file syncs its folder too.
    file->syncs_folder =
        creates && (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL));
    return pass({.kind = DiskCall::kOpen, .path = file->path, .creates = creates}, [&] {
      const int code = real()->xOpen(real(), name, file->real(), flags, out_flags);
      if (file->real()->pMethods) handle->pMethods = &kMethods;
      return code;
    });
  }
  static int remove(sqlite3_vfs*, const char* name, int syncs_folder) {
    return pass({.kind = DiskCall::kDelete, .path = name, .syncs_folder = syncs_folder != 0},
                [&] { return real()->xDelete(real(), name, syncs_folder); });
  }

  static int close(sqlite3_file* file) { return methods(file).xClose(of(file)->real()); }
  static int read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
    return pass({.kind = DiskCall::kRead, .path = of(file)->path},
                [&] { return methods(file).xRead(of(file)->real(), bytes, count, offset); });
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    const std::string_view view(static_cast<const char*>(bytes), static_cast<size_t>(count));
    bool whole = false;
    const int code =
        pass({.kind = DiskCall::kWrite, .path = of(file)->path, .offset = offset, .bytes = view}, [&] {
          whole = true;
          return methods(file).xWrite(of(file)->real(), bytes, count, offset);
        });
    if (!whole) {
      const int said = errno;
      methods(file).xWrite(of(file)->real(), bytes, count / 2, offset);
      errno = said;
    }
    return code;
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    return pass({.kind = DiskCall::kTruncate, .path = of(file)->path, .offset = size},
                [&] { return methods(file).xTruncate(of(file)->real(), size); });
  }
  static int sync(sqlite3_file* file, int flags) {
    return pass({.kind = DiskCall::kSync, .path = of(file)->path, .syncs_folder = of(file)->syncs_folder},
                [&] {
                  const int code = methods(file).xSync(of(file)->real(), flags);
                  if (code == SQLITE_OK) of(file)->syncs_folder = false;
                  return code;
                });
  }
  static int shm_map(sqlite3_file* file, int region, int size, int extends, void volatile** memory) {
    return pass({.kind = DiskCall::kShmMap, .path = of(file)->path},
                [&] { return methods(file).xShmMap(of(file)->real(), region, size, extends, memory); });
  }
  static int file_size(sqlite3_file* file, sqlite3_int64* size) {
    return methods(file).xFileSize(of(file)->real(), size);
  }
  static int lock(sqlite3_file* file, int level) { return methods(file).xLock(of(file)->real(), level); }
  static int unlock(sqlite3_file* file, int level) { return methods(file).xUnlock(of(file)->real(), level); }
  static int is_locked(sqlite3_file* file, int* out) {
    return methods(file).xCheckReservedLock(of(file)->real(), out);
  }
  static int control(sqlite3_file* file, int op, void* arg) {
    return methods(file).xFileControl(of(file)->real(), op, arg);
  }
  static int sector_size(sqlite3_file* file) { return methods(file).xSectorSize(of(file)->real()); }
  static int features(sqlite3_file* file) { return methods(file).xDeviceCharacteristics(of(file)->real()); }
  static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    return methods(file).xShmLock(of(file)->real(), offset, count, flags);
  }
  static void shm_barrier(sqlite3_file* file) { methods(file).xShmBarrier(of(file)->real()); }
  static int shm_unmap(sqlite3_file* file, int deletes) {
    return methods(file).xShmUnmap(of(file)->real(), deletes);
  }

  static sqlite3_vfs* real() { return current_->real_; }
  static const sqlite3_io_methods& methods(sqlite3_file* file) { return *of(file)->real()->pMethods; }

  // Version 2: no memory-mapped files, whose writes could not be seen.
  static constexpr sqlite3_io_methods kMethods = {
      2,       close,       read,     write,   truncate, sync,        file_size, lock,    unlock, is_locked,
      control, sector_size, features, shm_map, shm_lock, shm_barrier, shm_unmap, nullptr, nullptr};

  inline static VfsShim* current_ = nullptr;
  sqlite3_vfs* const real_;
  sqlite3_vfs vfs_;
};

}  // namespace nextid::sqlite
