#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/clock.h"

namespace nextid {

// A call that waits for numbers.
struct Waiter {
  using Token = void*;  // the host's handle for the call; never null

  Token token = nullptr;
  uint64_t ticket = 0;  // increases from call to call
  int64_t count = 1;    // numbers asked for; 0 waits until there are numbers and takes none
  TimePoint deadline;

  // How many numbers must be in memory before the waiter can be served.
  int64_t needs() const { return std::max<int64_t>(count, 1); }
};

// Waiters in the order of their tickets. Removing one from the middle is cheap: it marks a place as empty.
// Memory: a queue that was never used takes none, and an empty one takes little.
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

  // Places in memory, including empty ones.
  size_t places() const { return waiters_.size(); }

  // The sum of needs() of all waiters.
  int64_t numbers() const { return numbers_; }

  // The waiter to be served next. REQUIRES: !empty()
  const Waiter& front() const { return waiters_[front_]; }

  // REQUIRES: !empty()
  Waiter pop() {
    const Waiter waiter = front();
    ++front_;
    forget(waiter);
    return waiter;
  }

  // Removes the waiter and returns its token, or null if it is not in the queue.
  Waiter::Token remove(uint64_t ticket) {
    const auto it = std::lower_bound(begin(), waiters_.end(), ticket,
                                     [](const Waiter& w, uint64_t t) { return w.ticket < t; });
    if (it == waiters_.end() || it->ticket != ticket || it->token == nullptr) return nullptr;
    const Waiter waiter = *it;
    it->token = nullptr;
    forget(waiter);
    return waiter.token;
  }

 private:
  static constexpr size_t kMostEmptyPlaces = 1024;

  std::vector<Waiter>::iterator begin() {
    return waiters_.begin() + static_cast<std::vector<Waiter>::difference_type>(front_);
  }

  void forget(const Waiter& waiter) {
    --live_;
    numbers_ -= waiter.needs();
    while (front_ < waiters_.size() && waiters_[front_].token == nullptr) ++front_;
    if (live_ == 0) {
      front_ = 0;
      waiters_.clear();
      if (waiters_.capacity() > kMostEmptyPlaces) std::vector<Waiter>().swap(waiters_);
    } else if (waiters_.size() > 2 * live_ + kMostEmptyPlaces) {
      waiters_.erase(waiters_.begin(), begin());
      front_ = 0;
      std::erase_if(waiters_, [](const Waiter& w) { return w.token == nullptr; });
    }
  }

  std::vector<Waiter> waiters_;
  size_t front_ = 0;  // index of front() in waiters_; the places before it are not used
  size_t live_ = 0;
  int64_t numbers_ = 0;
};

}  // namespace nextid
