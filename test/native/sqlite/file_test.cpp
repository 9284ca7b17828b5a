#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include <sys/stat.h>

#include "native/sqlite/fixture.h"
#include "native/sqlite/wal_watch.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

TEST_F(SqliteStoreTest, TheFileSaysWhoseItIs) {
  reserve(*store_, orders(10));
  EXPECT_TRUE(fs::exists(path_ + "-wal"));
  EXPECT_EQ(run_sql(path_, "PRAGMA application_id"), std::to_string(0x4e784964));
  EXPECT_EQ(run_sql(path_, "PRAGMA user_version"), "2");
  EXPECT_EQ(run_sql(path_, "PRAGMA journal_mode"), "wal");
  store_.reset();
  EXPECT_FALSE(fs::exists(path_ + "-wal")) << "closing did not clean up";
  EXPECT_EQ(run_sql(path_, "SELECT next FROM counters"), "11");
}

TEST_F(SqliteStoreTest, TheTablesKeepHandEditsFromDamagingACounter) {
  reserve(*store_, orders(10));
  reserve(*store_, ask(dated(140625), 10));
  reserve(*store_, ask(cyclic(99), 10));
  reserve(*store_, ask(timestamped(2), 10));
  store_->prune("orders", {140624}).value();
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
  const auto expect_refused = [db](const std::string& edit) {
    EXPECT_EQ(sqlite3_exec(db, edit.c_str(), nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << edit;
  };
  for (const std::string column :
       {"counters SET next", "dated_counters SET next", "dated_counters SET prefix",
        "cyclic_counters SET val", "cyclic_counters SET maxval", "timestamp_counters SET slot",
        "timestamp_counters SET digits", "closed_periods SET up_to"}) {
    for (const std::string value : {"'abc'", "1.5", "-1", "x'00'", "NULL"}) {
      expect_refused("UPDATE " + column + " = " + value);
    }
  }
  for (const char* edit : {"dated_counters SET prefix = 9", "dated_counters SET prefix = 100000000",
                           "cyclic_counters SET maxval = 0", "cyclic_counters SET maxval = 9007199254740992",
                           "timestamp_counters SET slot = 9223372036854775807",
                           "timestamp_counters SET digits = 5", "closed_periods SET period = 'week'"}) {
    expect_refused(std::string("UPDATE ") + edit);
  }
  sqlite3_close(db);
}

TEST_F(SqliteStoreTest, EveryReservationIsSyncedBeforeItIsGiven) {
  WalWatch wal;
  reserve(*store_, orders(1));
  OtherProgram reader(path_);
  reader.run(
      "BEGIN; SELECT * FROM counters");  // so that nothing is copied on into the file, with syncs of its own
  reserve(*store_, orders(1));
  for (int i = 0; i < 5; ++i) {
    const int before = wal.syncs;
    reserve(*store_, orders(1));
    EXPECT_GT(wal.syncs, before);
  }
}

TEST_F(SqliteStoreTest, WhatAPowerCutLeavesHoldsEveryNumberGiven) {
  for (int i = 0; i < 10; ++i) {
    const Range given = reserve(*store_, orders(3));
    const std::string copy = dir_ / ("copy" + std::to_string(i));
    fs::copy_file(path_, copy);
    fs::copy_file(path_ + "-wal", copy + "-wal");
    EXPECT_EQ(run_sql(copy, "SELECT next FROM counters"), std::to_string(given.end));
  }
}

TEST_F(SqliteStoreTest, TheFileWithoutItsWalHoldsEveryNumberGiven) {
  for (int i = 0; i < 10; ++i) {
    const Range given = reserve(*store_, orders(3));
    const std::string copy = dir_ / ("copy" + std::to_string(i));
    fs::copy_file(path_, copy);
    EXPECT_EQ(run_sql(copy, "SELECT next FROM counters"), std::to_string(given.end));
  }
}

TEST_F(SqliteStoreTest, AnEmptyFileIsMadeAStore) {
  write_file(path_, "");
  EXPECT_EQ(reserve(*store_, orders(1)), (Range{1, 2}));
}

TEST_F(SqliteStoreTest, ARelativePathStaysTheSameFile) {
  in_child([&] {
    fs::current_path(dir_.path());
    fs::create_directory("elsewhere");
    for (const char* name : {"relative.db", ":memory:", "file:x.db?mode=memory"}) {
      fs::current_path(dir_.path());
      const auto store = make_store(name);
      fs::current_path("elsewhere");
      reserve(*store, orders(1));
      EXPECT_TRUE(fs::exists(dir_ / name)) << name;
    }
  });
}

struct BadFile {
  const char* name;
  void (*make)(const std::string& path);
  ErrorCode code;
  const char* part;
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

class SqliteBadFileTest : public SqliteStoreTest, public testing::WithParamInterface<BadFile> {};

TEST_P(SqliteBadFileTest, IsRefusedAndLeftAlone) {
  GetParam().make(path_);
  const bool is_file = fs::is_regular_file(path_);
  const std::string before = is_file ? read_file(path_) : "";
  expect_error(error_of(store_->reserve(orders(1))), GetParam().code, ErrorClass::kFinal, GetParam().part);
  expect_error(error_of(store_->reserve(orders(1))), GetParam().code, ErrorClass::kFinal, path_);
  for (const auto& error : {error_of(store_->advance("orders", 2)),
                            error_of(store_->release(kOrders, {1, 2})), error_of(store_->list())}) {
    EXPECT_EQ(error.code, GetParam().code) << error.message;
  }
  if (is_file) {
    EXPECT_EQ(read_file(path_), before);
    EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), {}), 1) << "left other files behind";
  }

  // No error sticks.
  fs::remove_all(path_);
  EXPECT_EQ(reserve(*store_, orders(1)), (Range{1, 2}));
}

INSTANTIATE_TEST_SUITE_P(
    All, SqliteBadFileTest,
    testing::Values(
        BadFile{"text",
                [](const std::string& path) { write_file(path, "Dear diary, this is not a database.\n"); },
                ErrorCode::kStoreInvalid, "is not an SQLite database"},
        BadFile{"short text", [](const std::string& path) { write_file(path, "hello"); },
                ErrorCode::kStoreInvalid, "is not an SQLite database"},
        BadFile{"folder", [](const std::string& path) { fs::create_directory(path); },
                ErrorCode::kStoreInvalid, "it is a folder"},
        BadFile{"pipe", [](const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0); },
                ErrorCode::kStoreInvalid, "no ordinary file"},
        BadFile{"another program's tables",
                [](const std::string& path) { run_sql(path, "CREATE TABLE users (id)"); },
                ErrorCode::kStoreInvalid, "belongs to another program (its application_id is 0x0"},
        BadFile{"another program's tables in WAL mode",
                [](const std::string& path) {
                  run_sql(path, "PRAGMA journal_mode = WAL; CREATE TABLE counters (name, next)");
                },
                ErrorCode::kStoreInvalid, "belongs to another program"},
        BadFile{"another program's file without tables",
                [](const std::string& path) { run_sql(path, "PRAGMA application_id = 7"); },
                ErrorCode::kStoreInvalid, "its application_id is 0x7, a nextid store's is 0x4e784964"},
        BadFile{"newer version",
                [](const std::string& path) {
                  run_sql(path,
                          "CREATE TABLE counters (name, next); PRAGMA application_id = 0x4e784964;"
                          "PRAGMA user_version = 3");
                },
                ErrorCode::kStoreInvalid,
                "was written by a newer nextid (its version is 3, this nextid knows 2)"},
        BadFile{"no version",
                [](const std::string& path) { run_sql(path, "PRAGMA application_id = 0x4e784964"); },
                ErrorCode::kStoreInvalid, "is damaged (its version is 0"}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
      return name;
    });

TEST_F(SqliteStoreTest, AFileWithoutItsTableIsRefused) {
  reserve(*store_, orders(1));
  run_sql(path_, "ALTER TABLE counters RENAME TO old");
  expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
               "no such table");
  run_sql(path_, "ALTER TABLE old RENAME TO counters");
  EXPECT_EQ(reserve(*store_, orders(1)), (Range{2, 3}));
}

TEST_F(SqliteStoreTest, AMissingFolderIsNamed) {
  store_ = make_store(dir_ / "no/such/ids.db");
  for (const auto& error : {error_of(store_->reserve(orders(1))), error_of(store_->list())}) {
    expect_error(error, ErrorCode::kStoreInvalid, ErrorClass::kFinal, "the folder " + (dir_ / "no/such"));
  }
  fs::create_directories(dir_ / "no/such");
  EXPECT_EQ(reserve(*store_, orders(1)), (Range{1, 2}));

  write_file(path_, "");
  store_ = make_store(path_ + "/ids.db");
  expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
               "is not a folder");
}

TEST_F(SqliteStoreTest, APathThatIsNoneIsRefused) {
  for (const std::string& path : {std::string(), std::string("a\0b", 3)}) {
    expect_error(error_of(make_store(path)->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
                 "path of the SQLite file");
  }
  const auto store = make_store(dir_ / std::string(300, 'x'));
  expect_error(error_of(store->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
               "cannot open");
}

TEST_F(SqliteStoreTest, ADamagedFileIsRefusedUntilItIsRestored) {
  reserve(*store_, orders(10));
  const std::string good = content_after_close();
  std::string bad = good;
  std::fill(bad.begin() + 4096, bad.end(), '\x55');
  write_file(path_, bad);
  store_ = make_store(path_);
  const Error error = error_of(store_->reserve(orders(1)));
  expect_error(error, ErrorCode::kStoreInvalid, ErrorClass::kFinal, "is damaged");
  ASSERT_TRUE(error.driver);
  EXPECT_EQ(error.driver->name, "SqliteError");
  EXPECT_EQ(error.driver->code & 0xff, SQLITE_CORRUPT);
  EXPECT_NE(error.driver->message, "");
  write_file(path_, good);
  EXPECT_EQ(reserve(*store_, orders(1, 11)), (Range{11, 12}));
}

// SQLite would read zeros for the missing part of a page.
TEST_F(SqliteStoreTest, AFileThatIsCutOffIsRefusedWhereverThatIs) {
  reserve(*store_, orders(1000));
  const std::string whole = content_after_close();
  for (size_t length = whole.size() - 1; length > 0; length -= std::min<size_t>(length, 89)) {
    write_file(path_, whole.substr(0, length));
    const auto store = make_store(path_);
    for (const Error& error : {error_of(store->reserve(orders(1))), error_of(store->list())}) {
      expect_error(error, ErrorCode::kStoreInvalid, ErrorClass::kFinal, path_);
    }
    ASSERT_FALSE(HasFailure()) << "cut off at " << length;
  }
  write_file(path_, whole);
  EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{1001, 1002}));
}

// A process was killed while it copied commits from the -wal.
TEST_F(SqliteStoreTest, AFileThatIsCutOffIsMendedFromItsWal) {
  reserve(*store_, orders(1000));
  const std::string wal = read_file(path_ + "-wal");
  const std::string whole = content_after_close();
  write_file(path_, whole.substr(0, whole.size() - 1));
  write_file(path_ + "-wal", wal);
  EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{1001, 1002}));
}

}  // namespace
}  // namespace nextid::sqlite
