#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native/sqlite/fixture.h"
#include "native/sqlite/wal_watch.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

TEST_F(SqliteStoreTest, ACommitThatFailsGivesNoNumbersAndDoesNotStick) {
  WalWatch wal;
  const Range first = reserve(*store_, orders(10));
  wal.at_sync = [] { return SQLITE_IOERR_FSYNC; };
  const Error error = error_of(store_->reserve(orders(10, first.end)));
  expect_error(error, ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "could not be read or written");
  ASSERT_TRUE(error.driver);
  EXPECT_EQ(error.driver->code, SQLITE_IOERR_FSYNC);
  const Range second = reserve(*store_, orders(10, first.end));
  EXPECT_GE(second.first, first.end);

  wal.at_sync = [] { return SQLITE_IOERR_FSYNC; };
  EXPECT_EQ(error_of(store_->release(kOrders, second)).error_class, ErrorClass::kDoubtful);
}

void add_small_disk(const std::string& folder) {
  fs::create_directory(folder);
  ASSERT_EQ(::mount("small", folder.c_str(), "tmpfs", 0, "size=512k"), 0);
}

// In a mount namespace of its own, so that the small disk goes with the process.
void mount_small_disk(const std::string& folder) {
  ASSERT_EQ(::unshare(CLONE_NEWNS), 0);
  ASSERT_EQ(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
  ASSERT_NO_FATAL_FAILURE(add_small_disk(folder));
}

// Not every root may: in a container it mostly has no right to.
bool can_mount() {
  static const bool can = [] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::unshare(CLONE_NEWNS) == 0 ? 0 : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }();
  return can;
}

void fill_disk(const std::string& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT, 0666);
  const std::string block(4096, 'x');
  while (::write(fd, block.data(), block.size()) > 0) {
  }
  EXPECT_EQ(errno, ENOSPC);
  ::close(fd);
}

TEST_F(SqliteStoreTest, AFullDiskIsSurvived) {
  if (!can_mount()) GTEST_SKIP() << "needs root with the right to mount";
  in_child([&] {
    const std::string disk = dir_ / "disk", filler = disk + "/filler";
    ASSERT_NO_FATAL_FAILURE(mount_small_disk(disk));
    // A new store on a full disk.
    fill_disk(filler);
    const auto store = make_store(disk + "/ids.db");
    expect_error(error_of(store->reserve(orders(1))), ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
                 "is full");
    fs::remove(filler);
    EXPECT_EQ(reserve(*store, orders(1)), (Range{1, 2}));

    // A store in use. While somebody reads, -wal has to grow; it may have room for some reservations.
    OtherProgram reader(disk + "/ids.db");
    reader.run("BEGIN; SELECT * FROM counters");
    fill_disk(filler);
    std::optional<int64_t> floor = 2;
    Result<Range> range = store->reserve(orders(1, floor));
    for (; range.ok() && *floor < 1000; range = store->reserve(orders(1, floor))) {
      EXPECT_GE(range.value().first, *floor);
      floor = range.value().end;
    }
    ASSERT_FALSE(range.ok());
    expect_error(range.error(), ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "is full");
    EXPECT_FALSE(store->reserve(orders(1, floor)).ok());
    fs::remove(filler);
    EXPECT_GE(reserve(*store, orders(1, floor)).first, *floor);
  });
}

TEST_F(SqliteStoreTest, AReadOnlyDiskIsNamed) {
  if (!can_mount()) GTEST_SKIP() << "needs root with the right to mount";
  in_child([&] {
    const std::string disk = dir_ / "disk";
    ASSERT_NO_FATAL_FAILURE(mount_small_disk(disk));
    const std::string path = disk + "/ids.db";
    reserve(*make_store(path), orders(1));
    ASSERT_EQ(::mount("none", disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
    expect_error(error_of(make_store(path)->reserve(orders(1))), ErrorCode::kAccessDenied, ErrorClass::kFinal,
                 path);
    expect_error(error_of(make_store(path + "x")->reserve(orders(1))), ErrorCode::kAccessDenied,
                 ErrorClass::kFinal, path);
  });
}

TEST_F(SqliteStoreTest, AFileMountedByItselfIsRefused) {
  if (!can_mount()) GTEST_SKIP() << "needs root with the right to mount";
  in_child([&] {
    const std::string disk = dir_ / "disk";
    ASSERT_NO_FATAL_FAILURE(mount_small_disk(disk));
    reserve(*make_store(disk + "/shared.db"), orders(1));
    write_file(path_, "");
    ASSERT_EQ(::mount((disk + "/shared.db").c_str(), path_.c_str(), nullptr, MS_BIND, nullptr), 0);
    for (int i = 0; i < 2; ++i) {
      expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
                   "mount the folder instead");
    }
  });
}

TEST_F(SqliteStoreTest, AFileMountedByItselfFromTheSameDiskIsRefused) {
  if (!can_mount()) GTEST_SKIP() << "needs root with the right to mount";
  in_child([&] {
    const std::string disk = dir_ / "disk";
    ASSERT_NO_FATAL_FAILURE(mount_small_disk(disk));
    const std::string one = disk + "/one.db", two = disk + "/two/two.db";
    reserve(*make_store(one), orders(1));
    fs::create_directory(disk + "/two");
    write_file(two, "");
    ASSERT_EQ(::mount(one.c_str(), two.c_str(), nullptr, MS_BIND, nullptr), 0);
    {
      const auto store = make_store(two);
      for (int i = 0; i < 2; ++i) {
        expect_error(error_of(store->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
                     "mount the folder instead");
      }
    }
    EXPECT_EQ(reserve(*make_store(one), orders(1)), (Range{2, 3}));
  });
}

bool has_overlayfs() { return read_file("/proc/filesystems").find("\toverlay\n") != std::string::npos; }

// As a store in the image of a container. After the copy to the upper layer the file keeps the device of the
// lower one, while -wal and -shm, which are new, have that of the upper one.
TEST_F(SqliteStoreTest, AFileOfALowerLayerOnAnotherDiskIsUsed) {
  if (!can_mount()) GTEST_SKIP() << "needs root with the right to mount";
  if (!has_overlayfs()) GTEST_SKIP() << "needs overlayfs";
  in_child([&] {
    const std::string lower = dir_ / "lower", upper = dir_ / "upper", merged = dir_ / "merged";
    ASSERT_NO_FATAL_FAILURE(mount_small_disk(lower));
    ASSERT_NO_FATAL_FAILURE(add_small_disk(upper));
    reserve(*make_store(lower + "/ids.db"), orders(10));
    for (const std::string& folder : {upper + "/files", upper + "/work", merged})
      fs::create_directory(folder);
    const std::string layers =
        "xino=off,lowerdir=" + lower + ",upperdir=" + upper + "/files,workdir=" + upper + "/work";
    ASSERT_EQ(::mount("overlay", merged.c_str(), "overlay", 0, layers.c_str()), 0);
    const auto store = make_store(merged + "/ids.db");
    EXPECT_EQ(reserve(*store, orders(1)), (Range{11, 12}));
    EXPECT_EQ(reserve(*store, orders(1, 12)), (Range{12, 13}));
  });
}

TEST_F(SqliteStoreTest, AProcessOutOfFileHandlesRecovers) {
  in_child([&] {
    struct rlimit few = {64, 64};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<int> handles;
    for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) handles.push_back(fd);
    const auto store = make_store(path_);
    expect_error(error_of(store->reserve(orders(1))), ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
                 "file handles");
    for (const int fd : handles) ::close(fd);
    EXPECT_EQ(reserve(*store, orders(1)), (Range{1, 2}));
  });
}

// A database that is open needs no new handle, the lock on its folder does: without that, stores of two
// copies of the package would not keep each other out.
TEST_F(SqliteStoreTest, WithoutAHandleForTheFolderNothingIsReserved) {
  in_child([&] {
    const auto store = make_store(path_);
    reserve(*store, orders(1));
    struct rlimit few = {64, 64};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    std::vector<int> handles;
    for (int fd; (fd = ::open("/dev/null", O_RDONLY)) >= 0;) handles.push_back(fd);
    expect_error(error_of(store->reserve(orders(1))), ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
                 "cannot lock the folder");
    for (const int fd : handles) ::close(fd);
    EXPECT_EQ(reserve(*store, orders(1)), (Range{2, 3}));
  });
}

}  // namespace
}  // namespace nextid::sqlite
