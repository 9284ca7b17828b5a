#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

constexpr int64_t kSecond = 1'000'000;                  // microseconds
constexpr int64_t kNoon2014 = 1'403'697'600 * kSecond;  // 2014-06-25T12:00Z

std::atomic<int64_t> shown = 0;
int64_t test_clock() { return shown; }

class SqliteTimestampTest : public SqliteStoreTest {
 protected:
  static ReserveRequest at(int64_t now, const CounterKey& key, int64_t count,
                           std::optional<int64_t> floor = std::nullopt) {
    shown = now;
    ReserveRequest request = ask(key, count, floor);
    request.clock = test_clock;
    request.max_skew = 0;  // the file has no clock that ours could be ahead of
    return request;
  }
  std::string row() { return run_sql(path_, "SELECT slot, digits FROM timestamp_counters"); }
};

TEST_F(SqliteTimestampTest, ReservingNothingTellsWhereTheNextRangeWouldBegin) {
  const CounterKey key = timestamped(0);
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 0)), (Range{kNoon2014, kNoon2014}));
  EXPECT_EQ(row(), std::to_string(kNoon2014 - 1) + "|0");
  EXPECT_EQ(reserve(*store_, at(kNoon2014 + 5, key, 0)), (Range{kNoon2014 + 5, kNoon2014 + 5}));
  EXPECT_EQ(reserve(*store_, at(kNoon2014 - 5, key, 0)), (Range{kNoon2014, kNoon2014}));
  EXPECT_EQ(row(), std::to_string(kNoon2014 - 1) + "|0");
  EXPECT_EQ(reserve(*store_, at(kNoon2014, key, 1)), (Range{kNoon2014, kNoon2014 + 1}));
}

// While it waits for its turn, time goes on.
TEST_F(SqliteTimestampTest, ReadsTheClockWhenItsTurnHasCome) {
  reserve(*store_, at(kNoon2014, timestamped(0), 1));
  OtherProgram other(path_);
  other.run("BEGIN IMMEDIATE");
  const ReserveRequest request = at(kNoon2014 + 1, timestamped(0), 1);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    shown = kNoon2014 + kSecond;
    other.run("COMMIT");
  });
  EXPECT_EQ(reserve(*store_, request).first, kNoon2014 + kSecond);
  later.join();
}

TEST_F(SqliteTimestampTest, UsesTheMachinesClockIfNotToldOtherwise) {
  const int64_t before = wall_clock();
  const Range range = reserve(*store_, ask(timestamped(2), 1));
  EXPECT_GE(range.first, before * 100);
  EXPECT_LE(range.first, wall_clock() * 100);
}

}  // namespace
}  // namespace nextid::sqlite
