#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "native/sqlite/fixture.h"
#include "native/sqlite/journal.h"
#include "native/sqlite/wal_watch.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

TEST_F(SqliteStoreTest, AFileThatIsGoneIsNotMadeAnew) {
  const Range given = reserve(*store_, orders(10));
  const std::string saved = dir_ / "saved";
  fs::rename(path_, saved);
  fs::remove(path_ + "-wal");
  fs::remove(path_ + "-shm");
  for (int i = 0; i < 2; ++i) {
    for (const auto& error : {error_of(store_->reserve(orders(1, given.end))),
                              error_of(store_->reserve(orders(1))), error_of(store_->advance("orders", 20)),
                              error_of(store_->release(kOrders, {5, 11})), error_of(store_->list())}) {
      expect_error(error, ErrorCode::kSequenceMissing, ErrorClass::kFinal, "is gone or empty");
      expect_error(error, ErrorCode::kSequenceMissing, ErrorClass::kFinal, path_);
    }
  }
  EXPECT_FALSE(fs::exists(path_));
  write_file(path_, "");
  expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kSequenceMissing, ErrorClass::kFinal,
               "is gone or empty");
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(SqliteStoreTest, AFileThatIsPutBackIsUsedAgain) {
  reserve(*store_, orders(10));
  const std::string content = content_after_close();
  store_ = make_store(path_);
  const Range given = reserve(*store_, orders(10));
  fs::remove_all(path_);
  expect_error(error_of(store_->reserve(orders(1, given.end))), ErrorCode::kSequenceMissing,
               ErrorClass::kFinal, "gone");
  fs::remove(path_ + "-wal");
  fs::remove(path_ + "-shm");
  write_file(path_, content);
  expect_error(error_of(store_->reserve(orders(1, given.end))), ErrorCode::kSequenceRewound,
               ErrorClass::kFinal, "stands at 11");
  store_->advance("orders", given.end);
  EXPECT_EQ(reserve(*store_, orders(1, given.end)), (Range{21, 22}));
}

// Replaces the store by a copy of itself, as a restored backup does.
void replace_by_copy(const std::string& path) {
  run_sql(path, "VACUUM INTO '" + path + "-copy'");
  fs::rename(path + "-copy", path);
}

// What somebody does to the files of a store in use, each of which parts those who have them open from those
// who open them next: both must not count on by themselves.
struct Parting {
  const char* name;
  void (*part)(const std::string& path);
};

void PrintTo(const Parting& parting, std::ostream* out) { *out << parting.name; }

class SqlitePartingTest : public SqliteStoreTest, public testing::WithParamInterface<Parting> {};

TEST_P(SqlitePartingTest, OldAndNewUsersDoNotGetTheSameNumber) {
  Gate gate;
  Child newcomer([&] {
    const auto store = make_store(path_);
    const Journal given(dir_ / "given");
    gate.wait();
    const Result<Range> range = store->reserve(orders(10));
    if (range.ok()) {
      given.add(range.value());
    } else {  // it may have to wait until the old user has let go of the files
      expect_error(range.error(), ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "");
    }
  });
  const Range first = reserve(*store_, orders(10));
  GetParam().part(path_);
  gate.open();
  EXPECT_TRUE(newcomer.succeeds());
  const Range second = reserve(*store_, orders(10, first.end));
  const Range third = reserve(*store_, orders(10, second.end));
  std::vector<Range> ranges = Journal::read(dir_ / "given");
  ranges.insert(ranges.end(), {first, second, third});
  store_.reset();
  store_ = make_store(path_);
  ranges.push_back(reserve(*store_, orders(10)));
  expect_disjoint(ranges, 1);
}

// SQLite keeps a deleted -shm for as long as one connection of the process has it, and gives it to new ones.
TEST_P(SqlitePartingTest, NorDoesAStoreThatIsOpenedBesideAnIdleOne) {
  const std::string end = dir_ / "end";
  const Journal given(dir_ / "given");
  Gate gate;
  Child newcomer([&] {
    const auto store = make_store(path_);
    gate.wait();
    while (!fs::exists(end)) {
      const Result<Range> range = store->reserve(orders(10));
      if (range.ok()) given.add(range.value());
      ::usleep(10'000);
    }
  });
  std::vector<Range> ranges = {reserve(*store_, orders(10))};
  GetParam().part(path_);
  gate.open();
  // It may have to wait until the old users let go of the files.
  for (int i = 0; i < 300 && Journal::read(dir_ / "given").size() < 3; ++i) ::usleep(1000);
  const auto late = make_store(path_);
  for (int i = 0; i < 20; ++i) {
    const Result<Range> range = late->reserve(orders(10));
    if (range.ok()) ranges.push_back(range.value());
    ::usleep(10'000);
  }
  write_file(end, "");
  EXPECT_TRUE(newcomer.succeeds());
  EXPECT_GT(ranges.size(), 1u);
  ranges.push_back(reserve(*store_, orders(10)));
  const std::vector<Range> theirs = Journal::read(dir_ / "given");
  ranges.insert(ranges.end(), theirs.begin(), theirs.end());
  expect_disjoint(ranges, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, SqlitePartingTest,
    testing::Values(Parting{"FileReplaced",
                            [](const std::string& path) {
                              replace_by_copy(path);
                              fs::remove(path + "-wal");
                              fs::remove(path + "-shm");
                            }},
                    Parting{"OnlyTheFileReplaced", replace_by_copy},
                    Parting{"WalDeleted", [](const std::string& path) { fs::remove(path + "-wal"); }},
                    Parting{"ShmDeleted", [](const std::string& path) { fs::remove(path + "-shm"); }},
                    Parting{"WalAndShmDeleted",
                            [](const std::string& path) {
                              fs::remove(path + "-wal");
                              fs::remove(path + "-shm");
                            }}),
    [](const auto& info) { return info.param.name; });

class SqliteCutOffShmTest : public SqliteStoreTest, public testing::WithParamInterface<uintmax_t> {};

// SQLite has -shm mapped into memory: to touch what lies behind its end ends the process.
TEST_P(SqliteCutOffShmTest, IsBuiltAnew) {
  in_child([&] {
    const auto store = make_store(path_), idle = make_store(path_);
    reserve(*store, orders(10));
    reserve(*idle, orders(10));
    fs::resize_file(path_ + "-shm", GetParam());
    EXPECT_EQ(reserve(*store, orders(10, 11)), (Range{21, 31}));
    EXPECT_EQ(reserve(*idle, orders(10, 21)), (Range{31, 41}));
    fs::resize_file(path_ + "-shm", GetParam());
    EXPECT_EQ(reserve(*make_store(path_), orders(10)), (Range{41, 51}));
    EXPECT_EQ(reserve(*store, orders(10, 31)), (Range{51, 61}));
    fs::resize_file(path_ + "-shm", GetParam());
  });
}

// What is left of its header would say that the commits in -wal are where it no longer says where they are.
TEST_P(SqliteCutOffShmTest, IsBuiltAnewWhereTheFileLacksWhatTheWalHolds) {
  Gate gate, cut;
  Child holder([&] {  // keeps -shm, so that nobody who opens it thinks to be the first
    OtherProgram reader(path_);
    gate.wait();
    reader.run("BEGIN; SELECT * FROM counters");  // what is reserved now stays in -wal
    write_file(dir_ / "reading", "");
    cut.wait();
    ::_exit(0);  // without touching -shm
  });
  Range given = reserve(*store_, orders(10));
  gate.open();
  while (!fs::exists(dir_ / "reading")) ::usleep(1000);
  given = reserve(*store_, orders(10, given.end));
  fs::resize_file(path_ + "-shm", GetParam());
  EXPECT_EQ(reserve(*make_store(path_), orders(10)), (Range{21, 31}));
  EXPECT_EQ(reserve(*store_, orders(10, given.end)), (Range{31, 41}));
  cut.open();
  EXPECT_TRUE(holder.succeeds());
}

TEST_P(SqliteCutOffShmTest, IsBuiltAnewByAProcessThatHasJustBegun) {
  const auto wait_for = [&](const char* name) {
    while (!fs::exists(dir_ / name)) ::usleep(1000);
  };
  Gate cut;
  Child holder([&] {
    wait_for("given");
    OtherProgram reader(path_);
    reader.run("BEGIN; SELECT * FROM counters");
    write_file(dir_ / "reading", "");
    cut.wait();
    ::_exit(0);
  });
  Child giver([&] {
    const auto store = make_store(path_);
    EXPECT_EQ(reserve(*store, orders(10)), (Range{1, 11}));
    write_file(dir_ / "given", "");
    wait_for("reading");
    EXPECT_EQ(reserve(*store, orders(10, 11)), (Range{11, 21}));  // stays in -wal
    ::_exit(testing::Test::HasFailure());
  });
  EXPECT_TRUE(giver.succeeds());
  fs::resize_file(path_ + "-shm", GetParam());
  in_child([&] { EXPECT_EQ(reserve(*make_store(path_), orders(10)), (Range{21, 31})); });
  cut.open();
  EXPECT_TRUE(holder.succeeds());
}

INSTANTIATE_TEST_SUITE_P(To, SqliteCutOffShmTest, testing::Values(0, 1000, 4096, 20000));

TEST_F(SqliteStoreTest, ALinkThatLeadsElsewhereIsFollowed) {
  const std::string one = dir_ / "one.db", two = dir_ / "two.db";
  make_store(two)->advance("orders", 1000);
  fs::create_symlink(one, path_);
  EXPECT_EQ(reserve(*store_, orders(10)), (Range{1, 11}));
  fs::remove(path_);
  fs::create_symlink(two, path_);
  EXPECT_EQ(reserve(*store_, orders(10, 11)), (Range{1000, 1010}));
}

TEST_F(SqliteStoreTest, AFileReplacedWhileItIsOpenedIsNoticed) {
  const std::string other = dir_ / "other.db";
  make_store(other)->advance("orders", 1000);
  make_store(path_)->advance("orders", 11);
  WalWatch wal;
  wal.at_open = [&] { fs::rename(other, path_); };
  EXPECT_EQ(reserve(*store_, orders(10)), (Range{1000, 1010}));
}

TEST_F(SqliteStoreTest, ClosingDoesNotUndoWhatOthersWroteAfterAParting) {
  Gate gate;
  Child newcomer([&] {
    const auto store = make_store(path_);
    const Journal given(dir_ / "given");
    gate.wait();
    OtherProgram reader(path_);
    reader.run("BEGIN; SELECT * FROM counters");  // what is reserved now stays in -wal
    given.add(reserve(*store, orders(10)));
    ::_exit(testing::Test::HasFailure());  // as a crash would
  });
  const Range first = reserve(*store_, orders(10));
  fs::remove(path_ + "-shm");
  gate.open();
  EXPECT_TRUE(newcomer.succeeds());
  store_ = make_store(path_);
  std::vector<Range> ranges = Journal::read(dir_ / "given");
  ASSERT_EQ(ranges.size(), 1u);
  ranges.insert(ranges.end(), {first, reserve(*store_, orders(10))});
  expect_disjoint(ranges, 1);
}

TEST_F(SqliteStoreTest, AFileReplacedInTheMiddleOfACommitGivesNoNumbers) {
  WalWatch wal;
  const Range first = reserve(*store_, orders(10));
  wal.at_sync = [&] {
    fs::rename(path_, dir_ / "saved");
    return SQLITE_OK;
  };
  const Error error = error_of(store_->reserve(orders(10, first.end)));
  expect_error(error, ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "deleted or replaced");
  EXPECT_EQ(error.lost, 10);
  expect_error(error_of(store_->reserve(orders(10, first.end))), ErrorCode::kSequenceMissing,
               ErrorClass::kFinal, "gone");
}

TEST_F(SqliteStoreTest, ABackupCopiedOverTheFileInUseGivesNoNumberTwice) {
  reserve(*store_, orders(10));
  const std::string backup = content_after_close();
  store_ = make_store(path_);
  const Range given = reserve(*store_, orders(10));
  write_file(path_, backup);
  const Result<Range> range = store_->reserve(orders(10, given.end));
  if (range.ok()) {
    EXPECT_GE(range.value().first, given.end);
  } else {
    EXPECT_EQ(range.error().error_class, ErrorClass::kFinal) << range.error().message;
  }
}

}  // namespace
}  // namespace nextid::sqlite
