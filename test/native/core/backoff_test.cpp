#include "core/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace nextid {
namespace {

using std::chrono::milliseconds;

constexpr Duration kBase = milliseconds(50);
constexpr Duration kCap = milliseconds(1000);

TEST(Backoff, CeilingDoublesUpToTheCap) {
  const std::vector<Duration> ceilings = {milliseconds(50),  milliseconds(100), milliseconds(200),
                                          milliseconds(400), milliseconds(800), milliseconds(1000),
                                          milliseconds(1000)};
  std::vector<Duration> longest(ceilings.size(), Duration::zero());
  for (uint32_t seed = 0; seed < 1000; ++seed) {
    Backoff backoff(kBase, kCap, seed * 2'654'435'761u);
    for (Duration& most : longest) most = std::max(most, backoff.next());
  }
  for (size_t i = 0; i < ceilings.size(); ++i) {
    EXPECT_LE(longest[i], ceilings[i]) << i;
    EXPECT_GT(longest[i], ceilings[i] * 9 / 10) << i;
  }
}

TEST(Backoff, JitterFillsTheWholeTime) {
  Backoff backoff(kCap, kCap, 1);
  std::vector<int> tenths(10);
  for (int i = 0; i < 10'000; ++i) {
    const Duration pause = backoff.next();
    ASSERT_GE(pause, Duration::zero());
    ++tenths[std::min<size_t>(9, static_cast<size_t>(pause / (kCap / 10)))];
  }
  for (const int count : tenths) EXPECT_NEAR(count, 1000, 150);
}

TEST(Backoff, InstancesPauseDifferently) {
  EXPECT_NE(Backoff(kCap, kCap, 1).next(), Backoff(kCap, kCap, 2).next());
}

TEST(Backoff, ResetBeginsAgain) {
  Backoff backoff(kBase, kCap, 1);
  EXPECT_EQ(backoff.failures(), 0);
  for (int i = 0; i < 20; ++i) backoff.next();
  EXPECT_EQ(backoff.failures(), 20);
  for (int i = 0; i < 100; ++i) {
    backoff.reset();
    EXPECT_EQ(backoff.failures(), 0);
    EXPECT_LE(backoff.next(), kBase);
  }
}

TEST(Backoff, StaysBelowTheCapForEver) {
  Backoff backoff(kBase, kCap, 1);
  for (int i = 0; i < 10'000; ++i) ASSERT_LE(backoff.next(), kCap);
}

TEST(Backoff, CapNeedNotBeAMultiple) {
  Backoff backoff(milliseconds(3), milliseconds(4), 1);
  for (int i = 0; i < 1000; ++i) ASSERT_LE(backoff.next(), milliseconds(4));
}

}  // namespace
}  // namespace nextid
