// The parts of file_facts.h, folder_lock.h and sqlite_errors.h that ask Windows.
#ifdef _WIN32
#include <windows.h>

#include <cerrno>

#include "stores/sqlite/file_facts.h"
#include "stores/sqlite/folder_lock.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {

namespace {

// Returns nullptr if the file cannot be opened. Others may do with it what they could without this handle.
HANDLE open_handle(const std::string& path, DWORD access) {
  const HANDLE file =
      ::CreateFileW(to_path(path).c_str(), access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    nullptr, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  return file == INVALID_HANDLE_VALUE ? nullptr : file;
}

OVERLAPPED place_of_lock() {
  OVERLAPPED place{};
  place.OffsetHigh = 0x7fffffff;  // far beyond the end of a file
  return place;
}

}  // namespace

FileId file_id(const std::string& path) {
  const HANDLE file = open_handle(path, FILE_READ_ATTRIBUTES);
  if (!file) return FileId{};
  BY_HANDLE_FILE_INFORMATION facts;
  const bool known = ::GetFileInformationByHandle(file, &facts);
  ::CloseHandle(file);
  if (!known) return FileId{};
  return FileId{facts.dwVolumeSerialNumber,
                (static_cast<uint64_t>(facts.nFileIndexHigh) << 32) + facts.nFileIndexLow};
}

bool is_writable(const std::string& path) {
  const HANDLE file = open_handle(path, GENERIC_WRITE);
  if (!file) return ::GetLastError() == ERROR_SHARING_VIOLATION;
  ::CloseHandle(file);
  return true;
}

FolderLock::FolderLock(const std::string& file, const LockWait& wait)
    : handle_(open_handle(file, GENERIC_READ)) {
  OVERLAPPED place = place_of_lock();
  for (int tries = 0; handle_; ++tries) {
    if (::LockFileEx(handle_, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &place)) return;
    if (::GetLastError() == ERROR_LOCK_VIOLATION && wait.again(tries)) continue;
    ::CloseHandle(handle_);
    handle_ = nullptr;
  }
}

// Closing the handle alone would unlock at some later time.
FolderLock::~FolderLock() {
  if (!handle_) return;
  OVERLAPPED place = place_of_lock();
  ::UnlockFileEx(handle_, 0, 1, 0, &place);
  ::CloseHandle(handle_);
}

int to_errno(int windows_error) {
  switch (windows_error) {
    case ERROR_SUCCESS:
      return 0;
    case ERROR_ACCESS_DENIED:
    case ERROR_WRITE_PROTECT:
      return EACCES;
    case ERROR_SHARING_VIOLATION:
    case ERROR_LOCK_VIOLATION:
      return EBUSY;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
    case ERROR_DISK_QUOTA_EXCEEDED:
      return ENOSPC;
    case ERROR_TOO_MANY_OPEN_FILES:
    case ERROR_NO_SYSTEM_RESOURCES:
      return EMFILE;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY:
    case ERROR_COMMITMENT_LIMIT:
      return ENOMEM;
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_INVALID_NAME:
      return ENOENT;
    default:
      return EINVAL;
  }
}

}  // namespace nextid::sqlite
#endif
