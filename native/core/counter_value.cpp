#include "core/counter_value.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace nextid {
namespace {

// As short as it can be without being another number. (std::to_chars() would make each binary 140 KB larger.)
std::string shortest(double value) {
  std::array<char, 32> digits;
  int length = 0;
  for (int precision = 15; precision <= 17; ++precision) {
    length = std::snprintf(digits.data(), digits.size(), "%.*g", precision, value);
    if (std::strtod(digits.data(), nullptr) == value) break;
  }
  return std::string(digits.data(), static_cast<size_t>(length));
}

}  // namespace

CounterValue CounterValue::integer(const Expected& expected, int64_t found) {
  const bool fine = found >= expected.least && found <= expected.most;
  CounterValue value(expected, fine ? "" : "the integer " + std::to_string(found),
                     static_cast<double>(found));
  value.is_fine_ = fine;
  value.number_ = found;
  return value;
}

CounterValue CounterValue::real(const Expected& expected, double found) {
  const bool whole = std::isfinite(found) && found == std::floor(found);
  if (whole && std::abs(found) < kDoublesSkipFrom) {
    CounterValue value = integer(expected, static_cast<int64_t>(found));
    value.is_double_ = true;
    if (!value.is_fine_) value.found_ = "the double " + shortest(found);
    return value;
  }
  const bool inexact = std::isfinite(found) && found >= kDoublesSkipFrom && expected.most == kLargestNumber;
  CounterValue value(expected, "the double " + shortest(found) + (inexact ? " (not exact from 2^53 on)" : ""),
                     found);
  value.is_double_ = true;
  value.is_inexact_ = inexact;
  return value;
}

CounterValue CounterValue::text(const Expected& expected, const std::string& found) {
  return CounterValue(expected, "the string '" + shortened(found) + "'", -1);
}

CounterValue CounterValue::other(const Expected& expected, std::string found, double roughly) {
  return CounterValue(expected, std::move(found), roughly);
}

std::string CounterValue::problem() const {
  const std::string field = expected_.field;
  return (is_there_ ? "holds " + found_ + " in " + field : "has no field " + field) +
         ": expected an integer from " + std::to_string(expected_.least) + " to " +
         std::to_string(expected_.most);
}

bool CounterValue::give_way_to(int64_t number, int64_t most) {
  const bool is_larger = roughly_ >= static_cast<double>(number) && roughly_ <= static_cast<double>(most);
  if (!is_there_ || is_fine_ || is_larger) return false;
  is_fine_ = true;
  number_ = number;
  return true;
}

std::string shortened(std::string text) {
  constexpr size_t kMost = 40;
  if (text.size() <= kMost) return text;
  size_t length = kMost;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  return text.substr(0, length) + "…";
}

}  // namespace nextid
