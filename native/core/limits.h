#pragma once

#include <cstdint>

namespace nextid {

// The largest number that a store can keep.
constexpr int64_t kLargestNumber = INT64_MAX;  // 2^63-1

// The largest integer up to which JavaScript's numbers, which are doubles, are exact.
constexpr int64_t kLargestSafeInteger = (int64_t{1} << 53) - 1;

// From here on, doubles cannot represent every integer.
constexpr double kDoublesSkipFrom = 9007199254740992.0;  // 2^53

}  // namespace nextid
