#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/range.h"
#include "native/sqlite/other_program.h"

namespace nextid::sqlite {

// The ranges that one process was given, in a file that outlives it.
class Journal {
 public:
  explicit Journal(const std::string& path)
      : fd_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666)) {}
  ~Journal() { ::close(fd_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void add(const Range& range) const {
    ASSERT_EQ(::write(fd_, &range, sizeof range), static_cast<ssize_t>(sizeof range));
  }
  static std::vector<Range> read(const std::string& path) {
    const std::string content = read_file(path);
    std::vector<Range> ranges(content.size() / sizeof(Range));
    std::copy_n(content.data(), ranges.size() * sizeof(Range), reinterpret_cast<char*>(ranges.data()));
    return ranges;
  }

 private:
  const int fd_;
};

inline std::vector<Range> sorted(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](Range a, Range b) { return a.first < b.first; });
  return ranges;
}

// No number was given twice, and none below `start`.
inline void expect_disjoint(const std::vector<Range>& ranges, int64_t start) {
  for (const Range& range : sorted(ranges)) {
    ASSERT_GE(range.first, start) << "given twice, or below the start";
    start = range.end;
  }
}

// The same, and none was left out.
inline void expect_unbroken(const std::vector<Range>& ranges, int64_t start) {
  for (const Range& range : sorted(ranges)) {
    ASSERT_EQ(range.first, start);
    start = range.end;
  }
}

}  // namespace nextid::sqlite
