// Which returned ranges a sequence asks for.

#include <gtest/gtest.h>

#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using Ranges = std::vector<Range>;

TEST(SequenceReturned, AFreshOneTakesThemFirst) {
  ScriptedHost host(fixed_step(10));
  host.store->next = 100;
  host.store->returned = Ranges{{40, 43}};
  Call& call = host.wait(5);
  host.refill();
  EXPECT_TRUE(call.waiting) << "three numbers are too few";
  host.refill();
  EXPECT_EQ(call.pieces, (Ranges{{40, 43}, {100, 102}}));
}

TEST(SequenceReturned, OnlyThoseAboveAllItWasGivenAreTaken) {
  ScriptedHost host(fixed_step(10));
  host.take();
  host.refill();
  host.store->next = 100;
  host.store->returned = Ranges{{5, 9}, {40, 43}};
  host.wait(12);
  host.refill();
  EXPECT_EQ(host.store->returned, (Ranges{{5, 9}}));
}

TEST(SequenceReturned, OneThatIsOpenedAgainTakesNothingBelowItsIds) {
  Sequence::Options options = fixed_step(10);
  options.given_below = 41;
  ScriptedHost host(options);
  host.store->next = 100;
  host.store->returned = Ranges{{30, 35}, {50, 60}};
  Call& call = host.wait(1);
  host.refill();
  EXPECT_EQ(call.pieces, (Ranges{{50, 51}}));
}

TEST(SequenceReturned, NothingThatWasSkippedIsTaken) {
  ScriptedHost host(fixed_step(10));
  host.store->next = 100;
  host.skip_to(45);
  host.store->returned = Ranges{{40, 43}, {50, 60}};
  Call& call = host.wait(1);
  host.refill();
  EXPECT_EQ(call.pieces, (Ranges{{50, 51}}));
}

TEST(SequenceReturned, ABlockIsReservedAnew) {
  ScriptedHost host(fixed_step(10));
  host.store->next = 100;
  host.store->returned = Ranges{{40, 43}};
  Call& block = host.wait_for_block(5);
  host.refill();
  EXPECT_EQ(block.pieces, (Ranges{{100, 105}}));
  EXPECT_EQ(host.store->returned, (Ranges{{40, 43}}));
}

}  // namespace
}  // namespace nextid
