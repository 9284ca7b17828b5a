// Calls that wait for numbers: their order, how many numbers are asked for them, how long they wait.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(SequenceWaiters, FirstComeFirstServed) {
  ScriptedHost host(fixed_step(10));
  std::vector<Call*> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(&host.next_id());
  EXPECT_EQ(host.refill_requests, 1);
  host.refill();
  EXPECT_EQ(host.ended, calls);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(calls[i]->id(), i + 1);
  EXPECT_EQ(host.take(), (Range{6, 9}));
}

TEST(SequenceWaiters, OrderHoldsAcrossRanges) {
  ScriptedHost host(fixed_step(4));
  std::vector<Call*> calls = {&host.next_id()};
  host.begin();
  for (int i = 1; i < 6; ++i) calls.push_back(&host.next_id());
  host.grant();
  EXPECT_EQ(host.ended.size(), 4u);
  calls.push_back(&host.next_id());
  host.begin();
  EXPECT_EQ(host.asked[1].count, 4);  // three wait
  host.store->advance(1001);
  calls.push_back(&host.next_id());
  host.grant();
  EXPECT_EQ(host.ended, calls);
  EXPECT_EQ(calls[3]->id(), 4);
  EXPECT_EQ(calls[4]->id(), 1001);
  EXPECT_EQ(calls[7]->id(), 1004);
}

TEST(SequenceWaiters, FiveThousandAtStepTenAreTwoRefills) {
  ScriptedHost host(fixed_step(10));
  host.begins_at_once = true;
  std::vector<Call*> calls;
  for (int i = 0; i < 5000; ++i) calls.push_back(&host.next_id());
  host.grant();
  EXPECT_EQ(host.ended.size(), 10u);
  host.grant();
  EXPECT_EQ(host.ended, calls);
  ASSERT_EQ(host.asked.size(), 2u);
  EXPECT_EQ(host.asked[0].count, 10);
  EXPECT_EQ(host.asked[1].count, 4990);
}

TEST(SequenceWaiters, AreCountedWhenTheRefillBegins) {
  ScriptedHost host(fixed_step(10));
  for (int i = 0; i < 5000; ++i) host.next_id();
  host.refill();
  EXPECT_EQ(host.asked[0].count, 5000);
  EXPECT_EQ(host.ended.size(), 5000u);
  EXPECT_FALSE(host.refill_requested);
}

TEST(SequenceWaiters, OnlyWhatIsMissingIsAskedFor) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  const Call& call = host.wait(25);
  host.refill();
  EXPECT_EQ(host.asked[1].count, 15);
  EXPECT_EQ(call.pieces, (std::vector<Range>{{1, 26}}));
}

TEST(SequenceWaiters, ManyIdsComeFromSeveralRanges) {
  ScriptedHost host(fixed_step(10));
  const Call& first = host.wait(5);
  const Call& second = host.wait(12);
  host.begin();
  const Call& third = host.wait(6);
  host.answer(Range{101, 111});  // fewer than asked for
  EXPECT_TRUE(first.served());
  EXPECT_TRUE(second.waiting);
  host.begin();
  EXPECT_EQ(host.asked[1].count, 13);
  host.answer(Range{201, 210});
  EXPECT_EQ(second.pieces, (std::vector<Range>{{106, 111}, {201, 208}}));
  host.begin();
  host.answer(Range{301, 303});
  host.begin();
  host.answer(Range{401, 410});
  EXPECT_EQ(third.pieces, (std::vector<Range>{{208, 210}, {301, 303}, {401, 403}}));
}

TEST(SequenceWaiters, NobodyOvertakesOneWhoWantsMany) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  const Call& many = host.wait(11);
  const Call& one = host.wait(1);
  EXPECT_TRUE(one.waiting);
  host.refill();
  EXPECT_EQ(many.pieces, (std::vector<Range>{{1, 12}}));
  EXPECT_EQ(one.id(), 12);
}

TEST(SequenceWaiters, TheTimeTheyWaitIsAddedUp) {
  ScriptedHost host(fixed_step(10));
  const auto wait_time = [&host] { return host.sequence.stats().wait_time; };
  host.next_id();
  host.move_clock(seconds(2));
  Call& second = host.wait();
  EXPECT_EQ(wait_time(), seconds(2));
  host.move_clock(seconds(1));
  host.wait_for_block(20);
  EXPECT_EQ(wait_time(), seconds(4));
  host.move_clock(seconds(1));
  host.cancel(second);
  EXPECT_EQ(wait_time(), seconds(7));
  host.move_clock(seconds(1));
  host.refill();
  EXPECT_EQ(wait_time(), seconds(9));

  host.wait(5);  // from memory
  EXPECT_EQ(host.sequence.stats().waits, 3);
  host.move_clock(seconds(1));
  host.wait(100);
  host.move_clock(seconds(3));
  host.close();
  EXPECT_EQ(wait_time(), seconds(12));
}

TEST(SequenceWaiters, ReadyTakesNothing) {
  ScriptedHost host(fixed_step(10));
  const Call& ready = host.wait(0);
  EXPECT_TRUE(ready.waiting);
  host.refill();
  EXPECT_EQ(host.asked[0].count, 10);
  EXPECT_TRUE(ready.served());
  EXPECT_EQ(host.sequence.stats().in_memory, 10);
  EXPECT_TRUE(host.wait(0).served());  // at once
  EXPECT_EQ(host.sequence.stats().waits, 1);
}

TEST(SequenceWaiters, ReadyStandsInLineWithOthers) {
  ScriptedHost host(fixed_step(2));
  const Call& two = host.wait(2);
  const Call& ready = host.wait(0);
  host.begin();
  EXPECT_EQ(host.asked[0].count, 3);
  host.answer(Range{1, 3});  // fewer than asked for
  EXPECT_TRUE(two.served());
  EXPECT_TRUE(ready.waiting);
  host.begin();
  host.answer(Range{3, 5});
  EXPECT_TRUE(ready.served());
}

TEST(SequenceWaiters, PrefetchStartsBehindTheLastOne) {
  ScriptedHost host(fixed_step(10));
  host.wait(8);
  host.refill();
  EXPECT_FALSE(host.refill_requested);
  EXPECT_TRUE(host.wait(0).served());
  EXPECT_TRUE(host.refill_requested);  // two numbers are left
}

TEST(SequenceWaiters, OneMoreThanMaxWaitersIsRefusedAtOnce) {
  Sequence::Options options = fixed_step(10);
  options.max_waiters = 3;
  ScriptedHost host(options);
  const Call& first = host.next_id();
  host.wait_for_block(5);
  host.next_id();
  const Call& fourth = host.next_id();
  EXPECT_EQ(fourth.code(), ErrorCode::kTooManyWaiters);
  EXPECT_EQ(fourth.error->error_class, ErrorClass::kPassing);
  EXPECT_NE(fourth.error->message.find("'orders': expected at most 3 (maxWaiters)"), std::string::npos);
  EXPECT_EQ(host.wait_for_block(1).code(), ErrorCode::kTooManyWaiters);

  host.refill();
  EXPECT_EQ(first.id(), 6);
  EXPECT_TRUE(host.next_id().served());
}

TEST(SequenceWaiters, MaxWaitersCountsThoseThatWaitNow) {
  Sequence::Options options = fixed_step(10);
  options.max_waiters = 1;
  ScriptedHost host(options);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(host.cancel(host.next_id()));
  host.refill();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(host.wait(1).served());
}

TEST(SequenceWaiters, TimeOut) {
  ScriptedHost host(fixed_step(10));
  const Call& first = host.next_id();
  host.move_clock(seconds(4));
  const Call& second = host.next_id();
  const Call& block = host.wait_for_block(10);
  host.move_clock(seconds(6) - milliseconds(1));
  EXPECT_TRUE(first.waiting);
  host.move_clock(milliseconds(1));
  EXPECT_EQ(first.code(), ErrorCode::kTimeout);
  EXPECT_EQ(first.error->message,
            "the sequence 'orders' got no number within 10000 ms: the store has not answered; check that it "
            "can be reached");
  EXPECT_EQ(first.error->driver, std::nullopt);
  EXPECT_TRUE(second.waiting && block.waiting);
  host.move_clock(seconds(4));
  EXPECT_EQ(second.code(), ErrorCode::kTimeout);
  EXPECT_EQ(block.code(), ErrorCode::kTimeout);
  EXPECT_EQ(host.sequence.stats().timeouts, 3);
  EXPECT_EQ(host.timer_at, std::nullopt);
}

TEST(SequenceWaiters, TimeOutNamesAnErrorOfAnotherSequence) {
  ScriptedHost host(fixed_step(10));
  host.other_error = passing_error("no route to host");
  const Call& call = host.next_id();
  host.move_clock(seconds(10));
  EXPECT_NE(call.error->message.find("10000 ms: no route to host"), std::string::npos);
  EXPECT_EQ(call.error->driver->message, "no route to host");
}

TEST(SequenceWaiters, NumbersThatComeTooLateServeTheNext) {
  ScriptedHost host(fixed_step(10));
  const Call& late = host.next_id();
  host.begin();
  host.move_clock(seconds(10));
  EXPECT_EQ(late.code(), ErrorCode::kTimeout);
  host.grant();
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST(SequenceWaiters, TimeOutOfOneLetsThoseBehindBeServed) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  const Call& many = host.wait(100);
  host.move_clock(seconds(1));
  const Call& one = host.wait(1);
  host.move_clock(seconds(9));
  EXPECT_EQ(many.code(), ErrorCode::kTimeout);
  EXPECT_EQ(one.id(), 1);
}

// The host checks after each step that a timer is set and the process kept alive while somebody waits.
TEST(SequenceWaiters, ATimerThatComesSoonEnoughIsNotSetAgain) {
  ScriptedHost host(fixed_step(1));
  host.next_id();
  EXPECT_EQ(host.timer_at, host.now + seconds(10));
  const TimePoint timer = *host.timer_at;
  for (int i = 0; i < 5; ++i) {
    host.move_clock(seconds(1));
    host.refill();
    host.next_id();
    EXPECT_EQ(host.timer_at, timer);
  }
}

TEST(SequenceWaiters, ATimerThatCouldNotBeSetIsSetByTheNextCall) {
  ScriptedHost host(fixed_step(10));
  host.no_timers = true;
  host.next_id();
  EXPECT_EQ(host.timer_at, std::nullopt);
  host.no_timers = false;
  host.next_id();
  EXPECT_EQ(host.timer_at, host.now + seconds(10));
}

TEST(SequenceWaiters, ATimerThatFiresEarlyIsSetAgain) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.now += seconds(9);
  host.timer_at.reset();
  host.sequence.on_timer(host.now);
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.timer_at, host.now + seconds(1));
}

}  // namespace
}  // namespace nextid
