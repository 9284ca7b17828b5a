#pragma once

#include <cstdint>

namespace nextid {

// The largest number that a store keeps.
constexpr int64_t kLargestNumber = INT64_MAX;  // 2^63-1

// The largest integer that JavaScript's numbers, which are doubles, hold exactly.
constexpr int64_t kLargestSafeInteger = (int64_t{1} << 53) - 1;

// From here on a double does not hold every integer.
constexpr double kDoublesSkipFrom = 9007199254740992.0;  // 2^53

}  // namespace nextid
