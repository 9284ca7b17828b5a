#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/error.h"
#include "core/range.h"
#include "core/store.h"

namespace nextid {

// One counter in memory, that keeps what core/store.h promises.
struct CounterStore {
  std::optional<int64_t> next;  // none: nobody has made the counter yet

  Result<Range> reserve(const ReserveRequest& request) {
    if (!next && request.floor) {
      return Error{ErrorCode::kSequenceMissing, ErrorClass::kFinal, "the counter is gone", {}};
    }
    if (!next) next = request.start;
    if (request.floor && *next < *request.floor) {
      return Error{ErrorCode::kSequenceRewound, ErrorClass::kFinal, "the counter was set back", {}};
    }
    if (*next >= request.limit) {
      return Error{ErrorCode::kIdOverflow, ErrorClass::kFinal, "the counter is used up", {}};
    }
    const Range range{*next, *next + request.count};
    next = range.end;
    return range;
  }

  bool release(Range unused) {
    if (next != unused.end) return false;
    next = unused.first;
    return true;
  }

  int64_t advance(int64_t to) {
    next = std::max(next.value_or(to), to);
    return *next;
  }
};

inline Error passing_error(std::string message = "connection refused") {
  return {ErrorCode::kStoreUnavailable, ErrorClass::kPassing, message, DriverError{"MongoError", message, 6}};
}

// `lost`: numbers that the store reserved, but may yet forget that it did.
inline Error doubtful_error(int64_t lost = 0) {
  return {ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "the reply was lost", {}, lost};
}

inline Error final_error(ErrorCode code = ErrorCode::kAccessDenied) {
  return {code, ErrorClass::kFinal, "the store refused", {}};
}

}  // namespace nextid
