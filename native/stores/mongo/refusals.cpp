#include "stores/mongo/refusals.h"

#include <utility>

namespace nextid::mongo {
namespace {

// A deposed leader that resumes answers reads, and writes that match nothing, from the data it had.
Error unconfirmed(Error error) {
  error.unconfirmed = true;
  return error;
}

}  // namespace

Error refusal(ErrorCode code, std::string message) {
  return Error{code, ErrorClass::kFinal, std::move(message), std::nullopt, 0};
}

std::string shell_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

Error damaged(const Counter& counter, const CounterValue& value) {
  Error error = damaged(counter, value.problem(), value.is_there);
  if (value.kind == CounterValue::Kind::kTooLarge) error.code = ErrorCode::kIdOverflow;
  return error;
}

Error damaged(const Counter& counter, const std::string& problem, bool is_there) {
  return refusal(
      ErrorCode::kCounterInvalid,
      counter.called() + " " + problem + "; it was left as it is. " +
          (is_there ? "Mend it with: " + advance_remedy(counter.key(), std::nullopt, true)
                    : "Restore the field that it lost; or if the document belongs to another program, "
                      "keep the counters in a collection of their own (?collection=NAME in the URL)"));
}

Error taken(const Counter& counter, const bson_t* document) {
  constexpr const char* kFields[] = {"index", "count", "val", "slot"};  // in the order of CounterKind
  return refusal(ErrorCode::kCounterInvalid,
                 "the document " + shell_text(find_text(document, "_id").value_or("")) + " " +
                     counter.counters().where() +
                     " belongs to another program or sequence: it has no field " +
                     kFields[static_cast<int>(counter.key().kind)] + " of " + describe(counter.key()) +
                     ", and was left as it is; keep the counters in a collection of their own "
                     "(?collection=NAME in the URL), or use another name. If it is a counter that lost its "
                     "fields, restore them");
}

Error missing(const Counter& counter, const std::string& given, std::optional<int64_t> floor) {
  return unconfirmed(refusal(ErrorCode::kSequenceMissing,
                             counter.called() + " is gone, though this process was given " + given +
                                 "; stop all processes that use it, then restore it, or make it anew with: " +
                                 advance_remedy(counter.key(), floor)));
}

std::optional<Error> misfit(const Counter& counter, const ReserveRequest& request, int64_t next) {
  const std::string where = counter.called() + " stands at " + std::to_string(next);
  if (request.floor && next < *request.floor) {
    return unconfirmed(refusal(
        ErrorCode::kSequenceRewound,
        where + ", though this process was given numbers below " + std::to_string(*request.floor) +
            "; it was set back, perhaps by a backup. Stop all processes that use it, then move it up with: " +
            advance_remedy(counter.key(), request.floor)));
  }
  if (next >= request.limit) {
    const bool is_plain = counter.key().kind == CounterKind::kPlain;
    return refusal(ErrorCode::kIdOverflow,
                   where + ", and " + (is_plain ? "ids" : "numbers") + " of this sequence must be below " +
                       std::to_string(request.limit) + "; " +
                       (is_plain ? "open it with bigint: true, or begin" : "begin") + " another sequence");
  }
  if (next <= INT64_MAX - request.count) return std::nullopt;
  return refusal(
      ErrorCode::kIdOverflow,
      where + ", and " + std::to_string(request.count) +
          " more would pass 9223372036854775807, the last number there is; begin another sequence");
}

}  // namespace nextid::mongo
