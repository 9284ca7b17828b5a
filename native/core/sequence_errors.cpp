#include "core/sequence_errors.h"

#include <new>
#include <string>

namespace nextid::sequence_errors {

namespace {

std::string name_of(const CounterKey& key) {
  return key.name.empty() ? "the sequence without a name" : "the sequence '" + key.name + "'";
}

std::string milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) + " ms";
}

// What to do when there are no ids left.
const char* overflow_remedy(const CounterKey& key, int64_t max_number) {
  if (is<Dated>(key)) return "wait for the next period";
  if (is<Timestamped>(key)) return "set the clock, and use another name";
  if (max_number != kLargestSafeInteger) return "use another name";
  return "open it with bigint: true for numbers up to 2^63-2, or use another name";
}

// An error with the text that `make_message` returns, or "out of memory" if there is no memory for it.
template <typename MakeMessage>
Error error_of(ErrorCode code, ErrorClass error_class, const MakeMessage& make_message) {
  try {
    return {code, error_class, make_message(), {}};
  } catch (const std::bad_alloc&) {
    return out_of_memory(error_class, code);
  }
}

}  // namespace

Error closed(const CounterKey& key) noexcept {
  return error_of(ErrorCode::kClosed, ErrorClass::kFinal, [&] {
    return name_of(key) +
           " is closed: expected no calls after close(); to go on, open it again with store.sequence(), or "
           "with open() if the store is closed";
  });
}

Error too_many_waiters(const CounterKey& key, size_t max_waiters) noexcept {
  return error_of(ErrorCode::kTooManyWaiters, ErrorClass::kPassing, [&] {
    return "too many calls wait for " + name_of(key) + ": expected at most " + std::to_string(max_waiters) +
           " (maxWaiters); try again later";
  });
}

Error no_window(const CounterKey& key) noexcept {
  return error_of(ErrorCode::kStoreUnavailable, ErrorClass::kPassing, [&] {
    return "the numbers in memory of " + name_of(key) +
           " are not available at this moment: expected room on the call stack; try again";
  });
}

Error no_timer(const CounterKey& key) noexcept {
  return error_of(ErrorCode::kStoreUnavailable, ErrorClass::kPassing, [&] {
    return "no timer for a call on " + name_of(key) +
           " is available at this moment: expected room on the call stack; try again";
  });
}

Error timeout(const CounterKey& key, Duration timeout, const Error* reason) noexcept {
  try {
    Error error{ErrorCode::kTimeout,
                ErrorClass::kPassing,
                name_of(key) + " got no number within " + milliseconds(timeout),
                {}};
    error.message += reason != nullptr ? ": " + reason->message
                                       : ": the store has not answered; check that it can be reached";
    if (reason != nullptr) error.driver = reason->driver;
    return error;
  } catch (const std::bad_alloc&) {
    return out_of_memory(ErrorClass::kPassing, ErrorCode::kTimeout);
  }
}

Error still_queued(size_t ahead) noexcept {
  return error_of(ErrorCode::kTimeout, ErrorClass::kPassing, [&] {
    return std::to_string(ahead) +
           " earlier requests to the store were still ahead of this one; raise maxConcurrentRefills or "
           "timeout";
  });
}

Error overflow(const CounterKey& key, int64_t max_number) noexcept {
  return error_of(ErrorCode::kIdOverflow, ErrorClass::kFinal, [&] {
    return name_of(key) + " has passed its largest number: expected at most " + std::to_string(max_number) +
           "; " + overflow_remedy(key, max_number);
  });
}

Error rewound(const CounterKey& key, Range range, int64_t floor) noexcept {
  const auto make_message = [&] {
    return describe(key) + " gave " + std::to_string(range.first) +
           " after this process had been given numbers below " + std::to_string(floor) +
           "; stop all processes that use it, then move it up with: " + advance_remedy(key, floor);
  };
  Error error = error_of(ErrorCode::kSequenceRewound, ErrorClass::kFinal, make_message);
  error.lost = range.count();
  return error;
}

}  // namespace nextid::sequence_errors
