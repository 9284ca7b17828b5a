#include "core/waiter_queue.h"

#include <gtest/gtest.h>

#include <vector>

#include "native/scarce_memory.h"

namespace nextid {
namespace {

class WaiterQueueTest : public testing::Test {
 protected:
  void push(uint64_t ticket, int64_t count = 1) { queue.push({&tokens_[ticket], ticket, count, {}}); }
  Waiter::Token token(uint64_t ticket) { return &tokens_[ticket]; }

  std::vector<uint64_t> pop_all() {
    std::vector<uint64_t> tickets;
    while (!queue.empty()) {
      EXPECT_NE(queue.front().token, nullptr);
      tickets.push_back(queue.pop().ticket);
    }
    return tickets;
  }

  WaiterQueue queue;

 private:
  std::vector<char> tokens_ = std::vector<char>(200'000);
};

using Tickets = std::vector<uint64_t>;

TEST_F(WaiterQueueTest, FirstComeFirstServed) {
  for (const uint64_t ticket : {3, 5, 9}) push(ticket);
  EXPECT_EQ(queue.front().ticket, 3u);
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(pop_all(), (Tickets{3, 5, 9}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(WaiterQueueTest, SumsWhatIsNeeded) {
  push(1, 4);
  push(2, 0);  // waits until there is one
  push(3, 1);
  EXPECT_EQ(queue.numbers(), 6);
  queue.remove(1);
  EXPECT_EQ(queue.numbers(), 2);
  queue.pop();
  EXPECT_EQ(queue.numbers(), 1);
  queue.pop();
  EXPECT_EQ(queue.numbers(), 0);
}

TEST_F(WaiterQueueTest, LeavesFromHeadMiddleAndTail) {
  for (uint64_t ticket = 1; ticket <= 7; ++ticket) push(ticket);
  for (const uint64_t ticket : {4, 1, 7, 2}) EXPECT_EQ(queue.remove(ticket), token(ticket));
  EXPECT_EQ(queue.size(), 3u);
  EXPECT_EQ(pop_all(), (Tickets{3, 5, 6}));
}

TEST_F(WaiterQueueTest, NobodyLeavesTwice) {
  for (uint64_t ticket = 1; ticket <= 4; ++ticket) push(ticket);
  queue.remove(3);
  queue.pop();
  for (const uint64_t ticket : {0, 1, 3, 5}) EXPECT_EQ(queue.remove(ticket), nullptr) << ticket;
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.numbers(), 2);
  EXPECT_EQ(pop_all(), (Tickets{2, 4}));
}

TEST_F(WaiterQueueTest, GoesOnAfterTheLastOneLeft) {
  push(1);
  push(2);
  queue.remove(2);
  queue.remove(1);
  EXPECT_TRUE(queue.empty());
  push(3);
  EXPECT_EQ(pop_all(), (Tickets{3}));
}

TEST_F(WaiterQueueTest, KeepsTheOrderWhenManyLeaveFromTheMiddle) {
  for (uint64_t ticket = 1; ticket <= 100'000; ++ticket) push(ticket);
  Tickets rest;
  for (uint64_t ticket = 1; ticket <= 100'000; ++ticket) {
    if (ticket % 1000 == 1) {
      rest.push_back(ticket);
    } else {
      ASSERT_EQ(queue.remove(ticket), token(ticket));
    }
  }
  EXPECT_EQ(queue.numbers(), 100);
  EXPECT_EQ(queue.remove(50'000), nullptr);
  EXPECT_EQ(queue.remove(99'001), token(99'001));
  rest.pop_back();
  EXPECT_EQ(pop_all(), rest);
}

TEST_F(WaiterQueueTest, EmptyPlacesBehindAWaiterDoNotPileUp) {
  push(1);
  for (uint64_t ticket = 2; ticket < 200'000; ++ticket) {
    push(ticket);
    queue.remove(ticket);
    ASSERT_LT(queue.places(), 2000u);
  }
  EXPECT_EQ(pop_all(), (Tickets{1}));
}

TEST_F(WaiterQueueTest, GivesTheMemoryOfACrowdBack) {
  const int64_t before = allocations;
  for (uint64_t ticket = 1; ticket <= 100'000; ++ticket) push(ticket);
  EXPECT_GT(allocations, before);
  while (!queue.empty()) queue.pop();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace nextid
