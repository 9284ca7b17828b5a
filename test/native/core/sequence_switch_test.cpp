// A dated sequence moves to another period: what is left of the old one goes back, those who wait stay.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// With [1, 9) in the window, of which 1 is used, and [9, 11) in memory.
void fill(ScriptedHost& host) {
  host.take();
  host.refill();
  host.next_id();
}

TEST(SequenceSwitch, TheWindowAndTheMemoryAreGivenBack) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.switch_to(kTomorrow);
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{2, 11}}));
  EXPECT_EQ(host.sequence.stats().in_memory, 9);
  host.grant_release();
  EXPECT_EQ(host.store->next, 2);
  const Sequence::Stats stats = host.sequence.stats();
  EXPECT_EQ(stats.in_memory, 0);
  EXPECT_EQ(stats.returned, 9);
  EXPECT_EQ(stats.lost, 0);
  EXPECT_EQ(stats.handed_out, 1);
  EXPECT_FALSE(host.is_closed);
}

TEST(SequenceSwitch, NumbersThatTheCounterDoesNotTakeBackAreLost) {
  for (const Result<bool>& result : {Result<bool>(false), Result<bool>(doubtful_error())}) {
    ScriptedHost host(dated_step(10));
    fill(host);
    host.switch_to(kTomorrow);
    host.answer_release(result);
    EXPECT_EQ(host.sequence.stats().lost, 9);
    EXPECT_EQ(host.sequence.stats().returned, 0);
    EXPECT_EQ(host.sequence.stats().in_memory, 0);
  }
}

TEST(SequenceSwitch, AllRangesGoBackTheLastOneFirst) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.use_window();
  host.take();
  host.store->advance(101);
  host.refill();
  EXPECT_EQ(host.window, (Range{9, 11}));
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{101, 111}, {9, 11}}));
  EXPECT_EQ(host.sequence.stats().lost, 0);
}

TEST(SequenceSwitch, NothingLeftNothingGivenBack) {
  ScriptedHost host(dated_step(10));
  host.wait(10);
  host.refill();
  host.switch_to(kTomorrow);
  EXPECT_TRUE(host.releases.empty());
}

TEST(SequenceSwitch, ToTheSamePeriodChangesNothing) {
  ScriptedHost host(dated_step(10));
  fill(host);
  const int calls = host.host_calls;
  host.switch_to(kToday);
  EXPECT_EQ(host.host_calls, calls);
  EXPECT_EQ(host.next_id().id(), 2);
}

TEST(SequenceSwitch, ThatCannotHaveTheWindowBackChangesNothing) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.begin();
  host.keeps_window = true;
  EXPECT_FALSE(host.sequence.switch_to(kTomorrow, host.now));
  EXPECT_EQ(prefix_of(host.sequence.counter()), kToday);
  EXPECT_TRUE(host.releases.empty());
  EXPECT_EQ(host.next_id().id(), 2);
  host.grant();
  host.keeps_window = false;
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST(SequenceSwitch, TheFirstCallOfThePeriodGetsItsLowestNumber) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.switch_to(kTomorrow);
  EXPECT_FALSE(host.refill_requested) << "nobody wants one yet";
  const Call& call = host.next_id();
  host.begin();
  EXPECT_TRUE(is<Dated>(host.asked[1].counter.kind));
  EXPECT_EQ(host.asked[1].counter.name, "orders");
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow);
  EXPECT_EQ(host.asked[1].floor, std::nullopt);
  host.grant();
  EXPECT_EQ(call.id(), 1);
  EXPECT_EQ(call.prefix, kTomorrow);
}

// Midnight passes while nothing is wanted: the prefetch that was due was of the old counter.
TEST(SequenceSwitch, ADuePrefetchIsForgotten) {
  ScriptedHost host(dated_step(10));
  host.take();
  host.switch_to(kTomorrow);
  EXPECT_TRUE(host.refill_requested);
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt);
}

TEST(SequenceSwitch, WaitersAndBlocksAreServedFromTheNewCounter) {
  ScriptedHost host(dated_step(10));
  fill(host);
  const Call& waiter = host.wait(20);
  const Call& block = host.wait_for_block(15);
  host.begin();
  host.switch_to(kTomorrow);
  EXPECT_TRUE(waiter.waiting && block.waiting);
  EXPECT_TRUE(host.refill_requested);
  host.refill();
  EXPECT_EQ(waiter.pieces, (std::vector<Range>{{16, 36}}));
  EXPECT_EQ(block.pieces, (std::vector<Range>{{1, 16}}));
  EXPECT_EQ(block.prefix, kTomorrow);
  EXPECT_EQ(host.asked[2].count, 35);
}

TEST(SequenceSwitch, AWaiterAloneIsEnoughToAskTheNewCounter) {
  ScriptedHost host(dated_step(10));
  const Call& waiter = host.wait(3);
  host.begin();
  host.switch_to(kTomorrow);
  host.refill();
  EXPECT_EQ(waiter.id(), 1);
}

TEST(SequenceSwitch, WaitersKeepTheirDeadlines) {
  ScriptedHost host(dated_step(10));
  const Call& first = host.next_id();
  host.move_clock(seconds(4));
  const Call& second = host.wait_for_block(2);
  host.begin();
  host.move_clock(seconds(4));
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.timer_at, TimePoint{} + seconds(10));
  host.begin();
  host.move_clock(seconds(2));
  EXPECT_EQ(first.code(), ErrorCode::kTimeout);
  EXPECT_TRUE(second.waiting);
  host.move_clock(seconds(4));
  EXPECT_EQ(second.code(), ErrorCode::kTimeout);
}

// A worker thread was wanted already: it serves the new counter.
TEST(SequenceSwitch, ARequestedRefillAsksTheNewCounter) {
  ScriptedHost host(dated_step(10));
  const Call& call = host.next_id();
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.refill_requests, 1);
  EXPECT_TRUE(host.abandoned.empty());
  host.refill();
  EXPECT_EQ(call.prefix, kTomorrow);
  EXPECT_EQ(prefix_of(host.asked.at(0).counter), kTomorrow);
}

// The pause is the store's, not the counter's.
TEST(SequenceSwitch, APauseGoesOn) {
  ScriptedHost host(dated_step(10));
  const Call& call = host.next_id();
  host.fail(passing_error());
  ASSERT_GT(host.timer_at.value(), host.now);
  host.switch_to(kTomorrow);
  EXPECT_FALSE(host.refill_requested);
  host.fire_timer();
  host.refill();
  EXPECT_EQ(call.prefix, kTomorrow);
}

TEST(SequenceSwitch, APauseThatNobodyNeedsAnyMoreEnds) {
  ScriptedHost host(dated_step(10));
  host.take();
  host.fail(passing_error());
  host.switch_to(kTomorrow);
  host.move_clock(seconds(60));
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.timer_at, std::nullopt);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 1);
}

// Or each midnight would bring many small refills.
TEST(SequenceSwitch, TheStepAndTheRateSurvive) {
  Sequence::Options options = dated_step(1);
  options.step = {.min = 10, .max = 1000};
  ScriptedHost host(options);
  host.begins_at_once = true;
  while (host.sequence.stats().step < 160) {
    host.next_id();
    host.move_clock(milliseconds(1));
    if (host.under_way) host.grant();
  }
  const double rate = host.sequence.stats().rate;
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.sequence.stats().step, 160);
  EXPECT_EQ(host.sequence.stats().rate, rate);
  host.next_id();
  EXPECT_GE(host.asked.back().count, 80);
  EXPECT_EQ(prefix_of(host.asked.back().counter), kTomorrow);
}

TEST(SequenceSwitch, SkippedNumbersAreThoseOfTheOldCounter) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.skip_to(8);
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{8, 11}}));
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 1);
}

TEST(SequenceSwitch, StatsAreOfTheCounterThatIsOn) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.sequence.stats().given_below, std::nullopt);
  EXPECT_EQ(host.sequence.stats().seen_at, std::nullopt);
  EXPECT_EQ(host.sequence.stats().front, std::nullopt);
  host.switch_to(kToday);
  EXPECT_EQ(host.sequence.stats().given_below, 2);
}

TEST(SequenceSwitch, AfterCloseNothingHappens) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.close();
  host.switch_to(kTomorrow);
  EXPECT_EQ(prefix_of(host.sequence.counter()), kToday);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
}

TEST(SequenceSwitch, CloseWaitsForWhatIsBeingGivenBack) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.switch_to(kTomorrow);
  fill(host);
  host.close();
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{2, 11}}));
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{2, 11}}));
  host.grant_release(1);
  EXPECT_FALSE(host.is_closed);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.sequence.stats().returned, 18);
}

}  // namespace
}  // namespace nextid
