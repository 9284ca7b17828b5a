#include "stores/sqlite/timestamped_counter.h"

#include <algorithm>

#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {
namespace {

constexpr Expected kSlot{" as its slot", 0, INT64_MAX - 1};  // one more must fit
constexpr Expected kDigits{" as its digits", 0, 4};

}  // namespace

TimestampCounters::TimestampCounters(sqlite3* db, const std::string& path)
    : Counters(db, path, "SELECT name, slot, digits, time_zone FROM timestamp_counters ORDER BY name") {}

Result<Range> TimestampCounters::reserve(const ReserveRequest& request) {
  const CounterKey& key = request.counter;
  const Result<std::optional<Row>> counter = read(key);
  if (!counter.ok()) return counter.error();
  const std::optional<Row>& row = counter.value();
  if (request.floor && !row) return missing(request);
  if (row) {
    if (auto error = refuse_other_options(key, *row)) return *error;
  }
  if (request.floor && row->slot + 1 < *request.floor) return rewound(request, row->slot + 1);
  const Result<int64_t> present = present_slot(request);
  if (!present.ok()) return present.error();
  const int64_t next = row ? std::max(row->slot + 1, present.value()) : present.value();
  const Result<Range> range = range_from(next, request, "slots", "choose fewer digits");
  if (range.ok() && (!row || request.count > 0)) {
    if (auto error = write(key, range.value().end - 1)) return *error;
  }
  return range;
}

Error TimestampCounters::missing(const ReserveRequest& request) const {
  return gone(request, "slots below " + std::to_string(*request.floor));
}

Result<std::optional<int64_t>> TimestampCounters::advance(const AdvanceRequest& request) {
  const CounterKey& key = request.counter;
  const int64_t last = request.next - 1;
  const Result<std::optional<Row>> counter = read(key, request.restore ? std::optional(last) : std::nullopt);
  if (!counter.ok()) return counter.error();
  const std::optional<Row>& row = counter.value();
  if (!row && !request.make) return std::optional<int64_t>();
  if (row) {
    if (auto error = refuse_other_options(key, *row)) return *error;
  }
  const int64_t slot = std::max(row ? row->slot : 0, last);
  if (auto error = write(key, slot)) return *error;
  return std::optional(slot + 1);
}

CounterInfo TimestampCounters::show(sqlite3_stmt* row) const {
  const Result<int64_t> slot = read_number(row, 1, kSlot);
  const Result<int64_t> digits = read_number(row, 2, kDigits);
  CounterInfo info{
      .key = {.kind = CounterKind::kTimestamped, .name = read_text(row, 0)}, .next = {}, .problem = {}};
  if (digits.ok()) info.key.digits = static_cast<int>(digits.value());
  info.key.time_zone = read_text(row, 3);
  if (slot.ok() && digits.ok()) {
    info.next = slot.value() + 1;
  } else {
    info.problem = (slot.ok() ? digits : slot).error().message;
  }
  return info;
}

Result<int64_t> TimestampCounters::present_slot(const ReserveRequest& request) const {
  const int64_t now = request.clock();
  const int64_t epoch = slot_epoch(request.counter.digits);
  const int64_t slots = slots_per_microsecond(request.counter.digits);
  if (now > epoch && now - epoch <= INT64_MAX / slots) return (now - epoch) * slots;
  return refusal(ErrorCode::kIdOverflow,
                 "this machine's clock shows " + std::to_string(now) + " microseconds since 1970, and " +
                     place(request.counter) + " with its " + std::to_string(request.counter.digits) +
                     " digits goes from " + std::to_string(epoch + 1) + " to " +
                     std::to_string(epoch + INT64_MAX / slots) + "; set the clock right" +
                     (now > epoch ? ", or choose fewer digits" : ""));
}

std::optional<Error> TimestampCounters::refuse_other_options(const CounterKey& counter,
                                                             const Row& row) const {
  if (row.digits != counter.digits) {
    return made_for(counter, "digits: " + std::to_string(row.digits),
                    "digits: " + std::to_string(counter.digits));
  }
  if (row.time_zone != counter.time_zone) {
    return made_for(counter, "timeZone: '" + row.time_zone + "'", "timeZone: '" + counter.time_zone + "'");
  }
  return std::nullopt;
}

Error TimestampCounters::made_for(const CounterKey& counter, const std::string& has,
                                  const std::string& asked) const {
  return refusal(ErrorCode::kOptionsConflict, place(counter) + " has " + has + ", and " + asked +
                                                  " was asked for; open the sequence with " + has +
                                                  ", or give it another name");
}

Result<std::optional<TimestampCounters::Row>> TimestampCounters::read(const CounterKey& counter,
                                                                      std::optional<int64_t> last) {
  const Statement::Run run(read_, counter.name);
  if (run.failed()) return failure();
  if (run.done()) return std::optional<Row>();
  const Result<int64_t> slot = read_number_or(run.row(), 1, kSlot, last);
  const Result<int64_t> digits =
      read_number_or(run.row(), 2, kDigits, last ? std::optional<int64_t>(counter.digits) : std::nullopt, -1);
  if (slot.ok() && digits.ok()) {
    return std::optional(Row{slot.value(), digits.value(), read_text(run.row(), 3)});
  }
  return damaged(counter, (slot.ok() ? digits : slot).error());
}

std::optional<Error> TimestampCounters::write(const CounterKey& counter, int64_t slot) {
  const Statement::Run run(write_, counter.name, slot, int64_t{counter.digits}, counter.time_zone);
  if (run.failed()) return failure();
  return std::nullopt;
}

}  // namespace nextid::sqlite
