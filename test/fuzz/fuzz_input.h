#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace nextid {

// The bytes of one run, read as choices. Once they are used up all choices are 0 and all texts empty, so that
// a shorter input is a simpler run.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  bool empty() const { return size_ == 0; }

  uint8_t byte() {
    uint8_t value = 0;
    read(&value, 1);
    return value;
  }

  // From 0 to n - 1. REQUIRES: 1 <= n <= 256
  uint32_t below(size_t n) { return byte() % static_cast<uint32_t>(n); }

  // Any number.
  int64_t number() {
    int64_t value = 0;
    read(&value, sizeof value);
    return value;
  }

  // Up to 255 bytes, whatever they are.
  std::string text() {
    std::string value(std::min<size_t>(byte(), size_), '\0');
    read(value.data(), value.size());
    return value;
  }

  // All that is left.
  std::string rest() {
    std::string value(size_, '\0');
    read(value.data(), value.size());
    return value;
  }

 private:
  void read(void* into, size_t size) {
    const size_t taken = std::min(size, size_);
    if (taken > 0) std::memcpy(into, data_, taken);
    data_ += taken;
    size_ -= taken;
  }

  const uint8_t* data_;
  size_t size_;
};

// Ends the run as a failure, unless `holds`. `what` says what was promised.
inline void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

}  // namespace nextid
