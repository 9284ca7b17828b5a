#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <string>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace nextid {

// Paths are UTF-8 here, as they are in JavaScript and in SQLite.
inline std::filesystem::path to_path(const std::string& utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

inline std::string to_utf8(const std::filesystem::path& path) {
  const std::u8string utf8 = path.u8string();
  return std::string(utf8.begin(), utf8.end());
}

// What tells a file from any other, whatever it is called: one that is deleted or replaced keeps its identity
// for those who have it open.
struct FileId {
  uint64_t device = 0;
  uint64_t inode = 0;  // 0: no file

  auto operator<=>(const FileId&) const = default;
};

// The file that `path` leads to now, through symbolic links; FileId{} if there is none or it cannot be
// reached.
inline FileId file_id(const std::string& path) {
#ifdef _WIN32
  // SQLite opens its files without FILE_SHARE_DELETE: while one is open it can be neither deleted nor
  // replaced.
  std::error_code error;
  return FileId{0, std::filesystem::exists(to_path(path), error) ? 1u : 0u};
#else
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0) return FileId{};
  return FileId{static_cast<uint64_t>(facts.st_dev), static_cast<uint64_t>(facts.st_ino)};
#endif
}

// Tells the mount through which `path` is reached from any other; 0 where the system cannot say. (The device
// says less: in an overlay files of one folder may have several.)
inline uint64_t mount_id(const std::string& path) {
#ifdef STATX_MNT_ID  // Linux 5.8 and later
  struct statx facts;
  if (::statx(AT_FDCWD, path.c_str(), 0, STATX_MNT_ID, &facts) == 0 && (facts.stx_mask & STATX_MNT_ID)) {
    return facts.stx_mnt_id;
  }
#endif
  static_cast<void>(path);
  return 0;
}

// Whether this process may make files in `folder`. On Windows only trying would tell, so the answer is yes.
inline bool may_create_in(const std::string& folder) {
#ifdef _WIN32
  return !folder.empty();
#else
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
#endif
}

}  // namespace nextid
