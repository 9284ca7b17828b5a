#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

std::atomic<int> flock_calls;

// Holds the lock of a folder while it lives, as another process would: the lock belongs to the handle.
class HeldFolder {
 public:
  explicit HeldFolder(const fs::path& folder) : handle_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY)) {
    EXPECT_EQ(::flock(handle_, LOCK_EX), 0);
  }
  ~HeldFolder() { ::close(handle_); }
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;

 private:
  const int handle_;
};

TEST_F(SqliteStoreTest, AStoreThatNobodyClosedTriesTheFolderLockOnce) {
  reserve(*store_, orders(10));
  {
    const HeldFolder other(dir_.path());
    const int before = flock_calls;
    store_.reset();
    EXPECT_EQ(flock_calls - before, 1);
    EXPECT_TRUE(fs::exists(path_ + "-wal")) << "it changed files that others had locked";
  }
  EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{11, 12}));
}

TEST_F(SqliteStoreTest, AStoreThatIsDisconnectedWaitsForTheFolderLock) {
  reserve(*store_, orders(10));
  {
    std::optional<HeldFolder> other(dir_.path());
    const int before = flock_calls;
    std::thread disconnect([&] { store_->disconnect(); });
    while (flock_calls - before < 2) std::this_thread::yield();
    other.reset();
    disconnect.join();
  }
  EXPECT_FALSE(fs::exists(path_ + "-wal")) << "disconnecting did not clean up";
}

}  // namespace
}  // namespace nextid::sqlite

// Takes the place of the C library's, to count the tries.
extern "C" int flock(int handle, int operation) noexcept {
  ++nextid::sqlite::flock_calls;
  return static_cast<int>(::syscall(SYS_flock, handle, operation));
}
