// A counter that looks gone or set back, perhaps from stale data: looked at again before it is refused.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SequenceConfirms : public testing::TestWithParam<ErrorCode> {
 protected:
  Error suspicion() const { return unconfirmed_error(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Any, SequenceConfirms,
                         testing::Values(ErrorCode::kSequenceMissing, ErrorCode::kSequenceRewound));

TEST_P(SequenceConfirms, WhatPassesIsNobodysError) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.wait(3);
  const Call& block = host.wait_for_block(20);
  for (int look = 0; look < 3; ++look) {
    host.fail(suspicion());
    EXPECT_FALSE(host.refill_requested);
    host.fire_timer();
  }
  EXPECT_EQ(host.sequence.stats().last_error->code, GetParam());
  host.refill();
  EXPECT_TRUE(call.served() && block.served());
  EXPECT_EQ(host.sequence.stats().last_error, nullptr);
}

TEST_P(SequenceConfirms, WhatLastsIsRefusedAfterTwoSeconds) {
  for (const bool exact : {false, true}) {
    Sequence::Options options = fixed_step(10);
    options.exact = exact;
    ScriptedHost host(options);
    const Call& call = host.next_id();
    const Call& block = host.wait_for_block(5);
    int looks = 0;
    for (; call.waiting; ++looks) {
      host.fail(suspicion());
      if (call.waiting) host.fire_timer();
    }
    EXPECT_EQ(call.code(), GetParam());
    EXPECT_EQ(call.error->message, "the counter looks wrong");
    EXPECT_EQ(block.code(), GetParam());
    EXPECT_GE(host.now, TimePoint{} + seconds(2));
    EXPECT_LT(host.now, TimePoint{} + milliseconds(2500));
    EXPECT_GE(looks, 5);
    EXPECT_EQ(host.sequence.stats().failures, looks);

    // It is certain now, until it looks right again.
    const Call& next = host.next_id();
    host.fail(suspicion());
    EXPECT_EQ(next.code(), GetParam());
    const Call& mended = host.next_id();
    host.refill();
    EXPECT_TRUE(mended.served());
    const Call& later = host.wait(50);
    host.fail(suspicion());
    EXPECT_TRUE(later.waiting);
  }
}

// The request itself may have taken that long.
TEST_P(SequenceConfirms, ALookThatWasBegunEarlierProvesNothing) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.fail(suspicion());
  host.fire_timer();
  host.begin();
  host.move_clock(seconds(3));
  host.answer(suspicion());
  EXPECT_TRUE(call.waiting);
  host.fire_timer();
  host.refill();
  EXPECT_TRUE(call.served());
}

TEST_P(SequenceConfirms, AnotherAnswerMeanwhileBeginsItAgain) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.fail(suspicion());
  host.move_clock(seconds(3));
  host.fail(passing_error());
  host.fire_timer();
  host.fail(suspicion());
  EXPECT_TRUE(call.waiting);
}

TEST_P(SequenceConfirms, NumbersInMemoryAreThrownAwayAtTheFirstLook) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  const Call& block = host.wait_for_block(500);
  host.fail(suspicion());
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.sequence.stats().in_memory, 0);
  EXPECT_EQ(host.sequence.stats().lost, 79);
  EXPECT_TRUE(block.waiting);
  EXPECT_EQ(host.next_id().waiting, true);
}

TEST_P(SequenceConfirms, AWaiterTimesOutBeforeThat) {
  Sequence::Options options = fixed_step(10);
  options.timeout = milliseconds(500);
  ScriptedHost host(options);
  const Call& call = host.next_id();
  while (call.waiting) {
    if (host.refill_requested) host.fail(suspicion());
    host.fire_timer();
  }
  EXPECT_EQ(call.code(), ErrorCode::kTimeout);
  EXPECT_EQ(call.error->message,
            "the sequence 'orders' got no number within 500 ms: the counter looks wrong");
}

TEST_P(SequenceConfirms, APrefetchLooksAgainByItself) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.fail(suspicion());
  EXPECT_FALSE(host.kept_alive);
  host.fire_timer();
  host.refill();
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST_P(SequenceConfirms, EachPeriodForItself) {
  ScriptedHost host(dated_step(10));
  host.prepare(kTomorrow);
  host.fail(suspicion());
  host.move_clock(seconds(3));
  host.fail(suspicion());  // what was to be prepared is given up
  EXPECT_FALSE(host.timer_at);
  const Call& call = host.next_id();
  host.fail(suspicion());
  EXPECT_TRUE(call.waiting);
  host.fire_timer();
  host.refill();
  EXPECT_TRUE(call.served());
}

TEST_P(SequenceConfirms, ClosesMeanwhile) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.fail(suspicion());
  host.close();
  EXPECT_EQ(call.code(), ErrorCode::kClosed);
  EXPECT_TRUE(host.is_closed);
}

// What init_id saw is found out as a refill does.
TEST_P(SequenceConfirms, WhatWasSeenOtherwise) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.next_id();
  Call& call = host.wait_for_counter();
  EXPECT_TRUE(call.waiting);
  EXPECT_EQ(host.sequence.stats().in_memory + host.window.count(), 0);
  host.fail(suspicion());
  EXPECT_TRUE(call.waiting);
  host.fire_timer();
  host.refill();
  EXPECT_TRUE(call.served());
}

}  // namespace
}  // namespace nextid
