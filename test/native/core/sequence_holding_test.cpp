// What one process holds of one counter.

#include <gtest/gtest.h>

#include "core/holding.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;

constexpr TimePoint kSoon = TimePoint{} + milliseconds(100);
constexpr TimePoint kLater = TimePoint{} + milliseconds(200);

CounterKey plain() { return {.name = "orders"}; }

TEST(Holding, NumbersLeaveInTheOrderTheyCame) {
  Holding holding(plain());
  EXPECT_TRUE(holding.empty());
  holding.add({1, 5});
  holding.add({});
  holding.add({10, 12});
  EXPECT_EQ(holding.count(), 6);
  EXPECT_EQ(holding.front(), (Range{1, 5}));
  EXPECT_EQ(holding.take_front(3), (Range{1, 4}));
  EXPECT_EQ(holding.take_front(9), (Range{4, 5}));
  EXPECT_EQ(holding.take_front(9), (Range{10, 12}));
  EXPECT_TRUE(holding.empty());
  EXPECT_EQ(holding.count(), 0);
  EXPECT_EQ(holding.given_below(), 12);
}

TEST(Holding, TheLastRangeGoesBackFirst) {
  Holding holding(plain());
  holding.add({1, 5});
  holding.add({10, 12});
  EXPECT_EQ(holding.take_last(), (Range{10, 12}));
  EXPECT_EQ(holding.take_last(), (Range{1, 5}));
  EXPECT_TRUE(holding.empty());
  EXPECT_EQ(holding.count(), 0);
}

TEST(Holding, RangesThatAdjoinAreOneUnlessTheyAgeApart) {
  Holding holding(plain());
  holding.add({1, 5}, kSoon);
  holding.add({5, 9}, kSoon);
  EXPECT_EQ(holding.front(), (Range{1, 9}));
  holding.add({9, 13}, kLater);
  EXPECT_EQ(holding.front(), (Range{1, 9}));
  EXPECT_EQ(holding.count(), 12);
  EXPECT_EQ(holding.take_block(9), std::nullopt);
}

TEST(Holding, DropsWhatIsTooOld) {
  Holding holding(plain());
  holding.add({1, 5}, kSoon);
  holding.add({5, 9}, kLater);
  EXPECT_EQ(holding.drop_aged(kSoon - milliseconds(1)), 0);
  EXPECT_EQ(holding.drop_aged(kSoon), 4);
  EXPECT_EQ(holding.front(), (Range{5, 9}));
  EXPECT_EQ(holding.count(), 4);
  EXPECT_EQ(holding.drop_aged(kLater + milliseconds(1)), 4);
  EXPECT_TRUE(holding.empty());
  EXPECT_EQ(holding.drop_aged(kLater), 0);
  EXPECT_EQ(holding.given_below(), std::nullopt);
}

TEST(Holding, TheWindowAgesAsItsRangeDoes) {
  Holding holding(plain());
  holding.add({1, 5}, kSoon);
  holding.add({5, 9}, kLater);
  EXPECT_EQ(holding.open_window(3), (Range{1, 4}));
  EXPECT_EQ(holding.window_until(), kSoon);
  holding.close_window({2, 4});
  EXPECT_EQ(holding.front(), (Range{2, 5})) << "one range again";
  EXPECT_EQ(holding.open_window(9), (Range{2, 5}));
  holding.close_window({4, 5});
  EXPECT_EQ(holding.front(), (Range{4, 5}));
  EXPECT_EQ(holding.drop_aged(kSoon), 1);
  EXPECT_EQ(holding.open_window(9), (Range{5, 9}));
  EXPECT_EQ(holding.window_until(), kLater);
  EXPECT_EQ(holding.window(), 4);
  holding.window_used_up();
  EXPECT_EQ(holding.window(), 0);
}

TEST(Holding, AWindowThatComesBackUntouchedWasNotGiven) {
  Holding holding(plain(), 40);
  EXPECT_EQ(holding.given_below(), 40);
  EXPECT_EQ(holding.floor(), 40);
  holding.add({50, 60});
  holding.open_window(5);
  EXPECT_EQ(holding.given_below(), 55);
  holding.close_window({50, 55});
  EXPECT_EQ(holding.given_below(), 40);
  holding.open_window(5);
  holding.close_window({52, 55});
  EXPECT_EQ(holding.given_below(), 52);
  holding.open_window(5);
  holding.close_window({});
  EXPECT_EQ(holding.given_below(), 57);
}

TEST(Holding, ABlockAboveTheWindowStaysGiven) {
  Holding holding(plain());
  holding.add({1, 5});
  holding.add({10, 20});
  holding.open_window(4);
  EXPECT_EQ(holding.take_block(8), (Range{10, 18}));
  holding.close_window({2, 5});
  EXPECT_EQ(holding.given_below(), 18);
  EXPECT_EQ(holding.count(), 5);
}

TEST(Holding, SkipsAlsoWhatIsToCome) {
  Holding holding(plain());
  holding.add({1, 5});
  holding.add({10, 20});
  EXPECT_EQ(holding.skip_to(12), 6);
  EXPECT_EQ(holding.front(), (Range{12, 20}));
  EXPECT_EQ(holding.skip_to(3), 0);
  EXPECT_EQ(holding.not_skipped({8, 30}), (Range{12, 30}));
  EXPECT_TRUE(holding.not_skipped({1, 9}).empty());
  EXPECT_EQ(holding.not_skipped({1, 9}).count(), 0);
  EXPECT_EQ(holding.not_skipped({40, 50}), (Range{40, 50}));
  EXPECT_EQ(holding.not_skipped({40, 40}).count(), 0);
}

TEST(Holding, DropsAll) {
  Holding holding(plain());
  holding.add({1, 5});
  holding.add({10, 20});
  EXPECT_EQ(holding.drop(), 14);
  EXPECT_TRUE(holding.empty());
  EXPECT_EQ(holding.count(), 0);
}

TEST(Holding, TheFloorOfACyclicCounterSaysOnlyThatItExists) {
  const CounterKey cyclic{.name = "serial", .kind = Cyclic{5}};
  EXPECT_EQ(Holding(cyclic).floor(), std::nullopt);
  EXPECT_EQ(Holding(cyclic, 4).floor(), 0);
  Holding holding(cyclic);
  holding.set_floor(4);
  EXPECT_EQ(holding.floor(), 0);
}

TEST(Holding, ACounterThatWasSeenMustExist) {
  Holding holding(plain());
  EXPECT_EQ(holding.floor(), std::nullopt);
  holding.saw_counter(7);
  EXPECT_EQ(holding.floor(), 0);
  EXPECT_EQ(holding.seen_at(), 7);
  holding.saw_counter(5);
  EXPECT_EQ(holding.seen_at(), 7);
  holding.set_floor(6);
  holding.saw_counter(9);
  EXPECT_EQ(holding.floor(), 6);
}

}  // namespace
}  // namespace nextid
