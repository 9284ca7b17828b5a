// A waiter that leaves takes no number from others.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::seconds;

class SequenceCancel : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 5; ++i) calls.push_back(&host.next_id());
  }

  std::vector<int64_t> ids() const {
    std::vector<int64_t> ids;
    for (const Call* call : calls) ids.push_back(call->served() ? call->id() : 0);
    return ids;
  }

  ScriptedHost host{fixed_step(10)};
  std::vector<Call*> calls;
};

using Ids = std::vector<int64_t>;

TEST_F(SequenceCancel, Head) {
  EXPECT_TRUE(host.cancel(*calls[0]));
  host.refill();
  EXPECT_EQ(ids(), (Ids{0, 1, 2, 3, 4}));
}

TEST_F(SequenceCancel, Middle) {
  EXPECT_TRUE(host.cancel(*calls[2]));
  host.refill();
  EXPECT_EQ(ids(), (Ids{1, 2, 0, 3, 4}));
}

TEST_F(SequenceCancel, Tail) {
  EXPECT_TRUE(host.cancel(*calls[4]));
  host.refill();
  EXPECT_EQ(ids(), (Ids{1, 2, 3, 4, 0}));
  EXPECT_EQ(host.next_id().id(), 5);
}

TEST_F(SequenceCancel, Twice) {
  EXPECT_TRUE(host.cancel(*calls[2]));
  EXPECT_FALSE(host.cancel(*calls[2]));
  host.refill();
  EXPECT_EQ(ids(), (Ids{1, 2, 0, 3, 4}));
}

TEST_F(SequenceCancel, AfterItWasServedOrRefused) {
  host.refill();
  EXPECT_FALSE(host.cancel(*calls[0]));
  EXPECT_EQ(host.next_id().id(), 6);

  Call& refused = host.wait(100);
  host.fail(final_error());
  EXPECT_FALSE(host.cancel(refused));
}

TEST_F(SequenceCancel, OfNobody) { EXPECT_EQ(host.sequence.cancel(77, host.now), nullptr); }

TEST_F(SequenceCancel, AllWhileTheRefillIsUnderWay) {
  host.begin();
  for (Call* call : calls) host.cancel(*call);
  EXPECT_FALSE(host.kept_alive);
  host.grant();
  EXPECT_EQ(host.next_id().id(), 1);
}

TEST_F(SequenceCancel, TheTimerComesForThoseWhoStay) {
  const TimePoint start = host.now;
  host.move_clock(seconds(2));
  Call& last = host.next_id();
  for (Call* call : calls) host.cancel(*call);
  host.fire_timer();
  EXPECT_EQ(host.now, start + seconds(10));
  EXPECT_TRUE(last.waiting);
  host.fire_timer();
  EXPECT_EQ(last.code(), ErrorCode::kTimeout);
  EXPECT_EQ(host.now, start + seconds(12));
}

TEST_F(SequenceCancel, WhenTheTimerIsLate) {
  host.fail(passing_error());
  host.now += seconds(2);
  for (Call* call : calls) host.cancel(*call);
  EXPECT_EQ(host.timer_at, host.now);  // and not before
}

TEST(SequenceCancelMany, OfOneWhoWantsManyServesThoseBehindAtOnce) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  Call& many = host.wait(100);
  const Call& three = host.wait(3);
  const Call& ready = host.wait(0);
  const Call& eight = host.wait(8);
  host.cancel(many);
  EXPECT_EQ(three.pieces, (std::vector<Range>{{1, 4}}));
  EXPECT_TRUE(ready.served());
  EXPECT_TRUE(eight.waiting);
  host.refill();
  EXPECT_EQ(eight.pieces, (std::vector<Range>{{4, 12}}));
}

TEST(SequenceCancelMany, ARefillThatNobodyWantsAnyMoreDoesNotBegin) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  Call& many = host.wait(100);
  EXPECT_TRUE(host.refill_requested);
  host.cancel(many);
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt);
  EXPECT_FALSE(host.sequence.stats().refilling);
  EXPECT_EQ(host.take(), (Range{1, 9}));

  host.use_window();
  host.take();
  EXPECT_TRUE(host.refill_requested);  // nothing is left behind that keeps the next one from beginning
  host.refill();
}

TEST(SequenceCancelMany, ABlockThatNobodyWantsAnyMoreIsNotAskedFor) {
  ScriptedHost host(fixed_step(10));
  Call& block = host.wait_for_block(50);
  host.cancel(block);
  EXPECT_FALSE(host.kept_alive);
  host.begin();
  EXPECT_EQ(host.under_way, std::nullopt);

  Call& other = host.wait_for_block(50);
  host.begin();
  EXPECT_FALSE(host.cancel(block));
  host.cancel(other);
  host.grant();
  EXPECT_EQ(host.wait_for_block(50).pieces, (std::vector<Range>{{1, 51}}));
}

}  // namespace
}  // namespace nextid
