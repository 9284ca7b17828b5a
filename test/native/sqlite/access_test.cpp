#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

// Runs `body` as a user to whom permissions apply: root may do everything.
void as_ordinary_user(const std::function<void()>& body) {
  in_child([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0) {
      ASSERT_EQ(::setresuid(kNobody, kNobody, kNobody), 0);
    }
    body();
  });
}

TEST_F(SqliteStoreTest, AccessThatIsDeniedIsNamed) {
  reserve(*store_, orders(1));
  store_.reset();
  const auto denied = [&](const std::string& part) {
    expect_error(error_of(make_store(path_)->reserve(orders(1))), ErrorCode::kAccessDenied,
                 ErrorClass::kFinal, part);
    expect_error(error_of(make_store(path_)->list()), ErrorCode::kAccessDenied, ErrorClass::kFinal, path_);
  };
  // The folder belongs to who runs the tests, and the one who must not get in may be the same or another
  // user.
  const bool root = ::geteuid() == 0;
  const int kUnwritable = root ? 0755 : 0555, kClosed = root ? 0700 : 0000;
  const auto allow = [&](int folder, int file) {
    ASSERT_EQ(::chmod(dir_.path().c_str(), 0755), 0);
    ASSERT_EQ(::chmod(path_.c_str(), file), 0);
    ASSERT_EQ(::chmod(dir_.path().c_str(), folder), 0);
  };
  allow(0777, 0444);
  as_ordinary_user([&] { denied("may be read but not written"); });
  allow(0777, 0000);
  as_ordinary_user([&] { denied("this process may not"); });
  allow(kUnwritable, 0666);
  as_ordinary_user([&] { denied("make files in"); });
  allow(kClosed, 0666);
  as_ordinary_user([&] { denied("this process may not"); });
  allow(0333, 0666);
  as_ordinary_user([&] { denied("may not read it"); });
  allow(0755, 0666);
  fs::remove(path_);
  ASSERT_EQ(::chmod(dir_.path().c_str(), kUnwritable), 0);
  as_ordinary_user([&] {
    expect_error(error_of(make_store(path_)->reserve(orders(1))), ErrorCode::kAccessDenied,
                 ErrorClass::kFinal, "make files in " + dir_.path().string());
  });
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  as_ordinary_user([&] { EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{1, 2})); });
}

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0) << path;
  return facts.st_mode & 0777;
}

TEST_F(SqliteStoreTest, NewFilesAreForTheirOwnerOnly) {
  in_child([&] {
    ::umask(0);
    const auto store = make_store(path_);
    reserve(*store, orders(1));
    for (const char* part : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path_ + part), 0600u) << part;
  });
}

TEST_F(SqliteStoreTest, AFileThatWasMadeForAGroupStaysForIt) {
  in_child([&] {
    write_file(path_, "");
    ASSERT_EQ(::chmod(path_.c_str(), 0660), 0);
    const auto store = make_store(path_);
    reserve(*store, orders(1));
    for (const char* part : {"", "-wal", "-shm"}) EXPECT_EQ(mode_of(path_ + part), 0660u) << part;
  });
}

// What another user may have put into a folder that everybody may write, for us to count in.
TEST_F(SqliteStoreTest, AFileOfAnotherUserWhereEverybodyMayMakeFilesIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kAnother = 65534;
  const std::string folder = dir_.path().string();
  const auto expect_refused = [&](const std::string& file) {
    const auto store = make_store(path_);
    for (const Error& error : {error_of(store->reserve(orders(1))), error_of(store->list())}) {
      expect_error(error, ErrorCode::kStoreInvalid, ErrorClass::kFinal, file + " belongs to another user");
    }
  };
  for (const mode_t mode : {01777, 0777}) {
    ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
    for (const char* part : {"", "-wal", "-shm", "-journal"}) {
      const std::string file = path_ + part;
      write_file(file, "");
      ASSERT_EQ(::chown(file.c_str(), kAnother, kAnother), 0);
      expect_refused(file);
      EXPECT_EQ(read_file(file), "");
      fs::remove(file);
    }
    const std::string elsewhere = folder + "/elsewhere";
    fs::create_directory(elsewhere);
    fs::create_symlink(elsewhere + "/ids.db", path_);
    ASSERT_EQ(::lchown(path_.c_str(), kAnother, kAnother), 0);
    expect_refused(path_);
    EXPECT_TRUE(fs::is_empty(elsewhere));
    ASSERT_EQ(::lchown(path_.c_str(), 0, 0), 0);
    ASSERT_EQ(::chmod(elsewhere.c_str(), mode), 0);
    write_file(elsewhere + "/ids.db", "");
    ASSERT_EQ(::chown((elsewhere + "/ids.db").c_str(), kAnother, kAnother), 0);
    expect_refused(elsewhere + "/ids.db");
    fs::remove(path_);
    fs::remove_all(elsewhere);
  }
}

TEST_F(SqliteStoreTest, AFileOfAnotherUserInAFolderOfTheirsIsUsed) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  constexpr uid_t kAnother = 65534;
  reserve(*store_, orders(1));
  store_.reset();
  ASSERT_EQ(::chown(path_.c_str(), kAnother, kAnother), 0);
  EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{2, 3}));
  ASSERT_EQ(::chown(dir_.path().c_str(), kAnother, kAnother), 0);
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{3, 4}));
}

}  // namespace
}  // namespace nextid::sqlite
