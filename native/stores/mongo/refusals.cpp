#include "stores/mongo/refusals.h"

#include <utility>

namespace nextid {
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

std::string shell_update(const CounterCollection& counters, const std::string& query, const std::string& set,
                         bool upsert) {
  return "db.getCollection(" + shell_text(counters.name()) + ").updateOne({" + query + "}, {$set: {" + set +
         "}}" + (upsert ? ", {upsert: true})" : ")");
}

Error damaged(const Counter& counter, const CounterValue& value, const std::string& remedy) {
  const bool past_doubles = value.kind == CounterValue::Kind::kTooLarge;
  return refusal(past_doubles ? ErrorCode::kIdOverflow : ErrorCode::kCounterInvalid,
                 counter.called() + " " + value.problem() + "; it was left as it is. " + remedy);
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

Error missing(const Counter& counter, const std::string& given, const std::string& remedy) {
  return unconfirmed(
      refusal(ErrorCode::kSequenceMissing,
              counter.called() + " is gone, though this process was given " + given +
                  "; stop all processes that use it, then restore it, or make it anew with: " + remedy));
}

std::optional<Error> misfit(const Counter& counter, const ReserveRequest& request, int64_t next,
                            const std::string& remedy) {
  const std::string where = counter.called() + " stands at " + std::to_string(next);
  if (request.floor && next < *request.floor) {
    return unconfirmed(refusal(
        ErrorCode::kSequenceRewound,
        where + ", though this process was given numbers below " + std::to_string(*request.floor) +
            "; it was set back, perhaps by a backup. Stop all processes that use it, then move it up with: " +
            remedy));
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

}  // namespace nextid
