// Periods that follow each other faster than the store answers: abandoned refills, numbers that are
// still being given back, and what is known of a counter that is come back to.

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

// The counter of today gave [1, 11), of which 1, 2 and 3 were handed out and 7 numbers are being given back.
void come_back(ScriptedHost& host) {
  host.take();
  host.refill();
  host.wait(3);
  host.switch_to(kTomorrow);
  host.switch_to(kToday);
}

TEST(SequenceAbandonedRefill, TheRangeIsGivenBackWhenItArrives) {
  ScriptedHost host(dated_step(10));
  const Call& call = host.next_id();
  host.begin();
  host.switch_to(kTomorrow);
  ASSERT_EQ(host.abandoned.size(), 1u);
  EXPECT_EQ(host.sequence.returns().under_way, 1);
  host.grant_abandoned();
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{1, 11}}));
  EXPECT_EQ(host.sequence.returns().under_way, 1);
  EXPECT_EQ(host.sequence.stats().in_memory, 10);
  EXPECT_EQ(host.sequence.stats().refills, 1);
  host.grant_release();
  EXPECT_EQ(host.store->next, 1);
  EXPECT_EQ(host.sequence.stats().returned, 10);
  EXPECT_EQ(host.sequence.returns().under_way, 0);
  EXPECT_EQ(host.sequence.returns().ended, 2);
  host.refill();
  EXPECT_EQ(call.id(), 1);
  EXPECT_EQ(call.prefix, kTomorrow);
}

TEST(SequenceAbandonedRefill, ItsErrorIsNobodysButItsNumbersAreLost) {
  for (const Error& error : {passing_error(), doubtful_error(10), final_error(),
                             final_error(ErrorCode::kSequenceMissing), final_error(ErrorCode::kAcrossWrap)}) {
    ScriptedHost host(dated_step(10));
    const Call& call = host.next_id();
    const Call& block = host.wait_for_block(4);
    host.begin();
    host.switch_to(kTomorrow);
    host.begin();
    host.answer_abandoned(error);
    EXPECT_TRUE(call.waiting && block.waiting);
    EXPECT_EQ(host.sequence.stats().failures, 1);
    EXPECT_EQ(host.sequence.stats().lost, error.lost);
    EXPECT_EQ(host.sequence.stats().last_error, nullptr);
    host.grant();
    EXPECT_TRUE(call.served() && block.served());
  }
}

TEST(SequenceAbandonedRefill, AnEmptyRangeIsNotGivenBack) {
  ScriptedHost host(dated_step(10));
  host.next_id();
  host.begin();
  host.switch_to(kTomorrow);
  host.answer_abandoned(Range{5, 5});
  EXPECT_TRUE(host.releases.empty());
}

// Giving it back could move the counter below where advance() has put it.
TEST(SequenceAbandonedRefill, TheRangeIsNotGivenBackWhereTheCounterWasAdvancedMeanwhile) {
  for (const bool is_abandoned_before : {false, true}) {
    ScriptedHost host(dated_step(10));
    const Call& call = host.next_id();
    host.begin();
    if (is_abandoned_before) host.switch_to(kTomorrow);
    EXPECT_TRUE(host.sequence.skip_to(8, kToday, host.now));
    if (!is_abandoned_before) host.switch_to(kTomorrow);
    host.grant_abandoned();
    EXPECT_TRUE(host.releases.empty());
    EXPECT_EQ(host.sequence.stats().lost, 10);
    EXPECT_EQ(host.sequence.returns().under_way, 0);
    host.refill();
    EXPECT_EQ(call.id(), 1);
    EXPECT_EQ(call.prefix, kTomorrow);
  }
}

// A late answer must not be taken for that of the refill which is under way now.
TEST(SequenceAbandonedRefill, ItIsToldFromThoseUnderWay) {
  ScriptedHost host(dated_step(10));
  const Call& call = host.next_id();
  for (int i = 0; i < 5; ++i) {
    host.begin();
    host.switch_to(i % 2 == 0 ? kTomorrow : kToday);
  }
  ASSERT_EQ(host.abandoned.size(), 5u);
  host.begin();
  for (const size_t which : {3, 0, 2, 0, 0}) host.grant_abandoned(which);
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.giving_back(kToday).size(), 3u);
  EXPECT_EQ(host.giving_back(kTomorrow).size(), 2u);
  for (const size_t which : {4, 0, 1, 1, 0}) host.grant_release(which);
  EXPECT_EQ(host.sequence.stats().returned + host.sequence.stats().lost, 50);
  host.grant();
  EXPECT_TRUE(call.served());
  EXPECT_EQ(call.prefix, kTomorrow);
}

// The sequence is between two refills, or pauses, when the answer comes.
TEST(SequenceAbandonedRefill, ItChangesNothingOfThePauseThatIsOn) {
  ScriptedHost host(dated_step(10));
  const Call& call = host.next_id();
  host.begin();
  host.switch_to(kTomorrow);
  host.fail(passing_error());
  const auto timer = host.timer_at;
  host.grant_abandoned();
  EXPECT_EQ(host.timer_at, timer);
  EXPECT_FALSE(host.refill_requested);
  EXPECT_NE(host.sequence.stats().last_error, nullptr);
  host.fire_timer();
  host.refill();
  EXPECT_TRUE(call.served());
}

TEST(SequenceAbandonedRefill, CloseWaitsForItAndGivesItsRangeBack) {
  ScriptedHost host(dated_step(10));
  host.next_id();
  host.begin();
  host.switch_to(kTomorrow);
  host.begin();
  host.close();
  host.grant();
  EXPECT_FALSE(host.is_closed);
  host.grant_abandoned();
  EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{1, 11}}));
  EXPECT_EQ(host.giving_back(kTomorrow), (std::vector<Range>{{1, 11}}));
  host.grant_release();
  EXPECT_FALSE(host.is_closed);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.sequence.stats().returned, 20);
}

TEST(SequenceAbandonedRefill, CloseWaitsForItThoughNothingElseIsUnderWay) {
  for (const bool fails : {false, true}) {
    ScriptedHost host(dated_step(10));
    Call& call = host.next_id();
    host.begin();
    host.cancel(call);
    host.switch_to(kTomorrow);
    host.close();
    EXPECT_FALSE(host.is_closed);
    if (fails) {
      host.answer_abandoned(passing_error());
    } else {
      host.grant_abandoned();
      EXPECT_FALSE(host.is_closed);
      host.grant_release();
    }
    EXPECT_TRUE(host.is_closed);
  }
}

TEST(SequenceAbandonedRefill, CloseWaitsForAllOfThem) {
  ScriptedHost host(dated_step(10));
  host.next_id();
  for (int i = 0; i < 4; ++i) {
    host.begin();
    host.switch_to(i % 2 == 0 ? kTomorrow : kToday);
  }
  host.close();
  host.begin();
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(host.is_closed);
    host.answer_abandoned(passing_error());
  }
  EXPECT_TRUE(host.is_closed);
}

// What the counter of a period is known to have given is remembered; that is its floor, and not the end of
// the last range, of which the rest was given back.
TEST(SequenceComeBack, GoesOnWhereItWas) {
  ScriptedHost host(dated_step(10));
  come_back(host);
  host.grant_release();
  const Call& call = host.next_id();
  host.begin();
  EXPECT_EQ(host.asked[1].floor, 4);
  host.grant();
  EXPECT_EQ(call.id(), 4);
}

TEST(SequenceComeBack, ThoughItsNumbersAreStillBeingGivenBack) {
  ScriptedHost host(dated_step(10));
  come_back(host);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 11);
  host.grant_release();
  EXPECT_EQ(host.store->returned, (std::vector<Range>{{4, 11}}));
  host.wait(15);
  host.refill();
  EXPECT_TRUE(host.sequence.stats().last_error == nullptr);
}

// The numbers of the first release lie above those of the second one.
TEST(SequenceComeBack, WithReleasesThatAreAnsweredInAnyOrder) {
  for (const bool last_first : {false, true}) {
    ScriptedHost host(dated_step(10));
    come_back(host);
    const Call& between = host.next_id();
    host.refill();
    host.switch_to(kTomorrow);
    host.switch_to(kToday);
    EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{4, 11}, {12, 21}}));
    host.grant_release(last_first ? 1 : 0);
    host.grant_release();
    const Call& call = host.next_id();
    host.refill();
    EXPECT_EQ(between.id(), 11);
    EXPECT_EQ(call.id(), 12);
  }
}

TEST(SequenceComeBack, ToACounterThatIsGoneOrWasSetBack) {
  for (const ErrorCode code : {ErrorCode::kSequenceMissing, ErrorCode::kSequenceRewound}) {
    ScriptedHost host(dated_step(10));
    come_back(host);
    host.grant_release();
    host.store->next = 3;
    if (code == ErrorCode::kSequenceMissing) host.store->next.reset();
    const Call& call = host.next_id();
    host.refill();
    EXPECT_EQ(call.code(), code);
    host.switch_to(kTomorrow);
    const Call& tomorrow = host.next_id();
    host.refill();
    EXPECT_EQ(tomorrow.id(), 1);
  }
}

TEST(SequenceComeBack, AStoreThatAnswersBelowTheFloorIsNotBelieved) {
  ScriptedHost host(dated_step(10));
  come_back(host);
  const Call& call = host.next_id();
  host.begin();
  host.answer(Range{3, 13});
  EXPECT_EQ(call.code(), ErrorCode::kSequenceRewound);
  EXPECT_EQ(host.sequence.stats().lost, 10);
}

// Nothing of it was handed out, so whoever gives it back may take the counter to where it began.
TEST(SequenceComeBack, ToACounterThatGaveNothingItIsAsIfItHadNeverBeenSeen) {
  ScriptedHost host(dated_step(10));
  host.take();
  host.refill();
  host.switch_to(kTomorrow);
  host.grant_release();
  host.switch_to(kToday);
  const Call& call = host.next_id();
  host.begin();
  EXPECT_EQ(host.asked[1].floor, std::nullopt);
  host.grant();
  EXPECT_EQ(call.id(), 1);
}

// A refill for the same period, abandoned before and answered after it was come back to.
TEST(SequenceComeBack, AnAbandonedRefillIsNotMissedAndMayBeGivenBack) {
  for (const bool answered_first : {false, true}) {
    ScriptedHost host(dated_step(10));
    host.take();
    host.refill();
    const Call& waiter = host.wait(15);
    host.begin();
    const Result<Range> late = host.store->reserve(host.under_way->request);
    EXPECT_EQ(late.value(), (Range{11, 21}));
    host.switch_to(kTomorrow);
    host.switch_to(kToday);
    host.begin();
    if (answered_first) {
      host.answer_abandoned(late);
      EXPECT_EQ(host.giving_back(kToday), (std::vector<Range>{{1, 11}, {11, 21}}));
      host.grant_release(1);
      host.grant_release(0);
      EXPECT_EQ(host.store->next, 1);
      host.grant();
      EXPECT_EQ(waiter.pieces, (std::vector<Range>{{1, 16}}));
    } else {
      host.grant();
      EXPECT_EQ(waiter.pieces, (std::vector<Range>{{21, 36}}));
      host.answer_abandoned(late);
      host.grant_release(1);
      host.grant_release(0);
      EXPECT_EQ(host.store->next, 36);
      EXPECT_EQ(host.store->returned, (std::vector<Range>{{11, 21}, {1, 11}}));
    }
    EXPECT_EQ(host.sequence.stats().last_error, nullptr);
  }
}

TEST(SequenceComeBack, TheFloorCountsWhatTheWindowHandedOut) {
  ScriptedHost host(dated_step(10));
  host.take();
  host.refill();
  for (int i = 0; i < 5; ++i) host.next_id();
  host.switch_to(kTomorrow);
  host.switch_to(kToday);
  EXPECT_EQ(host.sequence.floor(), 6);
  EXPECT_EQ(host.sequence.stats().given_below, 6);
}

TEST(SequenceComeBack, WhatEarlierSequencesOfThisProcessGaveIsKept) {
  Sequence::Options options = dated_step(10);
  options.given_in_period = {{kToday, 500}, {kTomorrow, 7}};
  ScriptedHost host(options);
  EXPECT_EQ(host.sequence.floor(), 500);
  host.switch_to(kTomorrow);
  EXPECT_EQ(host.sequence.floor(), 7);
  host.store->next = 500;
  host.switch_to(kToday);
  host.wait(4);
  host.refill();
  EXPECT_EQ(host.sequence.given_in_period(), (std::map<int64_t, int64_t>{{kToday, 504}, {kTomorrow, 7}}));
}

// The newest thousand, that is: of hours, six weeks.
TEST(SequenceComeBack, ManyPeriodsAreRemembered) {
  ScriptedHost host(dated_step(1));
  const auto period = [](int64_t i) { return 10'010'100 + i; };
  for (int64_t i = 0; i <= 1001; ++i) {
    host.switch_to(period(i));
    host.wait(1 + i % 7);
    host.refill();
  }
  for (int64_t i = 1000; i > 1; --i) {
    host.switch_to(period(i));
    EXPECT_EQ(host.sequence.floor(), 2 + i % 7);
  }
  EXPECT_EQ(host.sequence.given_in_period().size(), 1000u);
}

}  // namespace
}  // namespace nextid
