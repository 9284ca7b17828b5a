// What the counter may do to a sequence: be gone, be set back, be moved up, run out of numbers.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

// With [1, 61) in the window, of which 1 is used, and [61, 81) in memory.
void fill(ScriptedHost& host) {
  host.take();
  host.refill();
  host.next_id();
}

TEST(SequenceFloor, IsTheEndOfTheLastRange) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.wait(11);
  host.begin();
  EXPECT_EQ(host.asked[1].floor, 11);
  host.store->advance(100);
  host.grant();
  host.wait(50);
  host.begin();
  EXPECT_EQ(host.asked[2].floor, 110);
}

TEST(SequenceFloor, CanBeKnownBefore) {
  Sequence::Options options = fixed_step(10);
  options.given_below = 500;
  ScriptedHost host(options);
  EXPECT_EQ(host.sequence.floor(), 500);
  const Call& call = host.next_id();
  host.store->next = 499;
  host.refill();
  EXPECT_EQ(call.code(), ErrorCode::kSequenceRewound);
  host.store->next = 500;
  const Call& next = host.next_id();
  host.refill();
  EXPECT_EQ(next.id(), 500);
  EXPECT_EQ(host.sequence.floor(), 510);
}

TEST(SequenceFloor, IsKeptThroughErrors) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.wait(11);
  host.fail(final_error());
  host.wait(11);
  host.begin();
  EXPECT_EQ(host.asked[2].floor, 11);
}

TEST(SequenceFloor, IsThatOfTheWholeRangeThoughPartOfItIsThrownAway) {
  Sequence::Options options = fixed_step(10);
  options.max_number = 14;
  ScriptedHost host(options);
  host.wait(11);
  host.refill();
  host.wait(10);
  host.refill();
  host.begin();
  EXPECT_EQ(host.asked[2].floor, 22);
}

TEST(SequenceFloor, ACounterThatWasSeenMustExist) {
  ScriptedHost host(fixed_step(10));
  host.sequence.saw_counter(500);
  EXPECT_EQ(host.sequence.stats().seen_at, 500);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.code(), ErrorCode::kSequenceMissing);
}

// Others may have reserved what lay below, and give it back.
TEST(SequenceFloor, ACounterThatWasSeenMayFallBack) {
  ScriptedHost host(fixed_step(10));
  host.store->next = 510;
  host.sequence.saw_counter(510);
  host.store->release({503, 510});
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 503);
}

TEST(SequenceFloor, ACounterThatIsSeenMeanwhileDoesNotMakeTheRangeUnderWayARewoundOne) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.begin();
  const Result<Range> range = host.store->reserve(host.under_way->request);
  host.sequence.saw_counter(*host.store->next);
  host.answer(range);
  EXPECT_EQ(call.id(), 1);
  host.sequence.saw_counter(5);
  host.wait(10);
  host.begin();
  EXPECT_EQ(host.asked[1].floor, 11);
  EXPECT_EQ(host.sequence.stats().seen_at, 11);
}

class SequenceLosesItsCounter : public testing::TestWithParam<ErrorCode> {};

TEST_P(SequenceLosesItsCounter, MemoryAndWindowAreThrownAway) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  const Call& block = host.wait_for_block(500);
  EXPECT_EQ(host.next_id().id(), 2);
  ASSERT_FALSE(host.window.empty());
  if (GetParam() == ErrorCode::kSequenceMissing) {
    host.store->next.reset();
  } else {
    host.store->next = 50;
  }
  host.refill();
  EXPECT_EQ(block.code(), GetParam());
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.sequence.stats().in_memory, 0);
  EXPECT_EQ(host.sequence.stats().lost, 78);

  // It stays an error until the counter is moved up, and is none then.
  const Call& next = host.next_id();
  host.refill();
  EXPECT_EQ(next.code(), GetParam());
  host.store->advance(81);
  const Call& after = host.next_id();
  host.refill();
  EXPECT_EQ(after.id(), 81);
}

TEST_P(SequenceLosesItsCounter, NothingIsGivenBackToIt) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  host.wait_for_block(500);
  host.begin();
  host.close();
  host.answer(final_error(GetParam()));
  EXPECT_TRUE(host.releases.empty());
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.sequence.stats().lost, 79);
}

INSTANTIATE_TEST_SUITE_P(MissingAndRewound, SequenceLosesItsCounter,
                         testing::Values(ErrorCode::kSequenceMissing, ErrorCode::kSequenceRewound),
                         [](const auto& test) { return std::string(to_string(test.param).substr(11)); });

TEST(SequenceRewound, AStoreThatAnswersBelowTheFloorIsNotBelieved) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  const Call& block = host.wait_for_block(500);
  const Call& waiter = host.wait(100);
  host.begin();
  host.answer(Range{80, 700});
  for (const Call* call : {&block, &waiter}) {
    EXPECT_EQ(call->code(), ErrorCode::kSequenceRewound);
    EXPECT_EQ(call->error->error_class, ErrorClass::kFinal);
  }
  EXPECT_NE(block.error->message.find("nextid advance --store URL orders 81"), std::string::npos);
  EXPECT_EQ(host.sequence.stats().lost, 79 + 620);
  EXPECT_EQ(host.take(), Range{});
}

TEST(SequenceRewound, SoIsOneDuringClose) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  host.wait_for_block(500);
  host.begin();
  host.close();
  host.answer(Range{80, 700});
  EXPECT_TRUE(host.releases.empty());
  EXPECT_TRUE(host.is_closed);
}

class SequenceOverflow : public testing::Test {
 protected:
  static Sequence::Options up_to_25() {
    Sequence::Options options = fixed_step(10);
    options.max_number = 25;
    return options;
  }

  ScriptedHost host{up_to_25()};
};

TEST_F(SequenceOverflow, TheCounterMustStandBelowTheLimit) {
  host.take();
  host.begin();
  EXPECT_EQ(host.asked[0].limit, 26);
}

TEST_F(SequenceOverflow, EveryNumberUpToTheLargestIsGiven) {
  for (int64_t id = 1; id <= 25; ++id) {
    const Call& call = host.next_id();
    if (host.refill_requested) host.refill();
    ASSERT_EQ(call.id(), id);
  }
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.code(), ErrorCode::kIdOverflow);
  EXPECT_EQ(host.sequence.stats().lost, 5);
}

TEST_F(SequenceOverflow, ARangeThatReachesPastItIsCut) {
  const Call& first = host.wait(20);
  const Call& second = host.wait(5);
  const Call& third = host.wait(1);
  host.begin();
  host.answer(Range{1, 27});
  EXPECT_TRUE(first.served());
  EXPECT_EQ(second.pieces, (std::vector<Range>{{21, 26}}));
  EXPECT_TRUE(third.waiting);
  host.store->next = 27;
  host.refill();
  EXPECT_EQ(third.code(), ErrorCode::kIdOverflow);
}

TEST_F(SequenceOverflow, ARangeThatEndsRightThereIsWhole) {
  host.wait(0);
  host.begin();
  host.answer(Range{16, 26});
  EXPECT_EQ(host.sequence.stats().in_memory, 10);
  EXPECT_EQ(host.sequence.stats().lost, 0);
}

TEST_F(SequenceOverflow, ARangeBeyondItIsAnError) {
  const Call& call = host.next_id();
  const Call& block = host.wait_for_block(3);
  host.begin();
  host.answer(Range{26, 39});
  EXPECT_EQ(call.code(), ErrorCode::kIdOverflow);
  EXPECT_EQ(block.code(), ErrorCode::kIdOverflow);
  EXPECT_EQ(call.error->error_class, ErrorClass::kFinal);
  EXPECT_NE(call.error->message.find("25"), std::string::npos);
  EXPECT_EQ(host.sequence.stats().lost, 13);
  EXPECT_FALSE(host.refill_requested);
}

TEST_F(SequenceOverflow, FarBeyondItToo) {
  const Call& call = host.next_id();
  host.begin();
  host.answer(Range{1000, 1010});
  EXPECT_EQ(call.code(), ErrorCode::kIdOverflow);
  EXPECT_EQ(host.sequence.stats().lost, 10);
}

TEST_F(SequenceOverflow, WhatIsLeftOutlivesIt) {
  host.store->next = 21;
  host.wait(3);
  host.refill();
  EXPECT_EQ(host.next_id().id(), 24);
  const Call& many = host.wait(2);
  host.refill();
  EXPECT_EQ(many.code(), ErrorCode::kIdOverflow);
  EXPECT_EQ(host.next_id().id(), 25);
}

TEST(SequenceSkip, NumbersInTheWindow) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  host.skip_to(40);
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.sequence.stats().lost, 38);
  EXPECT_EQ(host.next_id().id(), 40);
}

TEST(SequenceSkip, NumbersInMemory) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  host.wait(74);
  host.begin();
  host.store->advance(1001);
  host.grant();
  host.skip_to(1003);
  EXPECT_EQ(host.sequence.stats().front, (Range{1003, 1081}));
  EXPECT_EQ(host.sequence.stats().lost, 5 + 2);
  host.skip_to(1081);
  EXPECT_EQ(host.sequence.stats().in_memory, 0);
}

TEST(SequenceSkip, UpToTheFirstInMemoryChangesNothing) {
  ScriptedHost host(fixed_step(80));
  fill(host);
  host.skip_to(2);
  EXPECT_EQ(host.sequence.stats().lost, 0);
  EXPECT_EQ(host.next_id().id(), 2);
}

TEST(SequenceSkip, NumbersOnTheirWay) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.begin();
  host.skip_to(8);
  host.grant();
  EXPECT_EQ(call.id(), 8);
  EXPECT_EQ(host.sequence.stats().lost, 7);
}

TEST(SequenceSkip, AllNumbersOnTheirWay) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.begin();
  const Result<Range> range = host.store->reserve(host.under_way->request);
  host.skip_to(host.store->advance(500));
  host.answer(range);
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.sequence.stats().lost, 10);
  EXPECT_EQ(host.sequence.stats().last_error, nullptr);
  host.refill();
  EXPECT_EQ(call.id(), 500);
}

TEST(SequenceSkip, NeverGoesBack) {
  ScriptedHost host(fixed_step(10));
  host.skip_to(8);
  host.skip_to(3);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 8);
}

TEST(SequenceSkip, WhileOthersWait) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  const Call& many = host.wait(12);
  host.skip_to(9);
  host.refill();
  EXPECT_EQ(host.asked[1].count, 10);
  EXPECT_EQ(many.pieces, (std::vector<Range>{{9, 21}}));
}

}  // namespace
}  // namespace nextid
