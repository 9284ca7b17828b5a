// Cyclic sequences that keep numbers in memory. (Those that keep none: sequence_exact_test.cpp)

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

constexpr int64_t kCycle = 1000;

Sequence::Options kept(int64_t step) {
  Sequence::Options options = fixed_step(step);
  options.counter.kind = Cyclic{kCycle};
  return options;
}

TEST(SequenceCyclicKept, AWindowGoesOnPastTheWrap) {
  ScriptedHost host(kept(10));
  host.store->next = 996;
  host.wait(1);
  host.refill();
  const Range window = host.take();
  EXPECT_EQ(window.first, 997);
  EXPECT_GT(window.end, kCycle + 1) << "the id of x is (x - 1) mod cycle + 1";
  host.use_window();
  host.take();
  host.refill();
  host.use_window();
  EXPECT_EQ(host.take(), (Range{6, 14})) << "and then with an id again";
}

TEST(SequenceCyclicKept, ABlockComesFromMemoryIfItDoesNotWrapAround) {
  ScriptedHost host(kept(10));
  host.store->next = 996;
  host.wait(0);
  host.refill();
  EXPECT_EQ(host.wait_for_block(3).id(), 996);
  const Call& block = host.wait_for_block(3);
  EXPECT_TRUE(block.waiting) << "999, 1000, 1";
  host.refill();
  EXPECT_TRUE(host.asked.back().unbroken);
  EXPECT_EQ(host.asked.back().count, 3);
  EXPECT_EQ(block.id(), 6);
  EXPECT_EQ(host.next_id().id(), 999) << "the others are still there";
}

TEST(SequenceCyclicKept, EachBlockIsARefillOfItsOwn) {
  ScriptedHost host(kept(10));
  host.store->next = 990;
  const Call& across = host.wait_for_block(20);
  const Call& waiter = host.wait(30);
  const Call& block = host.wait_for_block(20);
  host.refill();
  EXPECT_EQ(across.code(), ErrorCode::kAcrossWrap);
  host.refill();
  EXPECT_EQ(host.asked.back().count, 30);
  EXPECT_EQ(waiter.pieces, (std::vector<Range>{{990, 1020}}));
  host.refill();
  EXPECT_EQ(block.id(), 20);
}

TEST(SequenceCyclicKept, AllIsDroppedIfTheCounterWasMovedUp) {
  ScriptedHost host(kept(100));
  host.wait(1);
  host.refill();
  host.take();
  host.next_id();
  host.use_window();
  host.take();
  host.begin();
  EXPECT_FALSE(host.window.empty());
  host.store->advance(500);
  host.skip_to(500);
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.sequence.stats().in_memory, 0);
  host.answer_abandoned(Range{101, 201});
  EXPECT_EQ(host.sequence.stats().in_memory, 0);
  EXPECT_TRUE(host.releases.empty());
  const Call& call = host.next_id();
  host.refill();
  EXPECT_EQ(call.id(), 500);
}

TEST(SequenceCyclicKept, NothingIsDroppedIfTheWindowCannotBeTakenBack) {
  ScriptedHost host(kept(100));
  host.wait(1);
  host.refill();
  host.take();
  const int64_t in_memory = host.sequence.stats().in_memory;
  host.keeps_window = true;
  EXPECT_FALSE(host.sequence.skip_to(500, 0, host.now));
  EXPECT_EQ(host.sequence.stats().in_memory, in_memory);
}

TEST(SequenceCyclicKept, NumbersOfCallersThatLeftAreKeptIfTheyAreFew) {
  for (const int64_t count : {30, 31}) {
    ScriptedHost host(kept(10));
    Call& call = host.wait(count);
    host.begin();
    host.cancel(call);
    host.grant();
    EXPECT_EQ(host.sequence.stats().in_memory, count == 30 ? 30 : 0);
    EXPECT_EQ(host.sequence.stats().lost, count == 30 ? 0 : 31);
  }
}

TEST(SequenceCyclicKept, ClosingLosesAll) {
  ScriptedHost host(kept(10));
  host.wait(1);
  host.refill();
  host.close();
  EXPECT_TRUE(host.releases.empty());
  EXPECT_TRUE(host.is_closed);
  EXPECT_EQ(host.sequence.stats().lost, 9);
}

}  // namespace
}  // namespace nextid
