// Refills that fail: passing errors are tried again, final ones refuse those who wait, and none sticks.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How long the sequence pauses after each of `failures` refills that fail one after the other.
std::vector<Duration> pauses(uint32_t seed, int failures) {
  Sequence::Options options = fixed_step(10);
  options.timeout = std::chrono::hours(1);
  ScriptedHost host(options, std::make_shared<Counters>(), seed);
  host.next_id();
  std::vector<Duration> pauses;
  for (int i = 0; i < failures; ++i) {
    host.fail(passing_error());
    EXPECT_FALSE(host.refill_requested);
    pauses.push_back(host.timer_at.value() - host.now);
    host.fire_timer();
  }
  return pauses;
}

TEST(SequenceRefillErrors, PausesGrowAndAreRandom) {
  std::vector<Duration> longest(8, Duration::zero());
  std::set<Duration> firsts;
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    const std::vector<Duration> of_one = pauses(seed * 7919, 8);
    for (size_t i = 0; i < longest.size(); ++i) longest[i] = std::max(longest[i], of_one[i]);
    firsts.insert(of_one[0]);
  }
  const int ceilings[] = {50, 100, 200, 400, 500, 500, 500, 500};
  for (size_t i = 0; i < longest.size(); ++i) {
    EXPECT_LE(longest[i], milliseconds(ceilings[i]));
    EXPECT_GE(longest[i], milliseconds(ceilings[i]) * 8 / 10);
  }
  EXPECT_GT(firsts.size(), 190u);
}

TEST(SequenceRefillErrors, PausesBeginAgainAfterASuccess) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    ScriptedHost host(fixed_step(1), std::make_shared<Counters>(), seed);
    host.next_id();
    for (int i = 0; i < 8; ++i) {
      host.fail(passing_error());
      host.fire_timer();
    }
    host.refill();
    host.next_id();
    host.fail(passing_error());
    EXPECT_LE(host.timer_at.value() - host.now, milliseconds(50));
  }
}

TEST(SequenceRefillErrors, APauseIsNotCutShort) {
  ScriptedHost host(fixed_step(10));
  host.next_id();
  host.fail(passing_error());
  ASSERT_GT(host.timer_at.value(), host.now);
  host.next_id();
  host.wait_for_block(5);
  host.take();
  EXPECT_FALSE(host.refill_requested);
  host.fire_timer();
  EXPECT_TRUE(host.refill_requested);
}

TEST(SequenceRefillErrors, WaitersAreServedWhenTheStoreIsBack) {
  ScriptedHost host(fixed_step(10));
  const Call& waiter = host.next_id();
  const Call& block = host.wait_for_block(20);
  host.fail(passing_error());
  host.fire_timer();
  host.fail(doubtful_error());
  EXPECT_NE(host.sequence.stats().last_error, nullptr);
  host.fire_timer();
  host.refill();
  EXPECT_TRUE(waiter.served() && block.served());
  const Sequence::Stats stats = host.sequence.stats();
  EXPECT_EQ(stats.failures, 2);
  EXPECT_EQ(stats.refills, 1);
  EXPECT_EQ(stats.last_error, nullptr);
}

TEST(SequenceRefillErrors, EachWaiterTimesOutWithTheLastErrorAndTheNextCallWorks) {
  ScriptedHost host(fixed_step(10));
  const Call& first = host.next_id();
  Call* second = nullptr;
  int attempts = 0;
  while (first.waiting) {
    if (host.refill_requested) host.fail(passing_error("failure " + std::to_string(++attempts)));
    if (attempts == 5 && second == nullptr) second = &host.wait_for_block(5);
    host.fire_timer();
  }
  EXPECT_EQ(host.now, TimePoint{} + seconds(10));
  EXPECT_GT(attempts, 15);
  EXPECT_EQ(first.code(), ErrorCode::kTimeout);
  EXPECT_EQ(first.error->error_class, ErrorClass::kPassing);
  const std::string last = "failure " + std::to_string(attempts);
  EXPECT_EQ(first.error->message, "the sequence 'orders' got no number within 10000 ms: " + last);
  EXPECT_EQ(first.error->driver->message, last);
  EXPECT_EQ(first.error->driver->name, "MongoError");
  EXPECT_TRUE(second->waiting);

  while (second->waiting) {
    if (host.refill_requested) host.fail(passing_error());
    host.fire_timer();
  }
  EXPECT_EQ(second->code(), ErrorCode::kTimeout);

  host.move_clock(seconds(60));
  const Call& next = host.next_id();
  host.refill();
  EXPECT_EQ(next.id(), 1);
}

// Or the refills after it would be many and small, when the load is largest.
TEST(SequenceRefillErrors, AnOutageDoesNotBringTheStepDown) {
  ScriptedHost host(with_step({.min = 10, .max = 1000}));
  host.begins_at_once = true;
  while (host.sequence.stats().step < 160) {
    host.next_id();
    host.move_clock(milliseconds(1));
    if (host.under_way) host.grant();
  }
  const Call* call = &host.next_id();
  while (call->served()) call = &host.next_id();
  for (int i = 0; i < 20; ++i) {
    host.answer(passing_error());
    host.fire_timer();
  }
  host.grant();
  EXPECT_GE(host.sequence.stats().step, 80);
}

TEST(SequenceRefillErrors, AFailedPrefetchIsNobodysError) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.take();
  host.fail(passing_error());
  EXPECT_FALSE(host.kept_alive);
  for (int64_t id = 61; id <= 80; ++id) EXPECT_EQ(host.next_id().id(), id);
  host.fire_timer();
  host.refill();
  EXPECT_EQ(host.next_id().id(), 81);
  EXPECT_EQ(host.sequence.stats().waits, 0);
}

TEST(SequenceRefillErrors, AFinallyFailedPrefetchIsNobodysErrorEither) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  host.take();
  host.use_window();
  host.take();
  host.fail(final_error());
  EXPECT_EQ(host.timer_at, std::nullopt);
  for (int64_t id = 61; id <= 80; ++id) EXPECT_EQ(host.next_id().id(), id);
  EXPECT_FALSE(host.refill_requested);
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 81);
}

TEST(SequenceRefillErrors, ALonelyPrefetchGivesUp) {
  ScriptedHost host(fixed_step(80));
  host.take();
  int attempts = 0;
  while (host.refill_requested) {
    ASSERT_LE(++attempts, 20);
    host.fail(passing_error());
    if (host.timer_at) host.fire_timer();
  }
  EXPECT_EQ(attempts, 13);
  EXPECT_EQ(host.timer_at, std::nullopt);

  // The pause still holds.
  host.take();
  EXPECT_FALSE(host.refill_requested);
  host.move_clock(seconds(1));
  host.take();
  EXPECT_TRUE(host.refill_requested);
  host.fail(passing_error());
  EXPECT_EQ(host.timer_at, std::nullopt);
}

TEST(SequenceRefillErrors, AWaiterBringsALonelyPrefetchBack) {
  ScriptedHost host(fixed_step(80));
  host.take();
  while (host.refill_requested) {
    host.fail(passing_error());
    if (host.timer_at) host.fire_timer();
  }
  const Call& call = host.next_id();
  EXPECT_FALSE(host.refill_requested);
  EXPECT_LE(host.timer_at.value() - host.now, seconds(1));
  host.fire_timer();
  host.refill();
  EXPECT_EQ(call.id(), 1);
}

TEST(SequenceRefillErrors, AFinalErrorRefusesAllAtOnceAndTheNextCallTriesAnew) {
  ScriptedHost host(fixed_step(10));
  std::vector<Call*> calls = {&host.next_id(), &host.next_id(), &host.wait(0), &host.wait_for_block(5)};
  host.fail(final_error(ErrorCode::kAccessDenied));
  EXPECT_EQ(host.ended, calls);
  for (const Call* call : calls) EXPECT_EQ(call->code(), ErrorCode::kAccessDenied);
  EXPECT_FALSE(host.refill_requested);

  const Call& next = host.next_id();
  EXPECT_TRUE(host.refill_requested);
  host.refill();
  EXPECT_EQ(next.id(), 1);
}

TEST(SequenceRefillErrors, AFinalErrorOfABlockIsNotTriedAgain) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  const Call& block = host.wait_for_block(500);
  host.fail(final_error(ErrorCode::kCounterInvalid));
  EXPECT_EQ(block.code(), ErrorCode::kCounterInvalid);
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST(SequenceRefillErrors, NumbersInMemoryOutliveAnErrorThatLeavesThemTheirs) {
  for (const ErrorCode code : {ErrorCode::kAccessDenied, ErrorCode::kCounterInvalid, ErrorCode::kStoreInvalid,
                               ErrorCode::kStoreUnavailable, ErrorCode::kIdOverflow}) {
    ScriptedHost host(fixed_step(80));
    host.take();
    host.refill();
    const Call& many = host.wait(100);
    host.fail(final_error(code));
    EXPECT_EQ(many.code(), code);
    EXPECT_EQ(host.next_id().id(), 1);
  }
}

TEST(SequenceRefillErrors, NumbersInMemoryServeThoseBehindOneThatGaveUp) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  Call& many = host.wait(11);
  const Call& behind = host.next_id();
  host.fail(passing_error());
  EXPECT_TRUE(behind.waiting);
  host.cancel(many);
  EXPECT_EQ(behind.id(), 1);
}

TEST(SequenceRefillErrors, ReservedButUncertainNumbersAreLost) {
  ScriptedHost host(fixed_step(10));
  const Call& call = host.next_id();
  host.begin();
  host.store->advance(11);
  host.answer(doubtful_error(10));
  EXPECT_EQ(host.sequence.stats().lost, 10);
  host.fire_timer();
  host.refill();
  EXPECT_EQ(call.id(), 11);
}

TEST(SequenceRefillErrors, AWaiterThatLeavesAPauseLeavesALonelyPrefetch) {
  ScriptedHost host(fixed_step(10));
  Call& call = host.next_id();
  host.fail(passing_error());
  host.cancel(call);
  EXPECT_FALSE(host.kept_alive);
  host.fire_timer();
  host.refill();
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST(SequenceRefillErrors, APauseEndsQuietlyIfNothingIsWantedAnyMore) {
  ScriptedHost host(fixed_step(80));
  host.take();
  host.refill();
  Call& block = host.wait_for_block(500);
  host.fail(passing_error());
  host.cancel(block);
  host.move_clock(seconds(60));
  EXPECT_FALSE(host.refill_requested);
  EXPECT_EQ(host.timer_at, std::nullopt);
  EXPECT_EQ(host.next_id().id(), 1);
}

}  // namespace
}  // namespace nextid
