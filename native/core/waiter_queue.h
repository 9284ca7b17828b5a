#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "core/clock.h"

namespace nextid {

// A call that waits for numbers.
struct Waiter {
  using Token = void*;  // the host's handle of the call; never null

  Token token = nullptr;
  uint64_t ticket = 0;  // grows from call to call
  int64_t count = 1;    // numbers asked for; 0 waits until there are some and takes none
  TimePoint deadline;

  // What must be in memory before the waiter can be served.
  int64_t needs() const { return std::max<int64_t>(count, 1); }
};

// Waiters in the order of their tickets. Leaving from the middle is cheap: it marks a place as empty.
class WaiterQueue {
 public:
  // REQUIRES: waiter.ticket is larger than any before, waiter.deadline no earlier than any before
  void push(const Waiter& waiter) {
    waiters_.push_back(waiter);
    ++live_;
    numbers_ += waiter.needs();
  }

  bool empty() const { return live_ == 0; }
  size_t size() const { return live_; }

  // Sum of needs().
  int64_t numbers() const { return numbers_; }

  // The one to be served next. REQUIRES: !empty()
  const Waiter& front() const { return waiters_.front(); }

  // REQUIRES: !empty()
  Waiter pop() {
    const Waiter waiter = waiters_.front();
    waiters_.pop_front();
    forget(waiter);
    return waiter;
  }

  // Takes the waiter out and returns its token, or null if it is not (or no longer) here.
  Waiter::Token remove(uint64_t ticket) {
    const auto it = std::lower_bound(waiters_.begin(), waiters_.end(), ticket,
                                     [](const Waiter& w, uint64_t t) { return w.ticket < t; });
    if (it == waiters_.end() || it->ticket != ticket || it->token == nullptr) return nullptr;
    const Waiter waiter = *it;
    it->token = nullptr;
    forget(waiter);
    return waiter.token;
  }

 private:
  static constexpr size_t kMostEmptyPlaces = 1024;

  void forget(const Waiter& waiter) {
    --live_;
    numbers_ -= waiter.needs();
    while (!waiters_.empty() && waiters_.front().token == nullptr) waiters_.pop_front();
    if (waiters_.size() > 2 * live_ + kMostEmptyPlaces) {
      std::erase_if(waiters_, [](const Waiter& w) { return w.token == nullptr; });
    }
  }

  std::deque<Waiter> waiters_;  // never begins with an empty place
  size_t live_ = 0;
  int64_t numbers_ = 0;
};

}  // namespace nextid
