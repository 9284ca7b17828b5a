// Cyclic and time-stamped sequences: a refill asks for what is waited for and no more, and nothing is kept.

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::seconds;

Sequence::Options time_stamped() {
  Sequence::Options options;
  options.counter = {.name = "trace", .kind = Timestamped{2}};
  options.max_number = INT64_MAX - 1;
  options.exact = true;
  options.max_skew = 77;
  return options;
}

Sequence::Options cyclic(int64_t cycle) {
  Sequence::Options options;
  options.counter = {.name = "serial", .kind = Cyclic{cycle}};
  options.exact = true;
  return options;
}

TEST(SequenceExact, ARefillAsksForExactlyTheWaiters) {
  ScriptedHost host(time_stamped());
  const Call& one = host.next_id();
  const Call& five = host.wait(5);
  host.begin();
  EXPECT_EQ(host.asked[0].count, 6);
  EXPECT_TRUE(is<Timestamped>(host.asked[0].counter.kind));
  EXPECT_EQ(std::get<Timestamped>(host.asked[0].counter.kind).digits, 2);
  EXPECT_EQ(host.asked[0].max_skew, 77);
  EXPECT_FALSE(host.asked[0].unbroken);
  host.answer(Range{1000, 1006});
  EXPECT_EQ(one.id(), 1000);
  EXPECT_EQ(five.pieces, (std::vector<Range>{{1001, 1006}}));
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceExact, WhoComesWhileItIsUnderWayIsServedByTheNext) {
  ScriptedHost host(time_stamped());
  host.next_id();
  host.begin();
  const Call& second = host.next_id();
  const Call& third = host.wait(3);
  host.grant();
  EXPECT_TRUE(second.waiting && third.waiting);
  host.refill();
  EXPECT_EQ(host.asked[1].count, 4);
  EXPECT_TRUE(second.served() && third.served());
}

// They may be below where advance() moved it; in the next round the same ids are right.
TEST(SequenceExact, CyclicIdsOnTheirWayAreThrownAwayIfTheCounterWasMovedUp) {
  ScriptedHost host(cyclic(99));
  const Call& call = host.next_id();
  host.begin();
  host.abandoned.push_back(*std::exchange(host.under_way, std::nullopt));
  EXPECT_TRUE(host.sequence.skip_to(50, 0, host.now));
  EXPECT_EQ(host.sequence.returns().under_way, 0);
  host.answer_abandoned(Range{5, 6});
  EXPECT_TRUE(call.waiting);
  host.begin();
  host.answer(Range{50, 51});
  EXPECT_EQ(call.id(), 50);
  const Call& later = host.next_id();
  host.begin();
  host.answer(Range{5, 6});
  EXPECT_EQ(later.id(), 5);
}

TEST(SequenceExact, SlotsOnTheirWayAreThrownAwayBelowWhereTheCounterWasMovedUp) {
  ScriptedHost host(time_stamped());
  const Call& call = host.next_id();
  host.begin();
  host.skip_to(2000);
  host.answer(Range{1000, 1001});
  EXPECT_TRUE(call.waiting);
  host.begin();
  host.answer(Range{2000, 2001});
  EXPECT_EQ(call.id(), 2000);
}

// Who comes before a worker thread is free is part of it.
TEST(SequenceExact, WhoComesBeforeItHasBegunIsPartOfIt) {
  ScriptedHost host(time_stamped());
  host.next_id();
  host.wait(9);
  host.refill();
  EXPECT_EQ(host.asked[0].count, 10);
  EXPECT_EQ(host.sequence.stats().waiters, 0);
}

TEST(SequenceExact, NothingIsFetchedAhead) {
  ScriptedHost host(time_stamped());
  EXPECT_EQ(host.take(), Range{});
  EXPECT_FALSE(host.refill_requested);
  host.next_id();
  host.refill();
  EXPECT_EQ(host.take(), Range{});
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.sequence.stats().step, 0);
}

TEST(SequenceExact, NumbersOfCallersThatLeftAreLost) {
  ScriptedHost host(time_stamped());
  Call& first = host.wait(4);
  const Call& second = host.wait(2);
  host.begin();
  host.cancel(first);
  host.grant();
  EXPECT_EQ(second.pieces, (std::vector<Range>{{1, 3}}));
  EXPECT_EQ(host.sequence.stats().lost, 4);
  const Call& third = host.next_id();
  host.refill();
  EXPECT_EQ(third.id(), 7);
}

// Another process may have been given 5 before the second call came.
TEST(SequenceExact, NumbersOfCallersThatLeftAreNotForThoseWhoCameLater) {
  ScriptedHost host(time_stamped());
  Call& first = host.wait(4);
  host.begin();
  const Call& second = host.next_id();
  host.cancel(first);
  host.grant();
  EXPECT_TRUE(second.waiting);
  EXPECT_EQ(host.sequence.stats().lost, 4);
  host.refill();
  EXPECT_EQ(second.id(), 5);
}

TEST(SequenceExact, NobodyIsLeft) {
  ScriptedHost host(time_stamped());
  Call& call = host.wait(4);
  host.begin();
  host.cancel(call);
  host.grant();
  EXPECT_EQ(host.sequence.stats().lost, 4);
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceExact, ACallerThatLeavesBeforeItHasBegunCostsNothing) {
  ScriptedHost host(time_stamped());
  Call& first = host.wait(4);
  Call& second = host.wait(2);
  host.cancel(first);
  host.begin();
  EXPECT_EQ(host.asked[0].count, 2);
  host.grant();
  EXPECT_TRUE(second.served());
  Call& third = host.wait_for_block(3);
  host.cancel(third);
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt);
}

TEST(SequenceExact, ErrorsAreTriedAgainOrEndTheWait) {
  ScriptedHost host(time_stamped());
  const Call& first = host.next_id();
  host.fail(passing_error());
  host.fire_timer();
  host.refill();
  EXPECT_TRUE(first.served());
  const Call& second = host.next_id();
  const Call& block = host.wait_for_block(2);
  host.fail(final_error(ErrorCode::kClockAhead));
  EXPECT_EQ(second.code(), ErrorCode::kClockAhead);
  EXPECT_EQ(block.code(), ErrorCode::kClockAhead);
}

TEST(SequenceExactBlocks, GoOneByOneAndInTurnWithThoseWhoWait) {
  ScriptedHost host(time_stamped());
  const Call& first = host.wait_for_block(3);
  const Call& waiter = host.wait(2);
  const Call& second = host.wait_for_block(5);
  const Call& last = host.wait(4);
  host.refill();
  EXPECT_EQ(host.asked[0].count, 3);
  EXPECT_TRUE(first.served());
  EXPECT_TRUE(second.waiting && waiter.waiting);
  host.refill();  // all who wait share one
  EXPECT_EQ(host.asked[1].count, 6);
  EXPECT_TRUE(waiter.served() && last.served());
  EXPECT_TRUE(second.waiting);
  host.refill();
  EXPECT_EQ(host.asked[2].count, 5);
  EXPECT_TRUE(second.served());
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceExactBlocks, WithoutEndDoNotKeepAnyoneWaiting) {
  ScriptedHost host(time_stamped());
  const Call* blocks[] = {&host.wait_for_block(1), &host.wait_for_block(1)};
  const Call& waiter = host.next_id();
  for (int i = 0; i < 2; ++i) {
    host.refill();
    EXPECT_TRUE(blocks[i]->served());
    host.wait_for_block(1);
  }
  host.refill();
  EXPECT_TRUE(waiter.served());
}

TEST(SequenceExactBlocks, ThatComeWhileWaitersAreAskedForAreNotServedByThem) {
  ScriptedHost host(time_stamped());
  const Call& waiter = host.wait(5);
  host.begin();
  const Call& block = host.wait_for_block(5);
  host.grant();
  EXPECT_TRUE(waiter.served());
  EXPECT_TRUE(block.waiting);
  host.refill();
  EXPECT_TRUE(block.served());
}

// Its numbers go to those who wait anyway, or are lost.
TEST(SequenceExactBlocks, WhoseCallerLeft) {
  ScriptedHost host(time_stamped());
  Call& block = host.wait_for_block(3);
  const Call& other = host.wait_for_block(3);
  host.begin();
  host.cancel(block);
  host.grant();
  EXPECT_TRUE(other.waiting) << "it was not asked for yet";
  EXPECT_EQ(host.sequence.stats().lost, 3);
  host.refill();
  EXPECT_EQ(other.pieces, (std::vector<Range>{{4, 7}}));
}

TEST(SequenceExactBlocks, OfNothingAreServedWhenTheStoreHasAnswered) {
  ScriptedHost host(time_stamped());
  const Call& ready = host.wait_for_block(0);
  EXPECT_TRUE(ready.waiting);
  host.fail(passing_error());
  EXPECT_TRUE(ready.waiting);
  host.fire_timer();
  host.begin();
  EXPECT_EQ(host.asked[1].count, 0);
  host.answer(Range{500, 500});
  EXPECT_TRUE(ready.served());
  EXPECT_TRUE(ready.pieces.empty());
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.sequence.stats().seen_at, 500);
  host.next_id();
  host.begin();
  EXPECT_EQ(host.asked[2].floor, 0) << "it was seen, and must exist";
}

// An empty range hands nothing out, and the store has checked the floor.
TEST(SequenceExactBlocks, OfNothingCannotBeRewound) {
  ScriptedHost host(time_stamped());
  host.next_id();
  host.refill();
  const Call& ready = host.wait_for_block(0);
  host.begin();
  EXPECT_EQ(host.asked[1].floor, 2);
  host.answer(Range{1, 1});
  EXPECT_TRUE(ready.served());
  EXPECT_EQ(host.sequence.floor(), 2);
}

TEST(SequenceExactBlocks, OfNothingAreRefusedWithTheStoresError) {
  ScriptedHost host(time_stamped());
  const Call& ready = host.wait_for_block(0);
  host.fail(final_error(ErrorCode::kOptionsConflict));
  EXPECT_EQ(ready.code(), ErrorCode::kOptionsConflict);
}

TEST(SequenceExactBlocks, OfNothingAndOthersInTheOrderTheyCame) {
  ScriptedHost host(time_stamped());
  const Call& first = host.wait_for_block(0);
  const Call& second = host.wait_for_block(2);
  const Call& third = host.wait_for_block(0);
  for (const Call* call : {&first, &second, &third}) {
    EXPECT_TRUE(call->waiting);
    host.refill();
    EXPECT_TRUE(call->served());
  }
}

TEST(SequenceExactBlocks, TimeOutOnTheirOwn) {
  ScriptedHost host(time_stamped());
  const Call& first = host.wait_for_block(2);
  host.move_clock(seconds(5));
  const Call& second = host.wait_for_block(2);
  host.begin();
  host.move_clock(seconds(5));
  EXPECT_EQ(first.code(), ErrorCode::kTimeout);
  host.grant();
  EXPECT_TRUE(second.waiting);
  EXPECT_EQ(host.sequence.stats().lost, 2);
  host.refill();
  EXPECT_TRUE(second.served());
}

TEST(SequenceCyclic, BeginsAgainAfterTheLargest) {
  ScriptedHost host(cyclic(5));
  std::vector<Range> pieces;
  for (int i = 0; i < 4; ++i) {
    const Call& call = host.wait(2);
    host.refill();
    pieces.push_back(call.pieces.at(0));
  }
  // The id of x is (x - 1) mod 5 + 1.
  EXPECT_EQ(pieces, (std::vector<Range>{{1, 3}, {3, 5}, {5, 7}, {2, 4}}));
  EXPECT_EQ(host.sequence.stats().handed_out, 8);
}

TEST(SequenceCyclic, ARangeFarLowerThanBeforeIsNoRewinding) {
  ScriptedHost host(cyclic(1'000'000));
  host.store->next = 999'999;
  host.next_id();
  host.refill();
  const Call& last = host.next_id();
  host.refill();
  EXPECT_EQ(last.id(), 1'000'000);
  const Call& first = host.next_id();
  host.refill();
  EXPECT_EQ(first.id(), 1);
}

TEST(SequenceCyclic, TheCounterMustExistAndNoMore) {
  ScriptedHost host(cyclic(5));
  host.next_id();
  host.refill();
  EXPECT_EQ(host.asked[0].floor, std::nullopt);
  EXPECT_EQ(host.sequence.floor(), 0);
  host.store->next.reset();
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(host.asked[1].floor, 0);
  EXPECT_EQ(call.code(), ErrorCode::kSequenceMissing);
}

TEST(SequenceCyclic, ThatAnEarlierSequenceOfThisProcessDrewFromIt) {
  Sequence::Options options = cyclic(5);
  options.given_below = 4;
  ScriptedHost host(options);
  EXPECT_EQ(host.sequence.floor(), 0);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.code(), ErrorCode::kSequenceMissing);
}

TEST(SequenceCyclic, ABlockMustBeUnbrokenAndWaitersNeedNot) {
  ScriptedHost host(cyclic(5));
  host.wait_for_block(2);
  host.refill();
  EXPECT_TRUE(host.asked[0].unbroken);
  EXPECT_EQ(std::get<Cyclic>(host.asked[0].counter.kind).cycle, 5);
  host.wait(2);
  host.refill();
  EXPECT_FALSE(host.asked[1].unbroken);
}

TEST(SequenceCyclic, ABlockAcrossTheWrapIsRefusedAndTheOthersGoOn) {
  ScriptedHost host(cyclic(5));
  host.store->next = 4;
  const Call& fits = host.wait_for_block(1);
  const Call& across = host.wait_for_block(2);
  const Call& fits_too = host.wait_for_block(1);
  const Call& waiter = host.wait(3);
  host.refill();
  EXPECT_EQ(fits.id(), 4);
  host.refill();
  EXPECT_EQ(across.code(), ErrorCode::kAcrossWrap);
  EXPECT_TRUE(waiter.waiting);
  EXPECT_TRUE(host.refill_requested) << "without a pause";
  host.refill();
  EXPECT_EQ(fits_too.id(), 5);
  host.refill();
  EXPECT_EQ(waiter.pieces, (std::vector<Range>{{1, 4}}));
  EXPECT_EQ(host.sequence.stats().failures, 1);
}

TEST(SequenceCyclic, ABlockAcrossTheWrapWhoseCallerLeft) {
  ScriptedHost host(cyclic(5));
  host.store->next = 5;
  Call& across = host.wait_for_block(2);
  const Call& fits = host.wait_for_block(1);
  host.begin();
  host.cancel(across);
  host.grant();
  EXPECT_TRUE(fits.waiting);
  host.refill();
  EXPECT_EQ(fits.id(), 5);
}

TEST(SequenceCyclic, TheOnlyBlockAcrossTheWrapWhoseCallerLeft) {
  ScriptedHost host(cyclic(5));
  host.store->next = 5;
  Call& across = host.wait_for_block(2);
  host.begin();
  host.cancel(across);
  host.grant();
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.sequence.stats().waiters, 0);
}

// The counter may have gone round meanwhile, and stand where it stood.
TEST(SequenceExactClose, NothingIsGivenBack) {
  for (const Sequence::Options& options : {cyclic(5), time_stamped()}) {
    ScriptedHost host(options);
    const Call& call = host.wait(2);
    host.begin();
    host.close();
    EXPECT_EQ(call.code(), ErrorCode::kClosed);
    EXPECT_FALSE(host.is_closed);
    host.grant();
    EXPECT_TRUE(host.releases.empty());
    EXPECT_TRUE(host.is_closed);
    EXPECT_EQ(host.sequence.stats().lost, 2);
  }
}

}  // namespace
}  // namespace nextid
