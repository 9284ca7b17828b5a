#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nextid {

// What an error says about the operation that failed.
enum class ErrorClass {
  kPassing,   // nothing was changed; a retry may succeed
  kDoubtful,  // the operation may have taken place: reserving again is safe, giving back again is not
  kFinal,     // a retry fails until the cause is fixed
};

// The stable codes that users see; to_string() gives `ERR_NEXTID_…`.
enum class ErrorCode {
  kAccessDenied,
  kAcrossWrap,
  kClockAhead,
  kClosed,
  kCounterInvalid,
  kIdOverflow,
  kOptionsConflict,
  kPeriodPruned,
  kSequenceMissing,
  kSequenceRewound,
  kStoreInvalid,
  kStoreUnavailable,
  kTimeout,
  kTooManyWaiters,
};

constexpr std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kAccessDenied:
      return "ERR_NEXTID_ACCESS_DENIED";
    case ErrorCode::kAcrossWrap:
      return "ERR_NEXTID_ACROSS_WRAP";
    case ErrorCode::kClockAhead:
      return "ERR_NEXTID_CLOCK_AHEAD";
    case ErrorCode::kClosed:
      return "ERR_NEXTID_CLOSED";
    case ErrorCode::kCounterInvalid:
      return "ERR_NEXTID_COUNTER_INVALID";
    case ErrorCode::kIdOverflow:
      return "ERR_NEXTID_ID_OVERFLOW";
    case ErrorCode::kOptionsConflict:
      return "ERR_NEXTID_OPTIONS_CONFLICT";
    case ErrorCode::kPeriodPruned:
      return "ERR_NEXTID_PERIOD_PRUNED";
    case ErrorCode::kSequenceMissing:
      return "ERR_NEXTID_SEQUENCE_MISSING";
    case ErrorCode::kSequenceRewound:
      return "ERR_NEXTID_SEQUENCE_REWOUND";
    case ErrorCode::kStoreInvalid:
      return "ERR_NEXTID_STORE_INVALID";
    case ErrorCode::kStoreUnavailable:
      return "ERR_NEXTID_STORE_UNAVAILABLE";
    case ErrorCode::kTimeout:
      return "ERR_NEXTID_TIMEOUT";
    case ErrorCode::kTooManyWaiters:
      return "ERR_NEXTID_TOO_MANY_WAITERS";
  }
  return "ERR_NEXTID";
}

// The error of the database's own library. Never holds a password.
struct DriverError {
  std::string name;  // 'MongoError', 'SqliteError'
  std::string message;
  int64_t code = 0;
};

struct Error {
  ErrorCode code;
  ErrorClass error_class;
  std::string message;                // `<what is wrong>: <what was expected>; <what to do>`
  std::optional<DriverError> driver;  // becomes `cause` in JavaScript
  int64_t lost = 0;                   // numbers that were reserved, and lost with this error
  // Whether it was found by reading alone: the data may come from a deposed leader. See Sequence.
  bool unconfirmed = false;
};

// A final error; see Error::message.
inline Error refusal(ErrorCode code, std::string message) {
  return {code, ErrorClass::kFinal, std::move(message), {}};
}

// An error that allocates no memory, even when copied: its message fits into the string object.
inline Error out_of_memory(ErrorClass error_class, ErrorCode code = ErrorCode::kStoreUnavailable) {
  return {code, error_class, "out of memory", {}};
}

// A value, or the Error that occurred instead.
template <typename T>
class Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return std::holds_alternative<T>(state_); }
  // REQUIRES: ok()
  const T& value() const { return std::get<T>(state_); }
  T take() { return std::move(std::get<T>(state_)); }
  // REQUIRES: !ok()
  const Error& error() const { return std::get<Error>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace nextid
