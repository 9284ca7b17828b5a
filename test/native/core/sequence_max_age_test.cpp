// Time-stamped sequences with maxAge: numbers are kept, but not for longer than that.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;

// Numbers live for 100 ms from when their refill was begun.
Sequence::Options short_lived(int64_t step) {
  Sequence::Options options = fixed_step(step);
  options.counter = {.name = "trace", .kind = Timestamped{}};
  options.max_number = INT64_MAX - 1;
  options.max_age = milliseconds(100);
  return options;
}

// With [1, 9) in the window, of which 1 is used, and [9, 11) in memory.
void fill(ScriptedHost& host) {
  host.take();
  host.refill();
  host.next_id();
}

TEST(SequenceMaxAge, NumbersAreKeptAsLongAsThat) {
  ScriptedHost host(short_lived(10));
  host.take();
  host.begin();
  host.move_clock(milliseconds(50));
  host.grant();
  host.next_id();
  EXPECT_EQ(host.sequence.window_until(), TimePoint{} + milliseconds(100));
  host.move_clock(milliseconds(49));
  EXPECT_EQ(host.wait(1).id(), 2);
}

TEST(SequenceMaxAge, TheWindowEndsThen) {
  ScriptedHost host(short_lived(10));
  fill(host);
  host.move_clock(milliseconds(99));
  host.drop_aged();
  EXPECT_EQ(host.sequence.stats().lost, 0);
  EXPECT_EQ(host.next_id().id(), 2);
  host.move_clock(milliseconds(1));
  host.drop_aged();
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.sequence.stats().lost, 8);
  EXPECT_EQ(host.sequence.stats().in_memory, 0);
  EXPECT_EQ(host.sequence.stats().handed_out, 2);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 11);
}

TEST(SequenceMaxAge, WithoutItNothingAges) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  EXPECT_EQ(host.sequence.window_until(), TimePoint::max());
  host.move_clock(std::chrono::hours(1000));
  host.drop_aged();
  EXPECT_EQ(host.window, (Range{2, 9}));
}

TEST(SequenceMaxAge, TakeDropsWhatIsOlder) {
  ScriptedHost host(short_lived(10));
  host.take();
  host.refill();
  host.move_clock(milliseconds(100));
  EXPECT_EQ(host.take(), Range{});
  EXPECT_EQ(host.sequence.stats().lost, 10);
  EXPECT_TRUE(host.refill_requested);
}

TEST(SequenceMaxAge, WaitDropsWhatIsOlder) {
  ScriptedHost host(short_lived(10));
  fill(host);
  host.move_clock(milliseconds(100));
  const Call& call = host.wait(2);
  EXPECT_TRUE(call.waiting);
  host.refill();
  EXPECT_EQ(call.id(), 11);
}

TEST(SequenceMaxAge, ABlockIsNotCutFromWhatIsOlder) {
  ScriptedHost host(short_lived(10));
  fill(host);
  host.move_clock(milliseconds(100));
  const Call& call = host.wait_for_block(2);
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.sequence.stats().lost, 9);
  host.refill();
  EXPECT_EQ(call.id(), 11);
}

TEST(SequenceMaxAge, TheAgesOfTwoRangesAreKeptApart) {
  ScriptedHost host(short_lived(10));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.move_clock(milliseconds(60));
  host.take();
  host.refill();
  EXPECT_EQ(host.take(), (Range{9, 11}));
  EXPECT_EQ(host.sequence.window_until(), TimePoint{} + milliseconds(100));
  host.move_clock(milliseconds(40));
  host.drop_aged();
  EXPECT_EQ(host.sequence.stats().lost, 2);
  EXPECT_EQ(host.sequence.stats().front, (Range{11, 21}));
  EXPECT_EQ(host.take(), (Range{11, 19}));
  EXPECT_EQ(host.sequence.window_until(), TimePoint{} + milliseconds(160));
  host.move_clock(milliseconds(60));
  host.drop_aged();
  EXPECT_EQ(host.sequence.stats().lost, 12);
}

// What comes too late for the next call is still good for those who wait, or they would wait for ever.
TEST(SequenceMaxAge, FreshNumbersServeThoseWhoWaitHoweverLongTheyTook) {
  ScriptedHost host(short_lived(10));
  const Call& waiter = host.wait(3);
  const Call& block = host.wait_for_block(4);
  host.begin();
  host.move_clock(milliseconds(500));
  host.grant();
  EXPECT_TRUE(waiter.served() && block.served());
  EXPECT_EQ(host.take(), Range{}) << "what is left is too old";
  EXPECT_EQ(host.sequence.stats().lost, 7);
}

// Even if it takes more than one refill to have enough.
TEST(SequenceMaxAge, AWaiterWhoNeedsMoreThanIsThereIsServedByTheRefillAfter) {
  ScriptedHost host(short_lived(10));
  host.take();
  host.refill();
  const Call& waiter = host.wait(15);
  for (int refills = 0; waiter.waiting; ++refills) {
    ASSERT_LT(refills, 3) << "asks for less than it needs again and again";
    host.begin();
    host.move_clock(milliseconds(500));
    host.grant();
  }
  EXPECT_GT(waiter.id(), 10) << "it was given numbers that are too old";
}

TEST(SequenceMaxAge, WhoIsServedWhenAnotherTimesOutGetsNothingOld) {
  ScriptedHost host(short_lived(10));
  fill(host);
  const Call& many = host.wait(20);
  host.move_clock(milliseconds(50));
  const Call& few = host.wait(2);
  host.begin();
  host.move_clock(std::chrono::seconds(10) - milliseconds(50));
  EXPECT_EQ(many.code(), ErrorCode::kTimeout);
  EXPECT_TRUE(few.waiting) << "it was given numbers of 10 s ago";
  host.grant();
  EXPECT_EQ(few.id(), 11);
}

TEST(SequenceMaxAge, WhoIsServedWhenAnotherLeavesGetsNothingOld) {
  ScriptedHost host(short_lived(10));
  fill(host);
  Call& many = host.wait(20);
  const Call& few = host.wait(2);
  host.begin();
  host.move_clock(milliseconds(100));
  host.cancel(many);
  EXPECT_TRUE(few.waiting) << "it was given numbers that are too old";
  host.grant();
  EXPECT_EQ(few.id(), 11);
}

TEST(SequenceMaxAge, NothingIsGivenBack) {
  ScriptedHost host(short_lived(10));
  fill(host);
  host.close();
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.sequence.stats().lost, 9);
}

TEST(SequenceMaxAge, AWindowThatCannotBeHadBackStaysWithTheCaller) {
  ScriptedHost host(short_lived(10));
  fill(host);
  host.move_clock(milliseconds(100));
  host.keeps_window = true;
  host.drop_aged();
  EXPECT_EQ(host.sequence.stats().lost, 0);
  host.keeps_window = false;
  host.drop_aged();
  EXPECT_EQ(host.sequence.stats().lost, 9);
}

}  // namespace
}  // namespace nextid
