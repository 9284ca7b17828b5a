#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "native/sqlite/fixture.h"
#include "native/sqlite/journal.h"
#include "native/sqlite/version_1.h"
#include "native/sqlite/wal_watch.h"

namespace nextid::sqlite {
namespace {

class SqliteUpgradeTest : public SqliteStoreTest {
 protected:
  SqliteUpgradeTest() { run_sql(path_, kVersion1); }

  std::string version() { return run_sql(path_, "PRAGMA user_version"); }
  // The names of the tables, so that a half-done upgrade shows.
  std::string tables() { return run_sql(path_, "SELECT group_concat(name) FROM sqlite_master"); }

  void expect_all_kinds_work() {
    const std::vector<CounterInfo> counters = store_->list().value();
    ASSERT_EQ(counters.size(), 3u);
    EXPECT_EQ(counters[0].key.name, "it's");
    EXPECT_EQ(counters[0].next, 0);
    EXPECT_EQ(counters[1].key.name, "last");
    EXPECT_EQ(counters[1].next, INT64_MAX);
    EXPECT_EQ(counters[2].next, 1001);
    EXPECT_EQ(version(), "2");
    EXPECT_EQ(reserve(*store_, orders(10, 1001)), (Range{1001, 1011}));
    for (const CounterKey& key : {dated(140625), cyclic(99), timestamped(2)}) reserve(*store_, ask(key, 1));
    store_->prune("orders", {140625}).value();
    EXPECT_EQ(store_->list().value().size(), 5u);
  }
};

TEST_F(SqliteUpgradeTest, LosesNothing) { expect_all_kinds_work(); }

TEST_F(SqliteUpgradeTest, LosesNothingThatStandsInTheWal) {
  in_child([&] {
    OtherProgram crashing(path_);
    crashing.run("PRAGMA wal_autocheckpoint = 0; UPDATE counters SET next = 2000 WHERE name = 'orders'");
    ::_exit(0);
  });
  EXPECT_NE(read_file(path_ + "-wal"), "");
  EXPECT_EQ(reserve(*store_, orders(1)), (Range{2000, 2001}));
  EXPECT_EQ(reserve(*store_, ask(dated(140625), 1)), (Range{1, 2}));
}

TEST_F(SqliteUpgradeTest, IsDoneByAnyOperation) {
  const std::string old = read_file(path_);
  const std::vector<void (*)(Store&)> operations = {
      [](Store& store) { store.reserve(orders(1, 1001)).value(); },
      [](Store& store) {
        EXPECT_FALSE(store.release(dated(140625), {1, 2}).value());
      },
      [](Store& store) { EXPECT_EQ(store.advance("orders", 5).value(), 1001); },
      [](Store& store) { EXPECT_EQ(store.prune("orders", {140625}).value(), 0); },
      [](Store& store) { EXPECT_EQ(store.list().value().size(), 3u); },
  };
  for (const auto operation : operations) {
    write_file(path_, old);
    operation(*make_store(path_));
    EXPECT_EQ(version(), "2");
  }
}

TEST_F(SqliteUpgradeTest, EightWhoComeAtOnceDoItOnce) {
  constexpr int kProcesses = 8;
  for (int round = 0; round < 5; ++round) {
    const std::string path = dir_ / ("old" + std::to_string(round));
    run_sql(path, kVersion1);
    {
      Gate gate;
      std::vector<Child> children;
      for (int i = 0; i < kProcesses; ++i) {
        children.emplace_back([&, i] {
          const auto store = make_store(path);
          const Journal given(path + "-given" + std::to_string(i));
          gate.wait();
          given.add(i % 2 ? reserve(*store, orders(7)) : reserve(*store, ask(dated(140625), 7)));
        });
      }
      gate.open();
      for (Child& child : children) EXPECT_TRUE(child.succeeds());
    }
    std::vector<Range> plain, dated;
    for (int i = 0; i < kProcesses; ++i) {
      const auto given = Journal::read(path + "-given" + std::to_string(i));
      ASSERT_EQ(given.size(), 1u);
      (i % 2 ? plain : dated).push_back(given.front());
    }
    expect_unbroken(plain, 1001);
    expect_unbroken(dated, 1);
  }
}

TEST_F(SqliteUpgradeTest, AProgramThatHasTheFileOpenGoesOn) {
  OtherProgram old(path_);
  old.run("UPDATE counters SET next = next + 10 WHERE name = 'orders'");
  EXPECT_EQ(reserve(*store_, orders(10)), (Range{1011, 1021}));
  old.run("UPDATE counters SET next = next + 10 WHERE name = 'orders'");
  EXPECT_EQ(reserve(*store_, orders(10)), (Range{1031, 1041}));
}

TEST_F(SqliteUpgradeTest, IsDoneWholeOrNotAtAll) {
  run_sql(path_, "CREATE TABLE timestamp_counters (mine)");
  const std::string before = tables();
  expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
               "timestamp_counters already exists");
  EXPECT_EQ(tables(), before);
  EXPECT_EQ(version(), "1");
  run_sql(path_, "DROP TABLE timestamp_counters");
  expect_all_kinds_work();
}

TEST_F(SqliteUpgradeTest, ADiskThatFailsMeanwhileIsSurvived) {
  const std::string before = tables();
  {
    WalWatch wal;
    wal.at_sync = [] { return SQLITE_IOERR_FSYNC; };
    expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
                 "could not be read or written");
  }
  expect_all_kinds_work();
}

TEST_F(SqliteUpgradeTest, FindsItDoneByWhoeverItWaitedFor) {
  const std::string new_path = dir_ / "new.db";
  reserve(*make_store(new_path), orders(1));
  const std::string new_tables =
      run_sql(new_path, "SELECT group_concat(sql, ';') FROM sqlite_master WHERE name <> 'counters'");
  OtherProgram other(path_);
  other.run("BEGIN IMMEDIATE; " + new_tables + "; PRAGMA user_version = 2");
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    other.run("COMMIT");
  });
  EXPECT_EQ(reserve(*store_, ask(dated(140624), 1)), (Range{1, 2}));
  release.join();
  store_->prune("orders", {140624}).value();
  expect_all_kinds_work();
}

TEST_F(SqliteUpgradeTest, AFileThatIsCutOffIsNotUpgraded) {
  const std::string whole = read_file(path_);
  write_file(path_, whole.substr(0, whole.size() - 1));
  expect_error(error_of(store_->reserve(orders(1))), ErrorCode::kStoreInvalid, ErrorClass::kFinal,
               "is damaged");
  EXPECT_EQ(read_file(path_), whole.substr(0, whole.size() - 1));
  write_file(path_, whole);
  expect_all_kinds_work();
}

// The tables are gone under an open store; it does not go on without them.
TEST_F(SqliteUpgradeTest, AnOldBackupCopiedOverTheFileInUseIsUpgradedToo) {
  const std::string backup = read_file(path_);
  reserve(*store_, ask(dated(140625), 1));
  write_file(path_, backup);
  for (int i = 0; i < 3; ++i) {
    const Result<Range> range = store_->reserve(ask(dated(140625), 1, 2));
    if (range.ok()) {
      EXPECT_GE(range.value().first, 2);
    }
  }
}

}  // namespace
}  // namespace nextid::sqlite
