#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/counter_key.h"
#include "core/range.h"

namespace nextid::sqlite {

// What has been given of the counters of a store, so that none of it is given again. From any thread.
class Ledger {
 public:
  Ledger() = default;
  Ledger(const Ledger& other) { *this = other; }
  Ledger& operator=(const Ledger& other) {
    const std::scoped_lock lock(mutex_, other.mutex_);
    ranges_ = other.ranges_;
    closing_ = other.closing_;
    closed_ = other.closed_;
    return *this;
  }

  // A test fails if a number of it is somebody's already. For a counter that was moved up to n: {n, n}.
  void add(const CounterKey& key, const Range& range) {
    const std::lock_guard lock(mutex_);
    const Range added = on_line(key, range);
    for (const Range& other : ranges_[id(key)]) {
      EXPECT_FALSE(added.first < other.end && other.first < added.end)
          << id(key) << ": " << range.first << " to " << range.end - 1 << " is given twice";
    }
    ranges_[id(key)].push_back(added);
  }

  // The owner of `range` uses none of it and is about to give it back.
  void remove(const CounterKey& key, const Range& range) {
    const std::lock_guard lock(mutex_);
    std::erase(ranges_[id(key)], range);
  }

  bool has(const CounterKey& key) const {
    const std::lock_guard lock(mutex_);
    const auto ranges = ranges_.find(id(key));
    return ranges != ranges_.end() && !ranges->second.empty();
  }

  // The counter must stand here at least.
  int64_t end(const CounterKey& key) const {
    const std::lock_guard lock(mutex_);
    return end_of(key);
  }

  // A number of `key` as the position on the line that it goes on. That of a cyclic counter is laid out
  // straight by taking the position nearest to the last one.
  int64_t on_line(const CounterKey& key, int64_t number) const {
    const std::lock_guard lock(mutex_);
    return on_line(key, Range{number, number}).first;
  }

  // The periods up to `prefix` are about to be pruned, or were.
  void closing(int64_t prefix) { raise(closing_, prefix); }
  void closed(int64_t prefix) { raise(closed_, prefix); }
  bool may_be_closed(int64_t prefix) const { return prefix <= read(closing_); }
  bool must_be_closed(int64_t prefix) const { return prefix <= read(closed_); }

 private:
  static std::string id(const CounterKey& key) { return to_string(key.kind) + (": " + describe(key)); }

  int64_t end_of(const CounterKey& key) const {
    int64_t end = 1;
    const auto ranges = ranges_.find(id(key));
    if (ranges == ranges_.end()) return end;
    for (const Range& range : ranges->second) end = std::max(end, range.end);
    return end;
  }

  Range on_line(const CounterKey& key, const Range& range) const {
    if (!is<Cyclic>(key)) return range;
    const int64_t from = end_of(key), half = std::get<Cyclic>(key.kind).cycle / 2;
    int64_t distance = (range.first - from) % std::get<Cyclic>(key.kind).cycle;
    if (distance < -half) distance += std::get<Cyclic>(key.kind).cycle;
    if (distance >= half) distance -= std::get<Cyclic>(key.kind).cycle;
    return {from + distance, from + distance + range.count()};
  }

  void raise(int64_t& mark, int64_t prefix) {
    const std::lock_guard lock(mutex_);
    mark = std::max(mark, prefix);
  }
  int64_t read(const int64_t& mark) const {
    const std::lock_guard lock(mutex_);
    return mark;
  }

  mutable std::mutex mutex_;
  std::map<std::string, std::vector<Range>> ranges_;
  int64_t closing_ = 0;
  int64_t closed_ = 0;
};

}  // namespace nextid::sqlite
