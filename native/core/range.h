#pragma once

#include <algorithm>
#include <cstdint>

namespace nextid {

// A block of consecutive numbers, from `first` to `end` (exclusive).
struct Range {
  int64_t first = 0;
  int64_t end = 0;

  int64_t count() const { return end - first; }
  bool empty() const { return first >= end; }

  // Removes up to `n` numbers from the low end and returns them.
  Range take_front(int64_t n) {
    const Range taken{first, first + std::min(n, count())};
    first = taken.end;
    return taken;
  }

  bool operator==(const Range&) const = default;
};

}  // namespace nextid
