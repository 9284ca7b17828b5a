// Numbers that are in memory: the caller's window, the watermark where it ends, and the prefetch there.

#include <gtest/gtest.h>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(SequenceWindow, FirstTakeGetsNothingAndBringsARefillAbout) {
  ScriptedHost host(fixed_step(80));
  EXPECT_EQ(host.refill_requests, 0);
  EXPECT_EQ(host.take(), Range{});
  EXPECT_TRUE(host.refill_requested);
  host.begin();
  EXPECT_EQ(host.asked[0].counter.name, "orders");
  EXPECT_EQ(host.asked[0].start, 1);
  EXPECT_EQ(host.asked[0].count, 80);
  EXPECT_EQ(host.asked[0].floor, std::nullopt);
}

TEST(SequenceWindow, EndsAtTheWatermarkAndThePrefetchStartsThere) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();

  EXPECT_EQ(host.take(), (Range{1, 61}));
  EXPECT_EQ(host.sequence.stats().in_memory, 20);
  EXPECT_FALSE(host.refill_requested);
  host.use_window();
  EXPECT_FALSE(host.refill_requested);

  EXPECT_EQ(host.take(), (Range{61, 81}));
  EXPECT_TRUE(host.refill_requested);
  host.use_window();
  host.refill();
  EXPECT_EQ(host.take(), (Range{81, 141}));
}

TEST(SequenceWindow, NeverWaitsIfThePrefetchIsInTime) {
  ScriptedHost host(fixed_step(80));
  host.wait(0);
  host.refill();
  for (int64_t id = 1; id <= 1000; ++id) {
    ASSERT_EQ(host.next_id().id(), id);
    if (host.refill_requested) host.refill();
  }
  EXPECT_EQ(host.sequence.stats().waits, 1);
  EXPECT_EQ(host.refill_requests, 13);
}

TEST(SequenceWindow, NothingIsAskedOfTheHostForNumbersInMemory) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  const int calls = host.host_calls;
  host.take();
  host.use_window();
  EXPECT_EQ(host.host_calls, calls);
  host.take();
  EXPECT_EQ(host.host_calls, calls + 1);  // the prefetch
}

TEST(SequenceWindow, PrefetchIsAskedForOnce) {
  ScriptedHost host(fixed_step(1));
  host.take();
  EXPECT_EQ(host.take(), Range{});
  host.begin();
  EXPECT_EQ(host.take(), Range{});
  EXPECT_EQ(host.refill_requests, 1);
}

TEST(SequenceWindow, TwoRangesAreAheadWhereOneIsNotEnough) {
  ScriptedHost host(fixed_step(100));
  host.take();
  host.begin();
  host.move_clock(seconds(1));
  host.grant();
  EXPECT_EQ(host.take(), (Range{1, 76}));
  host.use_window();
  EXPECT_EQ(host.take(), (Range{76, 101}));  // 150 of the 75 a second are used during two refills

  host.refill();
  EXPECT_EQ(host.take(), (Range{76, 201}));  // the window was taken back
  EXPECT_TRUE(host.refill_requested);
}

TEST(SequenceWindow, NothingIsFetchedAheadForASequenceThatIsIdle) {
  ScriptedHost host(fixed_step(100));
  host.take();
  host.begin();
  host.move_clock(seconds(1));
  host.grant();
  host.take();
  host.use_window();
  host.take();
  host.refill();
  for (int i = 0; i < 10; ++i) host.move_clock(seconds(1));
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceWindow, AStepOfOneKeepsOneAhead) {
  ScriptedHost host(fixed_step(1));
  host.take();
  host.refill();
  for (int64_t id = 1; id <= 20; ++id) {
    EXPECT_EQ(host.next_id().id(), id);
    host.refill();
  }
}

TEST(SequenceWindow, RangesOfOthersLieBetween) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.take();
  host.begin();
  host.store->advance(1001);
  host.grant();
  EXPECT_EQ(host.wait(30).pieces, (std::vector<Range>{{61, 81}, {1001, 1011}}));
  EXPECT_EQ(host.take(), (Range{1011, 1061}));
  EXPECT_EQ(host.sequence.stats().front, (Range{1061, 1081}));
}

TEST(SequenceWindow, DoesNotReachAcrossAGap) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait(75);
  host.begin();
  host.store->advance(1001);
  host.grant();
  EXPECT_EQ(host.take(), (Range{76, 81}));
  host.use_window();
  EXPECT_EQ(host.take(), (Range{1001, 1061}));
}

TEST(SequenceWindow, IsHandedBackToAWaiter) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  EXPECT_EQ(host.window, (Range{2, 61}));

  const Call& call = host.wait(75);
  EXPECT_EQ(call.pieces, (std::vector<Range>{{2, 77}}));
  EXPECT_TRUE(host.window.empty());
  EXPECT_TRUE(host.refill_requested);
  EXPECT_EQ(host.take(), (Range{77, 81}));
}

TEST(SequenceWindow, IsHandedBackOnce) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.wait(1);
  const int calls = host.host_calls;
  host.wait(1);
  EXPECT_EQ(host.host_calls, calls + 1);  // serve
}

TEST(SequenceWindow, AnEmptyOneIsHandedBackToo) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  EXPECT_EQ(host.wait(2).pieces, (std::vector<Range>{{61, 63}}));
}

TEST(SequenceWindow, HandedBackBeforeARangeOfItsOwn) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.take();
  host.next_id();
  host.begin();
  host.store->advance(1001);
  host.grant();
  EXPECT_EQ(host.window, (Range{62, 81}));
  EXPECT_EQ(host.wait(20).pieces, (std::vector<Range>{{62, 81}, {1001, 1002}}));
}

// A number must never be both in the window and in memory.
TEST(SequenceWindow, ThatCannotBeHandedBackStaysWithTheCaller) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  host.keeps_window = true;
  EXPECT_EQ(host.wait(5).code(), ErrorCode::kStoreUnavailable);
  EXPECT_EQ(host.wait_for_block(5).code(), ErrorCode::kStoreUnavailable);
  EXPECT_FALSE(host.sequence.skip_to(1000, 0, host.now));
  EXPECT_EQ(host.next_id().id(), 2);
  host.keeps_window = false;
  EXPECT_EQ(host.wait(70).pieces, (std::vector<Range>{{3, 73}}));
}

TEST(SequenceWindow, ThatCannotBeHandedBackIsNotReleased) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  host.keeps_window = true;
  host.close();
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{61, 81}}));
  EXPECT_EQ(host.sequence.stats().given_below, 61);
}

TEST(SequenceWindow, IsNotGivenWhileOthersWait) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  const Call& waiter = host.wait(30);
  EXPECT_EQ(host.take(), Range{});
  const Call& behind = host.next_id();
  host.refill();
  EXPECT_EQ(waiter.pieces, (std::vector<Range>{{1, 31}}));
  EXPECT_EQ(behind.id(), 31);
}

TEST(SequenceWindow, RangesThatAdjoinBecomeOne) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait(75);
  host.refill();
  EXPECT_EQ(host.sequence.stats().front, (Range{76, 161}));
}

TEST(SequenceWindow, RateCountsWhatWasTakenFromTheWindow) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.move_clock(seconds(1));
  host.take();  // twenty more, of which none is used yet
  host.begin();
  EXPECT_NEAR(host.sequence.stats().rate, 60, 0.1);
}

TEST(SequenceWindow, RateCountsAllOfAWindowThatIsUsedUp) {
  ScriptedHost host(fixed_step(80));
  host.begins_at_once = true;
  host.take();
  host.grant();
  host.take();
  host.use_window();
  host.move_clock(seconds(1));
  host.take();
  EXPECT_NEAR(host.sequence.stats().rate, 60, 0.1);
}

TEST(SequenceWindow, RefillTimeCountsTheWaitForAWorkerThread) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.move_clock(milliseconds(300));
  host.begin();
  host.move_clock(milliseconds(100));
  host.grant();
  EXPECT_EQ(host.sequence.stats().refill_time, milliseconds(400));
}

TEST(SequenceWindow, WatermarkFollowsTheLoad) {
  ScriptedHost host(fixed_step(800));
  host.take();
  host.begin();
  host.move_clock(milliseconds(300));
  host.grant();
  EXPECT_EQ(host.take(), (Range{1, 601}));
  host.use_window();
  host.move_clock(milliseconds(700));
  host.take();
  host.refill();
  host.use_window();
  // 600 a second, and the estimate of 300 ms has fallen to 270: 324 are handed out during two refills.
  EXPECT_EQ(host.take(), (Range{801, 801 + 476}));
}

TEST(SequenceWindow, AdaptiveStepGrowsWithTheLoad) {
  ScriptedHost host(with_step({}));
  host.begins_at_once = true;
  for (int i = 0; i < 3000; ++i) {
    host.next_id();
    if (host.under_way) host.grant();
  }
  EXPECT_EQ(host.asked.at(0).count, 10);
  EXPECT_EQ(host.asked.at(1).count, 20);
  EXPECT_EQ(host.asked.at(2).count, 40);
  EXPECT_LT(host.asked.size(), 12u);
}

TEST(SequenceWindow, StatsTellTheTruth) {
  ScriptedHost host(fixed_step(80));
  host.next_id();
  host.refill();
  host.take();
  const Sequence::Stats stats = host.sequence.stats();
  EXPECT_EQ(stats.handed_out, 60);
  EXPECT_EQ(stats.in_memory, 20);
  EXPECT_EQ(stats.front, (Range{61, 81}));
  EXPECT_EQ(stats.refills, 1);
  EXPECT_EQ(stats.failures, 0);
  EXPECT_EQ(stats.waits, 1);
  EXPECT_EQ(stats.step, 80);
  EXPECT_EQ(stats.last_error, nullptr);
}

}  // namespace
}  // namespace nextid
