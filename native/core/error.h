#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace nextid {

// What the caller of a store may conclude from an error.
enum class ErrorClass {
  kPassing,   // nothing was changed; trying again may help
  kDoubtful,  // the store may or may not have done it; reserving again is safe, giving back again is not
  kFinal,     // trying again will not help until somebody fixes the cause
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

// What the database's own library said. Never holds a password.
struct DriverError {
  std::string name;  // 'MongoError', 'SqliteError'
  std::string message;
  int64_t code = 0;
};

struct Error {
  ErrorCode code;
  ErrorClass error_class;
  std::string message;                // a sentence: what was wrong, what was expected, what to do
  std::optional<DriverError> driver;  // becomes `cause` in JavaScript
  int64_t lost = 0;                   // numbers that were reserved and had to be thrown away with this error
  // Read without a write that proves it: the data may be that of a deposed leader. Final if it lasts.
  bool unconfirmed = false;
};

// A final error: `message` says what was wrong, what was expected and what to do.
inline Error refusal(ErrorCode code, std::string message) {
  return {code, ErrorClass::kFinal, std::move(message), {}};
}

// The one error that is made and copied without memory: its message is short enough to lie within the string.
inline Error out_of_memory(ErrorClass error_class, ErrorCode code = ErrorCode::kStoreUnavailable) {
  return {code, error_class, "out of memory", {}};
}

// A value or the Error that stood in its way.
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
