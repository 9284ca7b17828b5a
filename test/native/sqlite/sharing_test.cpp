#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "native/sqlite/fixture.h"
#include "native/sqlite/journal.h"

namespace nextid::sqlite {
namespace {

using std::chrono::milliseconds;

TEST_F(SqliteStoreTest, SixteenFirstComersMakeOneCounter) {
  constexpr int kProcesses = 16;
  for (int round = 0; round < 4; ++round) {
    const std::string name = "new" + std::to_string(round);
    {
      Gate gate;
      std::vector<Child> children;
      for (int i = 0; i < kProcesses; ++i) {
        children.emplace_back([&, i] {
          const auto store = make_store(dir_ / name);
          const Journal given(dir_ / (name + "-given" + std::to_string(i)));
          ReserveRequest request = orders(7);
          request.start = 1000;
          gate.wait();
          given.add(reserve(*store, request));
        });
      }
      gate.open();
      for (Child& child : children) EXPECT_TRUE(child.succeeds());
    }
    std::vector<Range> ranges;
    for (int i = 0; i < kProcesses; ++i) {
      const auto given = Journal::read(dir_ / (name + "-given" + std::to_string(i)));
      ranges.insert(ranges.end(), given.begin(), given.end());
    }
    ASSERT_EQ(ranges.size(), static_cast<size_t>(kProcesses));
    expect_unbroken(ranges, 1000);
  }
}

TEST_F(SqliteStoreTest, ProcessesThatAreKilledNeverGetANumberTwice) {
  constexpr int kProcesses = 8;
  constexpr int kKills = 60;
  std::mt19937 random(2014);
  std::vector<std::string> journals;
  const auto start = [&](Gate* gate = nullptr) {
    journals.push_back(dir_ / ("given" + std::to_string(journals.size())));
    const unsigned seed = random();
    return Child([&, gate, seed] {
      std::mt19937 counts(seed);
      const auto store = make_store(path_);
      const Journal given(journals.back());
      std::optional<int64_t> floor;
      if (gate) gate->wait();
      for (;;) {
        const Range range = reserve(*store, orders(1 + counts() % 10, floor));
        ASSERT_FALSE(testing::Test::HasFailure());
        given.add(range);
        floor = range.end;
      }
    });
  };
  Gate gate;
  std::vector<Child> children;
  for (int i = 0; i < kProcesses; ++i) children.push_back(start(&gate));
  gate.open();
  for (int i = 0; i < kKills; ++i) {
    std::this_thread::sleep_for(milliseconds(random() % 40));
    Child& victim = children[random() % children.size()];
    EXPECT_TRUE(victim.kill()) << "it had ended by itself";
    victim = start();
  }
  for (Child& child : children) EXPECT_TRUE(child.kill()) << "it had ended by itself";

  std::vector<Range> ranges;
  for (const std::string& journal : journals) {
    const auto given = Journal::read(journal);
    ranges.insert(ranges.end(), given.begin(), given.end());
    EXPECT_TRUE(
        std::is_sorted(given.begin(), given.end(), [](Range a, Range b) { return a.first < b.first; }));
  }
  EXPECT_GT(ranges.size(), static_cast<size_t>(kKills));
  expect_disjoint(ranges, 1);
  for (const Range& range : ranges) EXPECT_LE(range.end, store_->list().value().front().next);
}

TEST_F(SqliteStoreTest, ThreadsShareAStoreAndStoresShareAFile) {
  constexpr int kThreads = 8;
  constexpr int kEach = 25;
  const auto second = make_store(path_);
  std::vector<std::vector<Range>> given(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < kEach; ++n) given[i].push_back(reserve(i % 2 ? *store_ : *second, orders(3)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Range> ranges;
  for (const auto& some : given) ranges.insert(ranges.end(), some.begin(), some.end());
  EXPECT_EQ(ranges.size(), static_cast<size_t>(kThreads * kEach));
  expect_unbroken(ranges, 1);
}

TEST_F(SqliteStoreTest, ALockHeldTooLongIsAPassingError) {
  // Four files, so that their waits pass together. The first is a store in use; two threads wait on it.
  reserve(*store_, orders(10));
  OtherProgram writer(path_);
  writer.run("BEGIN IMMEDIATE");
  // The second is a new file that somebody else holds.
  const std::string new_path = dir_ / "new.db";
  OtherProgram owner(new_path);
  owner.run("BEGIN EXCLUSIVE");
  // The third was taken out of WAL mode, and a reader is in the way of the change back.
  const std::string old_path = dir_ / "old.db";
  reserve(*make_store(old_path), orders(10));
  OtherProgram reader(old_path);
  reader.run("PRAGMA journal_mode = DELETE; BEGIN; SELECT * FROM counters");

  // The folder of the fourth is locked.
  const TempDir locked;
  const int handle = ::open(locked.path().c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(handle, LOCK_EX), 0);

  const auto locked_out = make_store(locked / "ids.db");
  const auto new_store = make_store(new_path);
  const auto old_store = make_store(old_path);
  std::vector<std::thread> threads;
  for (Store* store : {store_.get(), store_.get(), new_store.get(), old_store.get()}) {
    threads.emplace_back([store] {
      const Error error = error_of(store->reserve(orders(1)));
      expect_error(error, ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "locked by another program");
      ASSERT_TRUE(error.driver);
      EXPECT_EQ(error.driver->code & 0xff, SQLITE_BUSY);
    });
  }
  threads.emplace_back([&] {
    const Error error = error_of(locked_out->reserve(orders(1)));
    expect_error(error, ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "locked by another program");
    expect_error(error, ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
                 "chmod o-r " + locked.path().string());
  });
  for (std::thread& thread : threads) thread.join();

  ::close(handle);
  EXPECT_EQ(reserve(*locked_out, orders(1)), (Range{1, 2}));
  writer.run("COMMIT");
  owner.run("COMMIT");
  reader.run("COMMIT");
  EXPECT_EQ(reserve(*store_, orders(1)), (Range{11, 12}));
  EXPECT_EQ(reserve(*new_store, orders(1)), (Range{1, 2}));
  EXPECT_EQ(reserve(*old_store, orders(1)), (Range{11, 12}));
  EXPECT_EQ(run_sql(old_path, "PRAGMA journal_mode"), "wal");
}

TEST_F(SqliteStoreTest, ALockThatIsLetGoIsWaitedFor) {
  reserve(*store_, orders(10));
  store_.reset();
  const std::vector<std::string> locks = {
      "BEGIN IMMEDIATE",                                // a writer, WAL mode
      "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE",  // not even readable
      "PRAGMA journal_mode = DELETE; BEGIN IMMEDIATE",  // readable, but not for the change to WAL
      "PRAGMA journal_mode = DELETE; BEGIN; SELECT * FROM counters",  // the same
  };
  int64_t next = 11;
  for (const std::string& lock : locks) {
    OtherProgram other(path_);
    other.run(lock);
    std::thread release([&] {
      std::this_thread::sleep_for(milliseconds(100));
      other.run("COMMIT");
    });
    EXPECT_EQ(reserve(*make_store(path_), orders(1)), (Range{next, next + 1})) << lock;
    ++next;
    release.join();
  }
}

}  // namespace
}  // namespace nextid::sqlite
