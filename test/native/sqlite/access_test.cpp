#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include "native/sqlite/fixture.h"

namespace nextid {
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
    expect_error(error_of(make_sqlite_store(path_)->reserve(orders(1))), ErrorCode::kAccessDenied,
                 ErrorClass::kFinal, part);
    expect_error(error_of(make_sqlite_store(path_)->list()), ErrorCode::kAccessDenied, ErrorClass::kFinal,
                 path_);
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
    expect_error(error_of(make_sqlite_store(path_)->reserve(orders(1))), ErrorCode::kAccessDenied,
                 ErrorClass::kFinal, "make files in " + dir_.path().string());
  });
  ASSERT_EQ(::chmod(dir_.path().c_str(), 0777), 0);
  as_ordinary_user([&] { EXPECT_EQ(reserve(*make_sqlite_store(path_), orders(1)), (Range{1, 2})); });
}

}  // namespace
}  // namespace nextid
