// Unbroken blocks: from memory if they fit, else reserved for themselves, beside the line of the waiters.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::seconds;

TEST(SequenceBlocks, FromMemoryIfItFits) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  EXPECT_EQ(host.wait_for_block(80).pieces, (std::vector<Range>{{1, 81}}));
  EXPECT_EQ(host.refill_requests, 1);
  EXPECT_EQ(host.sequence.stats().waits, 0);
}

TEST(SequenceBlocks, OfAWholeRangeLeaveNothingOfIt) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait_for_block(80);
  EXPECT_EQ(host.sequence.stats().front, std::nullopt);
  const Call& call = host.next_id();
  host.begin();
  host.store->advance(1001);
  host.grant();
  EXPECT_EQ(call.id(), 1001);
}

TEST(SequenceBlocks, TheWindowIsMemoryToo) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  EXPECT_EQ(host.wait_for_block(50).pieces, (std::vector<Range>{{2, 52}}));
  EXPECT_EQ(host.next_id().id(), 52);
}

TEST(SequenceBlocks, OneOfItsOwnOtherwise) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  const Call& block = host.wait_for_block(81);
  EXPECT_TRUE(block.waiting);
  host.begin();
  EXPECT_EQ(host.asked[1].count, 81);  // no step: nothing else is short of numbers
  host.grant();
  EXPECT_EQ(block.pieces, (std::vector<Range>{{1, 82}}));  // the new range adjoins
  EXPECT_EQ(host.next_id().id(), 82);
}

TEST(SequenceBlocks, DoNotDisturbTheOrderOfOthers) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  const Call& block = host.wait_for_block(500);
  EXPECT_EQ(host.next_id().id(), 1);
  host.begin();
  EXPECT_EQ(host.next_id().id(), 2);
  host.store->advance(1001);
  host.grant();
  EXPECT_EQ(block.pieces, (std::vector<Range>{{1001, 1501}}));
  for (int64_t id = 3; id <= 80; ++id) ASSERT_EQ(host.next_id().id(), id);
  host.refill();
  EXPECT_EQ(host.next_id().id(), 1501);
}

TEST(SequenceBlocks, AreNeverBroken) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait(75);
  host.begin();
  host.store->advance(1001);
  host.grant();
  EXPECT_EQ(host.sequence.stats().in_memory, 85);
  EXPECT_EQ(host.wait_for_block(80).pieces, (std::vector<Range>{{1001, 1081}}));
  EXPECT_TRUE(host.wait_for_block(6).waiting);
  EXPECT_EQ(host.wait(5).pieces, (std::vector<Range>{{76, 81}}));
}

TEST(SequenceBlocks, ShareARefillWithTheWaiters) {
  ScriptedHost host(fixed_step(10));
  const Call& one = host.next_id();
  const Call& block = host.wait_for_block(100);
  const Call& second_block = host.wait_for_block(50);
  const Call& many = host.wait(30);
  host.refill();
  ASSERT_EQ(host.asked.size(), 1u);
  EXPECT_EQ(host.asked[0].count, 100 + 50 + 31);
  EXPECT_EQ(block.pieces, (std::vector<Range>{{1, 101}}));
  EXPECT_EQ(second_block.pieces, (std::vector<Range>{{101, 151}}));
  EXPECT_EQ(one.id(), 151);
  EXPECT_EQ(many.pieces, (std::vector<Range>{{152, 182}}));
}

TEST(SequenceBlocks, AStepIsAskedForBesidesIfThePrefetchIsDue) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.take();
  host.wait_for_block(500);
  host.refill();
  EXPECT_EQ(host.asked[1].count, 580);
  EXPECT_EQ(host.sequence.stats().in_memory, 100);
}

// Or the callers would have to wait who come when the window is used up.
TEST(SequenceBlocks, APrefetchThatFellDueMeanwhileIsMadeUpFor) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait_for_block(500);
  host.begin();
  host.take();
  host.use_window();
  host.take();  // the watermark
  host.grant();
  EXPECT_TRUE(host.refill_requested);
  host.refill();
  EXPECT_EQ(host.asked[2].count, 80);
  host.use_window();
  EXPECT_TRUE(host.next_id().served());
}

TEST(SequenceBlocks, ThatComeMeanwhileAreServedByTheNextRefill) {
  ScriptedHost host(fixed_step(10));
  const Call& first = host.wait_for_block(20);
  host.begin();
  const Call& second = host.wait_for_block(5);
  const Call& waiter = host.next_id();
  host.grant();
  EXPECT_TRUE(first.served());
  EXPECT_TRUE(second.waiting && waiter.waiting);
  host.begin();
  EXPECT_EQ(host.asked[1].count, 15);
  host.grant();
  EXPECT_TRUE(second.served() && waiter.served());
}

TEST(SequenceBlocks, ThatComeMeanwhileTakeNoNumbersOfTheWaiters) {
  ScriptedHost host(fixed_step(10));
  const Call& waiter = host.wait(10);
  host.begin();
  const Call& block = host.wait_for_block(10);
  host.grant();
  EXPECT_TRUE(waiter.served());
  EXPECT_TRUE(block.waiting);
}

TEST(SequenceBlocks, AreNotStarvedByWaitersThatKeepComing) {
  ScriptedHost host(fixed_step(10));
  host.next_id();
  host.begin();
  for (int i = 0; i < 50; ++i) host.next_id();
  const Call& block = host.wait_for_block(100);
  for (int i = 0; i < 50; ++i) host.next_id();
  host.grant();
  EXPECT_TRUE(block.waiting);
  host.begin();
  for (int i = 0; i < 1000; ++i) host.next_id();
  host.grant();
  EXPECT_TRUE(block.served());
}

TEST(SequenceBlocks, FirstComeFirstServedAmongThemselves) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  Call& large = host.wait_for_block(100);
  Call& small = host.wait_for_block(5);  // would fit, but others were first
  EXPECT_TRUE(large.waiting && small.waiting);
  host.refill();
  EXPECT_EQ(host.ended, (std::vector<Call*>{&large, &small}));
}

TEST(SequenceBlocks, DoNotTakeWhatAWaiterNeeds) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  const Call& many = host.wait(81);
  const Call& block = host.wait_for_block(5);
  EXPECT_TRUE(block.waiting);
  host.refill();
  EXPECT_EQ(block.pieces, (std::vector<Range>{{1, 6}}));
  EXPECT_EQ(many.pieces, (std::vector<Range>{{6, 87}}));
}

TEST(SequenceBlocks, TimeOutAndCancel) {
  ScriptedHost host(fixed_step(10));
  const Call& first = host.wait_for_block(20);
  host.move_clock(seconds(1));
  Call& second = host.wait_for_block(30);
  const Call& third = host.wait_for_block(40);
  EXPECT_TRUE(host.cancel(second));
  EXPECT_FALSE(host.cancel(second));
  host.move_clock(seconds(9));
  EXPECT_EQ(first.code(), ErrorCode::kTimeout);
  host.begin();
  EXPECT_EQ(host.asked[0].count, 40);
  host.grant();
  EXPECT_EQ(third.pieces, (std::vector<Range>{{1, 41}}));
}

TEST(SequenceBlocks, DoNotCountAsARangeOfTheRate) {
  ScriptedHost host(with_step({.min = 10, .max = 100}));
  for (int i = 0; i < 5; ++i) {
    host.wait_for_block(1000);
    host.refill();
  }
  EXPECT_EQ(host.sequence.stats().step, 10);
  EXPECT_EQ(host.sequence.stats().rate, 0);
}

TEST(SequenceBlocks, CutShortBySomethingElseAreAskedForAgain) {
  ScriptedHost host(fixed_step(10));
  const Call& block = host.wait_for_block(100);
  host.begin();
  host.skip_to(51);
  host.grant();
  EXPECT_TRUE(block.waiting);
  host.refill();
  EXPECT_EQ(host.asked[1].count, 100);
  EXPECT_EQ(block.pieces, (std::vector<Range>{{51, 151}}));
}

}  // namespace
}  // namespace nextid
