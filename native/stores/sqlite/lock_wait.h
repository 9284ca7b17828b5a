#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace nextid::sqlite {

// How long one call waits for other users of the file, all its waits together. (Only a disk that hangs in the
// middle of a read or write can hold a call for longer.)
constexpr std::chrono::seconds kBusyTimeout{5};

// The patience of the call that now uses the connection.
class LockWait {
 public:
  using Clock = std::chrono::steady_clock;

  void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  // To be called after the try number `tries` (0, 1, …) found the file locked. Sleeps for a moment and
  // returns true, or false once the time is up. A transaction of ours takes milliseconds, so the pauses stay
  // short.
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
