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

// Paths are UTF-8, as in JavaScript and SQLite.
inline std::filesystem::path to_path(const std::string& utf8) {
  std::filesystem::path path(std::u8string(utf8.begin(), utf8.end()));
#ifdef _WIN32
  // Windows takes longer paths only with a prefix. 240: room for a suffix within the 260 of the others.
  if (utf8.size() >= 240 && path.is_absolute() && !utf8.starts_with("\\\\?\\")) {
    path = path.lexically_normal().make_preferred();
    const bool is_share = path.native().starts_with(L"\\\\");
    return (is_share ? L"\\\\?\\UNC" : L"\\\\?\\") + path.native().substr(is_share ? 1 : 0);
  }
#endif
  return path;
}

inline std::string to_utf8(const std::filesystem::path& path) {
  const std::u8string utf8 = path.u8string();
  return std::string(utf8.begin(), utf8.end());
}

// Identifies a file regardless of its name. A deleted or replaced file keeps its identity while it is open.
struct FileId {
  uint64_t device = 0;
  uint64_t inode = 0;  // 0: no file

  auto operator<=>(const FileId&) const = default;
};

// The file that `path` leads to now, through symbolic links; FileId{} if it is missing or unreachable. (On
// Windows, SQLite keeps the files that it has open from being deleted or replaced. A link in the path can
// change.)
#ifdef _WIN32
FileId file_id(const std::string& path);
#else
inline FileId file_id(const std::string& path) {
  struct stat facts;
  if (::stat(path.c_str(), &facts) != 0) return FileId{};
  return FileId{static_cast<uint64_t>(facts.st_dev), static_cast<uint64_t>(facts.st_ino)};
}
#endif

// Whether the file could be written now, although SQLite could only read it a moment ago: on Windows, another
// program had it open and did not share it.
#ifdef _WIN32
bool is_writable(const std::string& path);
#else
inline bool is_writable(const std::string&) { return false; }
#endif

// Whether the -shm file `path`, which a connection has open, was truncated.
inline bool is_truncated_shm(const std::string& path) {
  constexpr uintmax_t kShortest = 32768;  // the size with which SQLite creates it
  std::error_code error;
  const uintmax_t size = std::filesystem::file_size(to_path(path), error);
  return !error && size < kShortest;
}

// Identifies the mount through which `path` is reached; 0 if the system does not provide this. (The device is
// less exact: in an overlay, files of one folder may have different ones.)
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

// `path` with all symbolic links resolved; unchanged if this fails.
inline std::string real_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(to_path(path), error);
  return error ? path : to_utf8(real);
}

// The owner of the file or link `path`, if another user may have planted it: all users may create files in
// its folder, and its owner is neither this process's user nor root nor the folder's owner. (Linux applies
// the same rule in fs.protected_regular.)
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

// Whether this process may create files in `folder`. On Windows this is not checked: the answer is true.
inline bool may_create_in(const std::string& folder) {
#ifdef _WIN32
  return !folder.empty();
#else
  return ::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
#endif
}

}  // namespace nextid::sqlite
