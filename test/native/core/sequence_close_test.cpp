// close(), from every state: nobody is left waiting, the unused tail goes back once, the rest is lost.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::seconds;

TEST(SequenceClose, Idle) {
  ScriptedHost host(fixed_step(10));
  host.close();
  EXPECT_TRUE(host.is_closed);
  EXPECT_TRUE(host.releases.empty());
}

TEST(SequenceClose, LaterCallsAreRefused) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.close();
  EXPECT_EQ(host.next_id().code(), ErrorCode::kClosed);
  EXPECT_EQ(host.wait(0).code(), ErrorCode::kClosed);
  EXPECT_EQ(host.wait_for_block(1).code(), ErrorCode::kClosed);
  EXPECT_EQ(host.take(), Range{});
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceClose, RefillRequested) {
  ScriptedHost host(fixed_step(10));
  const Call& waiter = host.next_id();
  const Call& block = host.wait_for_block(5);
  host.close();
  EXPECT_EQ(waiter.code(), ErrorCode::kClosed);
  EXPECT_EQ(block.code(), ErrorCode::kClosed);
  EXPECT_FALSE(host.is_closed);
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt);
  EXPECT_TRUE(host.is_closed);
}

TEST(SequenceClose, RefillRequestedAndNumbersInMemory) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.wait(11);
  host.close();
  EXPECT_TRUE(host.releases.empty());
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt);
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{1, 11}}));
}

TEST(SequenceClose, RefillUnderWayBringsNumbers) {
  ScriptedHost host(fixed_step(10));
  const Call& waiter = host.next_id();
  host.begin();
  host.close();
  EXPECT_EQ(waiter.code(), ErrorCode::kClosed);
  EXPECT_FALSE(host.is_closed);
  host.grant();
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{1, 11}}));
  EXPECT_FALSE(host.is_closed);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.store->next, 1);
  EXPECT_EQ(host.sequence.stats().returned, 10);
}

TEST(SequenceClose, RefillUnderWayFails) {
  for (const Error& error : {passing_error(), doubtful_error(10), final_error()}) {
    ScriptedHost host(fixed_step(10));
    host.next_id();
    host.begin();
    host.close();
    host.answer(error);
    EXPECT_TRUE(host.is_closed);
    EXPECT_TRUE(host.releases.empty());
    EXPECT_EQ(host.sequence.stats().lost, error.lost);
  }
}

TEST(SequenceClose, RefillUnderWayFailsWithNumbersInMemory) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.wait(11);
  host.begin();
  host.close();
  host.answer(passing_error());
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{1, 11}}));
}

TEST(SequenceClose, RefillUnderWayIsPastTheLargestNumber) {
  Sequence::Options options = fixed_step(10);
  options.max_number = 25;
  ScriptedHost host(options);
  host.next_id();
  host.begin();
  host.close();
  host.answer(Range{30, 40});
  EXPECT_TRUE(host.is_closed);
  EXPECT_TRUE(host.releases.empty());
  EXPECT_EQ(host.sequence.stats().lost, 10);
}

TEST(SequenceClose, Paused) {
  ScriptedHost host(fixed_step(10));
  const Call& waiter = host.next_id();
  host.fail(passing_error());
  host.close();
  EXPECT_EQ(waiter.code(), ErrorCode::kClosed);
  EXPECT_TRUE(host.is_closed);
  host.move_clock(seconds(60));
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceClose, PausedAndNumbersInMemory) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.wait(11);
  host.fail(passing_error());
  host.close();
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{1, 11}}));
  host.move_clock(seconds(60));
  host.answer_release(true);
}

TEST(SequenceClose, TheWindowGoesBackWithTheRest) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  host.close();
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{2, 81}}));
  host.grant_release();
  EXPECT_EQ(host.store->next, 2);
}

TEST(SequenceClose, AWindowThatIsAllThereIs) {
  ScriptedHost host(fixed_step(1));
  host.take();
  host.refill();
  host.take();
  host.begin();
  host.close();
  host.answer(passing_error());
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{1, 2}}));
}

TEST(SequenceClose, NothingLeft) {
  ScriptedHost host(fixed_step(10));
  host.wait(10);
  host.refill();
  host.close();
  EXPECT_TRUE(host.is_closed);
  EXPECT_TRUE(host.releases.empty());
  EXPECT_EQ(host.sequence.stats().handed_out, 10);
}

TEST(SequenceClose, RangesThatAdjoinGoBackAsOne) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait(75);
  host.begin();
  host.close();
  host.grant();
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{76, 161}}));
  host.grant_release();
  EXPECT_EQ(host.store->next, 76);
  EXPECT_EQ(host.sequence.stats().lost, 0);
}

TEST(SequenceClose, AllRangesGoBackTheLastOneFirst) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.wait(75);
  host.begin();
  host.store->advance(1001);
  host.store->advanced = 0;  // as others who reserved move it
  host.grant();
  host.next_id();
  host.close();
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{1001, 1081}, {77, 81}}));
  host.grant_release();
  EXPECT_FALSE(host.is_closed);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.store->next, 1001);
  EXPECT_EQ(host.store->returned, (std::vector<Range>{{77, 81}}));
  const Sequence::Stats stats = host.sequence.stats();
  EXPECT_EQ(stats.returned, 84);
  EXPECT_EQ(stats.lost, 0);
  EXPECT_EQ(stats.in_memory, 0);
}

TEST(SequenceClose, SomebodyReservedAfterUs) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.close();
  host.store->next = 21;
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.store->next, 21);
  EXPECT_EQ(host.store->returned, (std::vector<Range>{{1, 11}}));
  EXPECT_EQ(host.sequence.stats().returned, 10);
}

TEST(SequenceClose, TheCounterWasAdvancedMeanwhile) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.close();
  host.store->advance(21);
  host.grant_release();
  EXPECT_EQ(host.store->returned, (std::vector<Range>{}));
  EXPECT_EQ(host.sequence.stats().lost, 10);
  EXPECT_EQ(host.sequence.stats().returned, 0);
}

TEST(SequenceClose, ADoubtfulReleaseIsNotSentAgain) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.close();
  host.answer_release(doubtful_error());
  EXPECT_TRUE(host.is_closed);
  EXPECT_TRUE(host.releases.empty());
  EXPECT_EQ(host.sequence.stats().lost, 10);
  EXPECT_EQ(host.timer_at, std::nullopt);
}

TEST(SequenceClose, SkippedNumbersAreNotGivenBack) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.begin();
  host.skip_to(8);
  host.close();
  host.grant();
  EXPECT_EQ(host.giving_back(), (std::vector<Range>{{8, 11}}));
}

TEST(SequenceClose, AfterACancelledWaiter) {
  ScriptedHost host(fixed_step(10));
  Call& waiter = host.next_id();
  host.cancel(waiter);
  host.close();
  EXPECT_FALSE(host.cancel(waiter));
  host.begin();
  EXPECT_TRUE(host.is_closed);
}

TEST(SequenceClose, ATimerThatStillFiresDoesNothing) {
  ScriptedHost host(fixed_step(10));
  host.next_id();
  host.fail(passing_error());
  host.close();
  host.sequence.on_timer(host.now + seconds(60));
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.timer_at, std::nullopt);
}

}  // namespace
}  // namespace nextid
