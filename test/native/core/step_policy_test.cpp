#include "core/step_policy.h"

#include <gtest/gtest.h>

#include <vector>

namespace nextid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A sequence that hands out `rate` numbers a second and refills when `step` of them are used up.
class Load {
 public:
  explicit Load(const StepPolicy::Options& options) : policy(options) { policy.refill_started(0, 0, now_); }

  void use_a_step(double rate) { use(policy.step(), rate); }

  void use(int64_t numbers, double rate, int64_t waiting = 0) {
    handed_out_ += numbers;
    now_ += std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(static_cast<double>(numbers) / rate));
    policy.refill_started(handed_out_, waiting, now_);
  }

  StepPolicy policy;

 private:
  int64_t handed_out_ = 0;
  TimePoint now_{};
};

TEST(StepPolicy, BeginsWithTheLeast) {
  const StepPolicy policy({.min = 10, .max = 1000});
  EXPECT_EQ(policy.step(), 10);
  EXPECT_EQ(policy.rate(), 0);
}

TEST(StepPolicy, FirstRefillTellsNothingOfTheRate) {
  StepPolicy policy({.min = 10, .max = 1000});
  policy.refill_started(5'000, 0, TimePoint{} + seconds(1));
  EXPECT_EQ(policy.rate(), 0);
  EXPECT_EQ(policy.step(), 10);
}

TEST(StepPolicy, FixedStepStays) {
  Load load({.min = 7, .max = 7});
  for (const double rate : {1e9, 1e-3, 7.0}) {
    load.use_a_step(rate);
    EXPECT_EQ(load.policy.step(), 7);
  }
}

TEST(StepPolicy, DoublesAtMost) {
  Load load({.min = 10, .max = 100});
  std::vector<int64_t> steps;
  for (int i = 0; i < 5; ++i) {
    load.use_a_step(1e9);
    steps.push_back(load.policy.step());
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{20, 40, 80, 100, 100}));
}

TEST(StepPolicy, DoublesWhatIsWaitedForAtMost) {
  Load load({.min = 10, .max = 100'000});
  load.use(10, 1e9, 250);
  EXPECT_EQ(load.policy.step(), 500);
  load.use(500, 1e9, 250);
  EXPECT_EQ(load.policy.step(), 1000);
}

TEST(StepPolicy, ThoseWhoWaitAreACrowdOnceAndNoRate) {
  Load load({.min = 10, .max = 100'000});
  load.use(10, 0.1, 5000);
  EXPECT_EQ(load.policy.step(), 50);  // 5010 in 100 s
}

TEST(StepPolicy, WhatIsWaitedForIsAskedForOnce) {
  Load load({.min = 10, .max = 10});
  load.use(10, 1000, 90);
  EXPECT_NEAR(load.policy.rate(), 10'000, 0.001);
  load.use(90, 1000);  // those that waited
  EXPECT_EQ(load.policy.rate(), 0);
}

TEST(StepPolicy, ThoseWhoLeftWithoutNumbersAreNoRateBelowZero) {
  Load load({.min = 10, .max = 100'000});
  load.use(10, 1000, 90);
  load.policy.refill_started(10, 0, TimePoint{} + seconds(60));
  EXPECT_EQ(load.policy.rate(), 0);
}

TEST(StepPolicy, HalvesAtMost) {
  Load load({.min = 10, .max = 100});
  for (int i = 0; i < 5; ++i) load.use_a_step(1e9);
  std::vector<int64_t> steps;
  for (int i = 0; i < 5; ++i) {
    load.use_a_step(0.01);
    steps.push_back(load.policy.step());
  }
  EXPECT_EQ(steps, (std::vector<int64_t>{50, 25, 12, 10, 10}));
}

TEST(StepPolicy, AStepOfOneGrows) {
  Load load({.min = 1, .max = 1000});
  for (int i = 0; i < 3; ++i) load.use_a_step(1000);
  EXPECT_EQ(load.policy.step(), 8);
  for (int i = 0; i < 10; ++i) load.use_a_step(0.1);
  EXPECT_EQ(load.policy.step(), 1);
}

TEST(StepPolicy, AimsAtOneRefillPerTarget) {
  Load load({.min = 10, .max = 100'000, .target = milliseconds(500)});
  for (int i = 0; i < 20; ++i) load.use_a_step(6000);
  EXPECT_NEAR(load.policy.rate(), 6000, 1);
  EXPECT_NEAR(static_cast<double>(load.policy.step()), 3000, 1);
}

TEST(StepPolicy, AStepOutlastsTwoRefills) {
  Load load({.min = 10, .max = 100'000, .target = milliseconds(500)});
  load.policy.refill_succeeded(seconds(1));
  for (int i = 0; i < 20; ++i) load.use_a_step(6000);
  EXPECT_NEAR(static_cast<double>(load.policy.step()), 12'000, 1);
  EXPECT_NEAR(static_cast<double>(load.policy.watermark()), 12'000, 1);
}

TEST(StepPolicy, ABurstLeavesNoHugeStep) {
  Load load({.min = 10, .max = 1'000'000});
  for (int i = 0; i < 40; ++i) load.use_a_step(50'000);
  for (int64_t used = 0; used < 500'000; used += load.policy.step()) load.use_a_step(500'000);
  EXPECT_GT(load.policy.step(), 125'000);  // a quarter of a second
  EXPECT_LT(load.policy.step(), 200'000);
  for (int i = 0; i < 10; ++i) load.use_a_step(50'000);
  EXPECT_NEAR(static_cast<double>(load.policy.step()), 50'000, 5000);
}

TEST(StepPolicy, ALoadThatStaysIsUsualInTheEnd) {
  Load load({.min = 10, .max = 1'000'000});
  for (int i = 0; i < 20; ++i) load.use_a_step(10);
  EXPECT_EQ(load.policy.step(), 10);
  for (int i = 0; i < 100; ++i) load.use_a_step(20'000);
  EXPECT_NEAR(static_cast<double>(load.policy.step()), 20'000, 200);
}

TEST(StepPolicy, AStepIsAQuarterOfATargetAtOnce) {
  Load load({.min = 10, .max = 1'000'000});
  load.use(600, 10);  // a minute
  int refills = 0;
  for (; load.policy.step() < 5000; ++refills) load.use_a_step(20'000);
  EXPECT_EQ(refills, 9);  // 10 * 2^9
}

TEST(StepPolicy, BeforeTheyAreOverAllTheTimeIsUsual) {
  Load load({.min = 10, .max = 1'000'000});
  load.use(10, 1e9, 5000);  // a crowd, at the first moment
  load.use(5000, 20'000);   // which is served, a quarter of a second
  for (int i = 0; i < 3; ++i) load.use_a_step(20'000);
  EXPECT_NEAR(static_cast<double>(load.policy.step()), 20'000, 200);
}

TEST(StepPolicy, RateIsThatOfTheLastRange) {
  Load load({.min = 10, .max = 10});
  load.use(100, 50);
  EXPECT_NEAR(load.policy.rate(), 50, 0.001);
  load.use(30, 10);
  EXPECT_NEAR(load.policy.rate(), 10, 0.001);
  load.use(0, 1);
  load.policy.refill_started(130, 0, TimePoint{} + seconds(60));
  EXPECT_EQ(load.policy.rate(), 0);
}

TEST(StepPolicy, TwoRefillsInOneInstantAreNoDivisionByZero) {
  StepPolicy policy({.min = 10, .max = 1000});
  policy.refill_started(0, 0, TimePoint{});
  policy.refill_started(0, 0, TimePoint{});
  EXPECT_EQ(policy.rate(), 0);
  EXPECT_EQ(policy.step(), 10);
  policy.refill_started(10, 0, TimePoint{});
  EXPECT_EQ(policy.step(), 20);
}

TEST(StepPolicy, WatermarkIsAQuarterBeforeAnythingWasMeasured) {
  EXPECT_EQ(StepPolicy({.min = 80, .max = 80}).watermark(), 20);
  EXPECT_EQ(StepPolicy({.min = 10, .max = 10}).watermark(), 2);
  EXPECT_EQ(StepPolicy({.min = 1, .max = 1}).watermark(), 1);
}

TEST(StepPolicy, WatermarkBridgesTwoRefills) {
  Load load({.min = 1000, .max = 1000});
  load.policy.refill_succeeded(milliseconds(100));
  load.use_a_step(2000);
  EXPECT_NEAR(static_cast<double>(load.policy.watermark()), 400, 1);
}

TEST(StepPolicy, WatermarkIsTwoStepsAtMost) {
  Load load({.min = 100, .max = 100});
  load.policy.refill_succeeded(seconds(5));
  load.use_a_step(1e6);
  EXPECT_EQ(load.policy.watermark(), 200);
}

TEST(StepPolicy, RefillTimeRisesAtOnceAndFallsByATenth) {
  StepPolicy policy({});
  EXPECT_EQ(policy.refill_time(), Duration::zero());
  policy.refill_succeeded(milliseconds(10));
  EXPECT_EQ(policy.refill_time(), milliseconds(10));
  policy.refill_succeeded(milliseconds(100));
  EXPECT_EQ(policy.refill_time(), milliseconds(100));
  policy.refill_succeeded(milliseconds(10));
  EXPECT_EQ(policy.refill_time(), milliseconds(90));
  policy.refill_succeeded(milliseconds(85));
  EXPECT_EQ(policy.refill_time(), milliseconds(85));
}

}  // namespace
}  // namespace nextid
