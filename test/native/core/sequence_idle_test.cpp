// A sequence that is not used gives its numbers back and stays usable.

#include <gtest/gtest.h>

#include <vector>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using Ranges = std::vector<Range>;

// With numbers from 2 on in memory, and nothing under way.
void fill(ScriptedHost& host) {
  host.take();
  host.refill();
  host.next_id();
  EXPECT_FALSE(host.return_if_idle()) << "it was used since the check before";
}

const Error kDown{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "down", {}};

TEST(SequenceIdle, GivesAllBack) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  EXPECT_TRUE(host.return_if_idle());
  EXPECT_TRUE(host.window.empty());
  EXPECT_EQ(host.giving_back(), (Ranges{{2, 11}}));
  host.grant_release();
  EXPECT_EQ(host.store->next, 2);
  EXPECT_EQ(host.sequence.stats().returned, 9);
}

TEST(SequenceIdle, TheNextCallGoesOnWhereItStopped) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  EXPECT_TRUE(host.return_if_idle());
  host.grant_release();
  Call& call = host.wait();
  host.refill();
  EXPECT_EQ(host.asked.back().floor, 2);
  EXPECT_EQ(call.id(), 2);
}

TEST(SequenceIdle, ACallDuringTheReturnGetsOtherNumbers) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  EXPECT_TRUE(host.return_if_idle());
  Call& call = host.wait();
  host.refill();
  EXPECT_EQ(call.id(), 11);
  host.grant_release();
  EXPECT_EQ(host.store->returned, (Ranges{{2, 11}}));
}

TEST(SequenceIdle, EachNumberThatIsGivenIsAUse) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  host.next_id();
  EXPECT_FALSE(host.return_if_idle());
  host.wait_for_block(2);
  EXPECT_FALSE(host.return_if_idle());
  EXPECT_TRUE(host.return_if_idle());
}

TEST(SequenceIdle, ATakenBackWindowIsNoUse) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  host.skip_to(3);
  EXPECT_TRUE(host.window.empty());
  EXPECT_TRUE(host.return_if_idle());
  EXPECT_EQ(host.giving_back(), (Ranges{{3, 11}}));
}

TEST(SequenceIdle, NotWhileACallWaitsOrARefillIsUnderWay) {
  ScriptedHost host(fixed_step(10));
  EXPECT_FALSE(host.return_if_idle());
  Call& call = host.wait();
  EXPECT_FALSE(host.return_if_idle());
  host.begin();
  host.cancel(call);
  EXPECT_FALSE(host.return_if_idle());
  host.grant();
  EXPECT_TRUE(host.return_if_idle());
}

TEST(SequenceIdle, NotWhileTheStoreFails) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  host.other_error = kDown;
  EXPECT_FALSE(host.return_if_idle());
  EXPECT_EQ(host.window, (Range{2, 9}));
  host.other_error.reset();
  EXPECT_TRUE(host.return_if_idle());
}

TEST(SequenceIdle, NotWithoutTheWindow) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  host.keeps_window = true;
  EXPECT_FALSE(host.return_if_idle());
  EXPECT_TRUE(host.releases.empty());
}

TEST(SequenceIdle, ThatHoldsNothingStopsItsRetries) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.fail(kDown);
  host.other_error = kDown;
  EXPECT_FALSE(host.return_if_idle());
  EXPECT_TRUE(host.timer_at);
  EXPECT_TRUE(host.return_if_idle());
  EXPECT_FALSE(host.timer_at);
}

TEST(SequenceIdle, ThePreparedPeriodGoesBackToo) {
  ScriptedHost host(dated_step(10));
  fill(host);
  host.prepare(kTomorrow);
  host.refill();
  EXPECT_TRUE(host.return_if_idle());
  EXPECT_EQ(host.giving_back(kToday), (Ranges{{2, 11}}));
  EXPECT_EQ(host.giving_back(kTomorrow), (Ranges{{1, 11}}));
  while (!host.releases.empty()) host.grant_release();
  host.switch_to(kTomorrow);
  Call& call = host.wait();
  host.refill();
  EXPECT_EQ(call.id(), 1);
}

TEST(SequenceIdle, CloseWaitsForTheReturn) {
  ScriptedHost host(fixed_step(10));
  fill(host);
  EXPECT_TRUE(host.return_if_idle());
  host.close();
  EXPECT_FALSE(host.is_closed);
  host.grant_release();
  EXPECT_TRUE(host.is_closed);
}

}  // namespace
}  // namespace nextid
