#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace nextid::sqlite {

// How long one call waits in total for other users of the file. (Only a disk that hangs during a read or
// write can block a call for longer.)
constexpr std::chrono::seconds kBusyTimeout{5};

// The deadline of the call that uses the connection at the moment.
class LockWait {
 public:
  using Clock = std::chrono::steady_clock;

  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  // Call when attempt number `tries` (0, 1, …) found the file locked. Sleeps for a moment and returns true,
  // or returns false once the deadline has passed. Pauses are short, because a transaction takes
  // milliseconds.
  bool again(int tries) const {
    const Clock::duration left = deadline_ - Clock::now();
    if (left <= Clock::duration::zero()) return false;
    constexpr int kLongestPauseBits = 3;  // 8 ms
    std::this_thread::sleep_for(
        std::min<Clock::duration>(left, std::chrono::milliseconds(1 << std::min(tries, kLongestPauseBits))));
    return true;
  }

 private:
  Clock::time_point deadline_;
};

}  // namespace nextid::sqlite
