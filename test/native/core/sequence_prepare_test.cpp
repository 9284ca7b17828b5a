// Before a period ends, a first range of the next one is reserved, so that nobody waits at midnight.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::seconds;

// With 9 numbers of today left, and nothing under way.
void fill(ScriptedHost& host) {
  host.take();
  host.refill();
  host.next_id();
}

TEST(SequencePrepare, ReservesARangeOfTheNextPeriod) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.begin();
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow);
  EXPECT_EQ(host.asked[1].counter.name, "orders");
  EXPECT_EQ(host.asked[1].count, 10);
  EXPECT_EQ(host.asked[1].floor, std::nullopt);
  EXPECT_FALSE(host.asked[1].unbroken);
  host.grant();
  EXPECT_EQ(host.sequence.stats().in_memory, 12) << "2 below the window, and 10 of tomorrow";
  EXPECT_EQ(prefix_of(host.sequence.counter()), kToday);
  EXPECT_EQ(host.next_id().id(), 2);
  EXPECT_EQ(host.refill_requests, 2);
}

TEST(SequencePrepare, NoNumberOfItIsHandedOutEarly) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  host.use_window();
  host.use_window();
  for (int64_t id = 9; id <= 30; ++id) {
    const Call& call = host.next_id();
    if (host.refill_requested) host.refill();
    EXPECT_EQ(call.id(), id);
    EXPECT_EQ(call.prefix, kToday);
  }
  const Call& block = host.wait_for_block(30);
  while (block.waiting) host.refill();
  EXPECT_EQ(block.prefix, kToday);
}

TEST(SequencePrepare, TheSwitchFindsItsNumbersInMemory) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{2, 11}}));
  EXPECT_TRUE(host.giving_back(kTomorrow).empty());
  EXPECT_EQ(host.sequence.stats().front, (Range{1, 11}));
  EXPECT_EQ(host.sequence.floor(), 11);
  EXPECT_EQ(host.next_id().id(), 1);
  EXPECT_EQ(host.refill_requests, 2);
}

TEST(SequencePrepare, SkippedNumbersAreThoseOfThePeriodThatIsNamed) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  EXPECT_TRUE(host.sequence.skip_to(5, kTomorrow, host.now));
  EXPECT_TRUE(host.sequence.skip_to(100, kTomorrow + 1, host.now));
  EXPECT_EQ(host.next_id().id(), 2) << "of today";
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.next_id().id(), 5);
}

TEST(SequencePrepare, TheSwitchServesThoseWhoWait) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  const Call& waiter = host.wait(10);
  host.switch_to(kTomorrow);
  EXPECT_EQ(waiter.pieces, (std::vector<Range>{{1, 11}}));
  EXPECT_FALSE(host.kept_alive);
}

TEST(SequencePrepare, OnceIsEnough) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.prepare(kTomorrow);
  host.begin();
  host.prepare(kTomorrow);
  EXPECT_EQ(host.refill_requests, 1);
  EXPECT_TRUE(host.abandoned.empty());
  host.grant();
  host.prepare(kTomorrow);
  host.next_id();
  EXPECT_EQ(host.refill_requests, 2);
  host.refill();
  EXPECT_EQ(prefix_of(host.asked.back().counter), kToday);
}

TEST(SequencePrepare, ThePeriodThatIsOnNeedsNothing) {
  ScriptedHost host(dated_step(10));
  host.prepare(kToday);
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequencePrepare, WhatIsNeededNowGoesFirst) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  const Call& call = host.next_id();
  const Call& block = host.wait_for_block(3);
  host.refill();
  EXPECT_EQ(prefix_of(host.asked[0].counter), kToday);
  EXPECT_TRUE(call.served() && block.served());
  host.refill();
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow);
  EXPECT_EQ(host.asked[1].count, 10);
}

TEST(SequencePrepare, ABlockAloneGoesFirstToo) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  const Call& block = host.wait_for_block(3);
  host.refill();
  EXPECT_TRUE(block.served());
  EXPECT_EQ(host.asked[0].count, 3);
  host.refill();
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow);
}

TEST(SequencePrepare, WhoComesMeanwhileIsServedRightAfter) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.begin();
  const Call& call = host.next_id();
  const Call& block = host.wait_for_block(3);
  host.grant();
  EXPECT_TRUE(call.waiting && block.waiting) << "those are numbers of tomorrow";
  host.refill();
  EXPECT_EQ(call.prefix, kToday);
  EXPECT_TRUE(block.served());
}

TEST(SequencePrepare, APassingErrorIsTriedAgain) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.fail(passing_error());
  EXPECT_FALSE(host.kept_alive);
  host.fire_timer();
  host.fail(doubtful_error(10));
  host.fire_timer();
  host.refill();
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.next_id().id(), 1);
  EXPECT_EQ(host.sequence.stats().lost, 10);
}

// As any prefetch that nobody waits for.
TEST(SequencePrepare, IsNotTriedForEver) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  int tries = 0;
  while (host.refill_requested) {
    host.fail(passing_error());
    ++tries;
    if (host.timer_at) host.fire_timer();
  }
  EXPECT_EQ(tries, 13);
}

TEST(SequencePrepare, AFinalErrorRefusesNobody) {
  for (const ErrorCode code :
       {ErrorCode::kAccessDenied, ErrorCode::kSequenceMissing, ErrorCode::kPeriodPruned}) {
    ScriptedHost host(dated_step(10));
    fill(host);
    host.prepare(kTomorrow);
    host.begin();
    const Call& waiter = host.wait(20);
    host.answer(final_error(code));
    EXPECT_TRUE(waiter.waiting);
    EXPECT_EQ(host.sequence.stats().lost, 0) << "the numbers of today are not its business";
    host.refill();
    EXPECT_EQ(waiter.pieces, (std::vector<Range>{{2, 22}}));
    EXPECT_FALSE(host.refill_requested);
    EXPECT_EQ(prefix_of(host.asked.back().counter), kToday);

    // Who comes to that period hears of it.
    host.switch_to(kTomorrow);
    const Call& tomorrow = host.next_id();
    host.fail(final_error(code));
    EXPECT_EQ(tomorrow.code(), code);
  }
}

TEST(SequencePrepare, AFinalErrorLeavesTheWindowAlone) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.fail(final_error(ErrorCode::kSequenceMissing));
  EXPECT_EQ(host.window, (Range{2, 9}));
}

TEST(SequencePrepare, ARangeOfItPastTheLargestNumberRefusesNobody) {
  Sequence::Options options = dated_step(10);
  options.max_number = 25;
  ScriptedHost host(options);
  host.prepare(kTomorrow);
  host.begin();
  const Call& call = host.next_id();
  host.answer(Range{30, 40});
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.sequence.stats().lost, 10);
  EXPECT_EQ(host.sequence.stats().last_error, nullptr);
  host.refill();
  EXPECT_EQ(call.id(), 1);
}

// A period that was there before, and is come back to: it must not begin anew.
TEST(SequencePrepare, RemembersWhatThePeriodGave) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.switch_to(kTomorrow);
  host.prepare(kToday);
  host.begin();
  EXPECT_EQ(host.asked[1].floor, 2);
  host.answer(Range{1, 11});
  EXPECT_EQ(host.sequence.stats().last_error->code, ErrorCode::kSequenceRewound);
  EXPECT_EQ(host.sequence.stats().in_memory, 9) << "what is being given back";
}

TEST(SequencePrepare, TheSwitchBeforeItIsAnsweredTakesTheRefillOver) {
  ScriptedHost host(dated_step(10));
  fill(host);
  const Call& early = host.wait(9);
  host.refill();
  host.prepare(kTomorrow);
  host.begin();
  const Call& waiter = host.wait(12);
  const Call& block = host.wait_for_block(30);
  host.switch_to(kTomorrow);
  EXPECT_TRUE(early.served());
  EXPECT_TRUE(host.abandoned.empty());
  EXPECT_FALSE(host.refill_requested) << "it is under way";
  host.grant();
  EXPECT_TRUE(waiter.waiting);
  host.refill();
  EXPECT_EQ(host.asked.back().floor, 11);
  EXPECT_TRUE(waiter.served() && block.served());
}

TEST(SequencePrepare, ARefillThatWasTakenOverFailsForEverybody) {
  for (const bool passing : {true, false}) {
    ScriptedHost host(dated_step(10));
    host.prepare(kTomorrow);
    host.begin();
    const Call& waiter = host.next_id();
    host.switch_to(kTomorrow);
    host.answer(passing ? passing_error() : final_error());
    EXPECT_EQ(waiter.waiting, passing);
    EXPECT_EQ(waiter.error.has_value(), !passing);
    if (passing) host.fire_timer();
    EXPECT_EQ(host.refill_requested, passing);
  }
}

TEST(SequencePrepare, ARefillThatWasTakenOverAnswersTheCallersOfTheNewPeriod) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.begin();
  host.switch_to(kTomorrow);
  host.take();
  host.grant();
  EXPECT_FALSE(host.refill_requested) << "the prefetch is done with it";
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST(SequencePrepare, ARefillThatWasTakenOverCanBeLetGo) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.begin();
  host.switch_to(kTomorrow);
  host.switch_to(kToday);
  ASSERT_EQ(host.abandoned.size(), 1u);
  host.grant_abandoned();
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
}

TEST(SequencePrepare, TheSwitchBeforeItHasBegun) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.switch_to(kTomorrow);
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt) << "nobody wants it yet";
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 1);
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequencePrepare, TheSwitchLetsARefillOfTheOldPeriodGo) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.refill();
  host.wait(4);
  host.begin();
  host.switch_to(kTomorrow);
  ASSERT_EQ(host.abandoned.size(), 1u);
  host.grant_abandoned();
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{1, 11}}));
  EXPECT_TRUE(host.giving_back(kTomorrow).empty());
}

// The refill under way is of the old period, or of one that does not come: neither is what is wanted now.
TEST(SequencePrepare, TheSwitchToAThirdPeriodLetsItGo) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.begin();
  const Call& call = host.next_id();
  host.switch_to(kTomorrow + 1);
  ASSERT_EQ(host.abandoned.size(), 1u);
  host.refill();
  EXPECT_EQ(call.prefix, kTomorrow + 1);
  host.grant_abandoned();
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
}

TEST(SequencePrepare, ForAnotherPeriodAfterTheFirstWasReserved) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.refill();
  host.prepare(kTomorrow + 1);
  EXPECT_TRUE(host.abandoned.empty());
  host.refill();
  host.grant_release();
  host.close();
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
}

TEST(SequencePrepare, ForAnotherPeriodGivesTheFirstBack) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.refill();
  host.prepare(kTomorrow + 1);
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
  host.refill();
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow + 1);
  host.grant_release();
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.giving_back(kTomorrow + 1), (std::vector<Range>{{1, 11}}));
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 1);
}

TEST(SequencePrepare, ForAnotherPeriodLetsTheFirstRefillGo) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.begin();
  host.prepare(kTomorrow + 1);
  ASSERT_EQ(host.abandoned.size(), 1u);
  host.refill();
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow + 1);
  host.grant_abandoned();
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
  EXPECT_TRUE(host.giving_back(kTomorrow + 1).empty());
}

TEST(SequencePrepare, ForAnotherPeriodLeavesARefillOfTheCurrentOneAlone) {
  ScriptedHost host(dated_step(10));
  const Call& call = host.next_id();
  host.begin();
  host.prepare(kTomorrow);
  host.prepare(kTomorrow + 1);
  EXPECT_TRUE(host.abandoned.empty());
  host.grant();
  EXPECT_TRUE(call.served());
  host.refill();
  EXPECT_EQ(prefix_of(host.asked[1].counter), kTomorrow + 1);
}

TEST(SequencePrepare, AClockSetBackAfterTheSwitch) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.next_id().id(), 1);
  host.grant_release();
  host.switch_to(kToday);
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{2, 11}}));
  host.grant_release();
  host.prepare(kTomorrow);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 2);
  EXPECT_EQ(call.prefix, kToday);
  host.refill();
  EXPECT_EQ(host.asked.back().floor, 2);
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.next_id().id(), 2);
}

TEST(SequencePrepare, CloseGivesBothBack) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  host.close();
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{2, 11}}));
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
  host.grant_release();
  EXPECT_FALSE(host.is_closed);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.counters->of(kTomorrow).next, 1);
}

TEST(SequencePrepare, CloseWaitsForItsRange) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.begin();
  host.close();
  EXPECT_FALSE(host.is_closed);
  host.grant();
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
}

TEST(SequencePrepare, CloseGivesNothingBackToACounterThatWasSetBack) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.switch_to(kTomorrow);
  host.grant_release();
  host.prepare(kToday);
  host.begin();
  host.close();
  host.answer(Range{1, 11});
  EXPECT_TRUE(host.is_closed);
}

TEST(SequencePrepare, AfterCloseNothingHappens) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.refill();
  host.close();
  host.prepare(kTomorrow + 1);
  EXPECT_EQ(host.sequence.stats().in_memory, 10) << "what is being given back";
  EXPECT_FALSE(host.refill_requested);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
}

TEST(SequencePrepare, IsTriedAgainWithTheNextCall) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  while (host.refill_requested) {
    host.fail(passing_error());
    if (host.timer_at) host.fire_timer();
  }
  host.move_clock(seconds(2));
  host.use_window();
  host.take();
  host.refill();
  host.refill();
  EXPECT_EQ(prefix_of(host.asked.back().counter), kTomorrow);
}

}  // namespace
}  // namespace nextid
