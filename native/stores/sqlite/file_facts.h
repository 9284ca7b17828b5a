#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace nextid::sqlite {

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

// Whether the -shm file `path`, which some connection has open, was cut off.
inline bool is_cut_off_shm(const std::string& path) {
  constexpr uintmax_t kShortest = 32768;  // SQLite makes it so long at once
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(to_path(path), error);
  return !error && size < kShortest;
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

// `path` with all symbolic links followed; as it is if that cannot be done.
inline std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(to_path(path), error);
  return error ? path : to_utf8(real);
}

// The owner of the file or link `path`, if that is a user who may have put it there for us to find: all users
// may make files in its folder, and it belongs neither to this process's user nor to root or the folder's
// owner. (Linux draws the same line in fs.protected_regular.)
inline std::optional<uint64_t> untrusted_owner(const std::string& path) {
#ifndef _WIN32
  struct stat folder, file;
  if (::stat(to_path(path).parent_path().c_str(), &folder) != 0 || !(folder.st_mode & S_IWOTH)) return {};
  if (::lstat(path.c_str(), &file) != 0) return {};
  if (file.st_uid != ::geteuid() && file.st_uid != 0 && file.st_uid != folder.st_uid) return file.st_uid;
#endif
  static_cast<void>(path);
  return {};
}

// Whether this process may make files in `folder`. On Windows only trying would tell, so the answer is yes.
inline bool may_create_in(const std::string& folder) {
#ifdef _WIN32
  return !folder.empty();
#else
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
#endif
}

}  // namespace nextid::sqlite
