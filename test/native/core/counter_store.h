#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "core/range.h"
#include "core/store.h"

namespace nextid {

// One counter in memory, that keeps what core/store.h promises.
struct CounterStore {
  // None: nobody has made the counter yet. Cyclic: the place on a line without end; ranges tell it folded.
  std::optional<int64_t> next;
  int64_t now = 0;  // time-stamped: the slot of the present moment
  std::vector<Range> returned{};
  int64_t advanced = 0;

  Result<Range> reserve(const ReserveRequest& request) {
    const bool cyclic = is<Cyclic>(request.counter);
    if (!next && request.floor) {
      return Error{ErrorCode::kSequenceMissing, ErrorClass::kFinal, "the counter is gone", {}};
    }
    const int64_t at = std::max(next.value_or(request.start), now);
    if (!cyclic && request.floor && at < *request.floor) {
      return Error{ErrorCode::kSequenceRewound, ErrorClass::kFinal, "the counter was set back", {}};
    }
    if (!cyclic && at >= request.limit) {
      return Error{ErrorCode::kIdOverflow, ErrorClass::kFinal, "the counter is used up", {}};
    }
    for (auto range = returned.begin(); range != returned.end() && request.returned_from; ++range) {
      if (range->first < *request.returned_from || request.count == 0) continue;
      const Range taken = range->take_front(request.count);
      if (range->empty()) returned.erase(range);
      return taken;
    }
    const int64_t cycle = cyclic ? std::get<Cyclic>(request.counter.kind).cycle : 0;
    const int64_t first = cyclic ? (at - 1) % cycle + 1 : at;
    if (cyclic && request.unbroken && first + request.count - 1 > cycle) {
      return Error{ErrorCode::kAcrossWrap, ErrorClass::kFinal, "the block would go across the wrap", {}};
    }
    next = at + request.count;
    return Range{first, first + request.count};
  }

  bool release(Range unused) {
    if (!next || unused.first < advanced || unused.end > *next) return false;
    if (next == unused.end) {
      next = unused.first;
    } else {
      returned.push_back(unused);
    }
    return true;
  }

  int64_t advance(int64_t to) {
    next = std::max(next.value_or(to), to);
    advanced = std::max(advanced, to);
    std::erase_if(returned, [to](const Range& range) { return range.first < to; });
    return *next;
  }

  // How many numbers were reserved and not given back.
  int64_t moved() const {
    int64_t moved = next.value_or(1) - 1;
    for (const Range& range : returned) moved -= range.count();
    return moved;
  }
};

// Where the ids that a process was given lie on the line without end of a cyclic counter.
class Places {
 public:
  // `range` was reserved, and the counter then stood at `next`.
  void add(Range range, int64_t next) {
    for (int64_t id = range.first; id < range.end; ++id) places_[id].push_back(next - range.end + id);
    any_ = true;
  }

  // One of the places of `id`, each once; -1 if there are none. Other kinds: `id`.
  int64_t take(int64_t id) {
    if (!any_) return id;
    std::deque<int64_t>& places = places_[id];
    if (places.empty()) return -1;
    const int64_t place = places.front();
    places.pop_front();
    return place;
  }

 private:
  bool any_ = false;
  std::unordered_map<int64_t, std::deque<int64_t>> places_;
};

// The counters of one sequence, by the prefix of their period; 0 if it is not a dated one.
class Counters {
 public:
  CounterStore& of(int64_t prefix) { return counters_[prefix]; }

  Result<Range> reserve(const ReserveRequest& request) {
    return of(prefix_of(request.counter)).reserve(request);
  }
  bool release(const CounterKey& counter, Range unused) { return of(prefix_of(counter)).release(unused); }

  const std::map<int64_t, CounterStore>& all() const { return counters_; }

 private:
  std::map<int64_t, CounterStore> counters_;
};

inline Error passing_error(std::string message = "connection refused") {
  return {ErrorCode::kStoreUnavailable, ErrorClass::kPassing, message, DriverError{"MongoError", message, 6}};
}

// `lost`: numbers that the store reserved, but may yet forget that it did.
inline Error doubtful_error(int64_t lost = 0) {
  return {ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "the reply was lost", {}, lost};
}

inline Error unconfirmed_error(ErrorCode code = ErrorCode::kSequenceMissing) {
  return {code, ErrorClass::kFinal, "the counter looks wrong", {}, 0, true};
}

inline Error final_error(ErrorCode code = ErrorCode::kAccessDenied) {
  return {code, ErrorClass::kFinal, "the store refused", {}};
}

}  // namespace nextid
