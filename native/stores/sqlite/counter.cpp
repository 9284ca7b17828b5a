#include "stores/sqlite/counter.h"

#include <utility>

#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {

Counters::Counters(sqlite3* db, std::string path, const char* list_sql)
    : db_(db), path_(std::move(path)), list_(db, list_sql) {}

Result<bool> Counters::release(const CounterKey&, Range) { return false; }

std::optional<Error> Counters::list(std::vector<CounterInfo>& counters) {
  Statement::Run run(list_);
  for (; run.has_row(); run.next()) counters.push_back(show(run.row()));
  if (run.failed()) return failure();
  return std::nullopt;
}

Result<Range> Counters::range_from(int64_t next, const ReserveRequest& request, const std::string& numbers,
                                   const std::string& advice) const {
  if (next < request.limit && request.count <= INT64_MAX - next) return Range{next, next + request.count};
  const std::string where = place(request.counter) + " stands at " + std::to_string(next);
  if (next >= request.limit && request.limit < INT64_MAX) {
    return refusal(ErrorCode::kIdOverflow, where + ", and " + numbers + " of this sequence must be below " +
                                               std::to_string(request.limit) + "; " + advice +
                                               ", or begin another sequence");
  }
  return refusal(ErrorCode::kIdOverflow, where + ", and the " + std::to_string(request.count) +
                                             " numbers asked for do not fit below 9223372036854775807; begin "
                                             "another sequence");
}

std::string Counters::place(const CounterKey& counter) const {
  return describe(counter) + " in " + store_name(path_);
}

Error Counters::gone(const ReserveRequest& request, const std::string& given) const {
  return refusal(ErrorCode::kSequenceMissing,
                 describe(request.counter) + " is gone from " + store_name(path_) +
                     ", though this process was given " + given +
                     "; stop all processes that use it, then restore it, or make it anew with: " +
                     advance_remedy(request.counter, request.floor));
}

Error Counters::rewound(const ReserveRequest& request, int64_t next) const {
  return refusal(
      ErrorCode::kSequenceRewound,
      place(request.counter) + " stands at " + std::to_string(next) +
          ", though this process was given numbers below " + std::to_string(*request.floor) +
          "; it was set back, perhaps by a backup. Stop all processes that use it, then move it up with: " +
          advance_remedy(request.counter, request.floor));
}

Error Counters::damaged(const CounterKey& counter, const Error& value) const {
  return refusal(value.code, place(counter) + " " + value.message + "; it was left as it is. Mend it with: " +
                                 advance_remedy(counter, std::nullopt, true));
}

Error Counters::failure() const { return sqlite_error(db_, path_); }

}  // namespace nextid::sqlite
