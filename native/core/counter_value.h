#pragma once

#include <cstdint>
#include <string>

#include "core/limits.h"

namespace nextid {

// What a store found where a counter keeps a whole number. Other programs, or a person, may have written it.
class CounterValue {
 public:
  // What belongs there.
  struct Expected {
    const char* field = "";  // as the store calls it
    int64_t least = 0;
    int64_t most = kLargestNumber;
  };

  // Nothing is there.
  explicit CounterValue(const Expected& expected) : expected_(expected) {}

  // The value of a counter that is just being made.
  explicit CounterValue(int64_t number) : is_there_(true), is_fine_(true), number_(number) {}

  static CounterValue integer(const Expected& expected, int64_t found);
  // A double is fine if it is whole, and small enough to be exact.
  static CounterValue real(const Expected& expected, double found);
  static CounterValue text(const Expected& expected, const std::string& found);
  // Anything else. `found`: in words. `roughly`: which number it is about, -1 if it is not a number.
  static CounterValue other(const Expected& expected, std::string found, double roughly = -1);

  // Whether it is as expected: number().
  bool fine() const { return is_fine_; }
  bool is_there() const { return is_there_; }
  bool is_double() const { return is_double_; }
  // A double too large to be exact, where a large number may be.
  bool is_inexact() const { return is_inexact_; }

  // REQUIRES: fine()
  int64_t number() const { return number_; }
  void set(int64_t number) { number_ = number; }

  // What it is, in words.
  std::string found() const { return is_fine_ ? std::to_string(number_) : found_; }

  // What is wrong with a counter that holds it: "holds … in index: expected …". REQUIRES: !fine()
  std::string problem() const;

  // Becomes `number` if it is damaged, unless it is a larger number up to `most`. Returns whether it did.
  bool give_way_to(int64_t number, int64_t most = kLargestNumber);

 private:
  CounterValue(const Expected& expected, std::string found, double roughly)
      : expected_(expected), is_there_(true), roughly_(roughly), found_(std::move(found)) {}

  Expected expected_;
  bool is_there_ = false;
  bool is_fine_ = false;
  bool is_double_ = false;
  bool is_inexact_ = false;
  int64_t number_ = 0;
  double roughly_ = -1;
  std::string found_;
};

// At most 40 bytes of `text`, not cut within a character of UTF-8.
std::string shortened(std::string text);

}  // namespace nextid
