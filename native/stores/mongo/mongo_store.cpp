#include "stores/mongo/mongo_store.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "stores/mongo/counter_collection.h"

namespace nextid {
namespace {

// Others may make a counter, or turn it from one type of number into another, between our look at it and our
// step. Both happen about once in a counter's life, so this many rounds are plenty.
constexpr int kMostRounds = 20;

// A counter that others may have made, or may make at this moment, and what is to be done with it.
struct Task {
  const std::string& name;
  Step step;
  Fit fit;
  int64_t limit;                 // where ids of the sequence end; said in an error
  std::optional<int64_t> start;  // what a missing counter is made with; none: it must exist
};

Error refusal(ErrorCode code, std::string message) {
  return Error{code, ErrorClass::kFinal, std::move(message), std::nullopt, 0};
}

// A text as the MongoDB shell takes it.
std::string shell_text(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

class MongoStore final : public Store {
 public:
  MongoStore(std::unique_ptr<const MongoUri> uri, std::string collection)
      : uri_(std::move(uri)), collection_(std::move(collection)), errors_(*uri_, collection_), pool_(*uri_) {}

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<bool> release(const std::string& name, Range unused) override;
  Result<int64_t> advance(const std::string& name, int64_t next) override;
  Result<std::vector<CounterInfo>> list() override;

 private:
  // Lends `operation` the counters, through a client of its own. One that the driver complained of is not
  // used again.
  template <typename T, typename Operation>
  Result<T> with_counters(Operation operation);

  // Moves the counter of `task`, makes it first if need be, and tells where it stands then.
  Result<int64_t> move(CounterCollection& counters, const Task& task);

  Error missing(const Task& task) const;
  // What is wrong with a counter that the step did not fit, if anything is; else it has changed meanwhile.
  std::optional<Error> objection(const Task& task, const CounterValue& value) const;
  std::string called(const std::string& name) const {
    return "the counter '" + name + "' in the collection '" + collection_ + "' of " + uri_->shown();
  }

  const std::unique_ptr<const MongoUri> uri_;
  const std::string collection_;
  const MongoErrors errors_;
  ClientPool pool_;
};

Result<Range> MongoStore::reserve(const ReserveRequest& request) {
  Task task{.name = request.name,
            .step = {Step::Kind::kAdd, request.count, request.count},
            .fit = {Fit::Type::kInteger, std::max<int64_t>(request.floor.value_or(0), 0),
                    std::min(request.limit - 1, INT64_MAX - request.count)},
            .limit = request.limit,
            .start = std::nullopt};
  if (!request.floor) task.start = request.start;
  const Result<int64_t> end =
      with_counters<int64_t>([&](CounterCollection& counters) { return move(counters, task); });
  if (!end.ok()) return end.error();
  return Range{end.value() - request.count, end.value()};
}

Result<bool> MongoStore::release(const std::string& name, Range unused) {
  return with_counters<bool>(
      [&](CounterCollection& counters) { return counters.compare_and_set(name, unused.end, unused.first); });
}

Result<int64_t> MongoStore::advance(const std::string& name, int64_t next) {
  const Task task{.name = name,
                  .step = {Step::Kind::kRaiseTo, next},
                  .fit = {Fit::Type::kInteger, 0, INT64_MAX},
                  .limit = INT64_MAX,
                  .start = next};
  return with_counters<int64_t>([&](CounterCollection& counters) { return move(counters, task); });
}

Result<std::vector<CounterInfo>> MongoStore::list() {
  return with_counters<std::vector<CounterInfo>>([](CounterCollection& counters) { return counters.list(); });
}

template <typename T, typename Operation>
Result<T> MongoStore::with_counters(Operation operation) {
  const DriverLog log;
  bson_error_t error{};
  std::unique_ptr<Client> client = pool_.take(error);
  if (client == nullptr) return errors_.of_no_client(error, log.last_error());
  CounterCollection counters(*client, *uri_, collection_, errors_, log);
  Result<T> result = operation(counters);
  if (result.ok() || !result.error().driver) {
    pool_.give_back(std::move(client));
  } else {
    pool_.clear();
  }
  return result;
}

Result<int64_t> MongoStore::move(CounterCollection& counters, const Task& task) {
  for (int round = 0; round < kMostRounds; ++round) {
    const Result<std::optional<int64_t>> moved = counters.step(task.name, task.fit, task.step);
    if (!moved.ok()) return moved.error();
    if (moved.value()) return *moved.value();

    const Result<std::optional<CounterValue>> seen = counters.read(task.name);
    if (!seen.ok()) return seen.error();
    if (!seen.value()) {
      if (!task.start) return missing(task);
      if (auto error = counters.make(task.name, *task.start)) return *error;
      continue;
    }
    const CounterValue& value = *seen.value();
    if (auto error = objection(task, value)) return *error;
    if (value.kind == CounterValue::Kind::kDouble) {
      // $inc would leave it a double, and inexact one day.
      const Step settle{Step::Kind::kSetTo, task.step.from(value.number), task.step.lost};
      const Result<std::optional<int64_t>> settled =
          counters.step(task.name, {Fit::Type::kDouble, value.number, value.number}, settle);
      if (!settled.ok()) return settled.error();
      if (settled.value()) return *settled.value();
    }
  }
  return Error{
      ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
      called(task.name) + " was changed by others at each of many tries; nothing was reserved, try again",
      std::nullopt, 0};
}

Error MongoStore::missing(const Task& task) const {
  const std::string floor = std::to_string(task.fit.least);
  return refusal(ErrorCode::kSequenceMissing,
                 called(task.name) + " is gone, though this process was given numbers below " + floor +
                     "; restore it, or make it anew with: nextid advance " + task.name + " " + floor +
                     " (or higher, if another process was given more)");
}

std::optional<Error> MongoStore::objection(const Task& task, const CounterValue& value) const {
  if (const std::string problem = value.problem(); !problem.empty()) {
    const bool past_doubles = value.kind == CounterValue::Kind::kTooLarge;
    return refusal(
        past_doubles ? ErrorCode::kIdOverflow : ErrorCode::kCounterInvalid,
        called(task.name) + " " + problem +
            "; it was left as it is. With N above every id that was given, run in the MongoDB shell: " +
            "db.getCollection(" + shell_text(collection_) + ").updateOne({_id: " + shell_text(task.name) +
            "}, {$set: {index: NumberLong('N')}})");
  }
  const std::string where = called(task.name) + " stands at " + std::to_string(value.number);
  if (value.number < task.fit.least) {
    const std::string floor = std::to_string(task.fit.least);
    return refusal(ErrorCode::kSequenceRewound,
                   where + ", though this process was given numbers below " + floor +
                       "; it was set back, perhaps by a backup. Move it up with: nextid advance " +
                       task.name + " " + floor + " (or higher, if another process was given more)");
  }
  if (value.number <= task.fit.most) return std::nullopt;
  if (value.number >= task.limit) {
    return refusal(ErrorCode::kIdOverflow, where + ", and ids of this sequence must be below " +
                                               std::to_string(task.limit) +
                                               "; open it with bigint: true, or begin another sequence");
  }
  return refusal(
      ErrorCode::kIdOverflow,
      where + ", and " + std::to_string(task.step.operand) +
          " more would pass 9223372036854775807, the last number there is; begin another sequence");
}

}  // namespace

Result<std::unique_ptr<Store>> make_mongo_store(const std::string& url, const std::string& collection) {
  if (collection.empty() || collection.find('\0') != std::string::npos) {
    return refusal(
        ErrorCode::kStoreInvalid,
        "the name of the collection for the counters is empty or holds a NUL character; expected a name "
        "such as ids, the default");
  }
  auto uri = std::make_unique<MongoUri>();
  if (auto error = uri->parse(url)) return *error;
  return std::unique_ptr<Store>(std::make_unique<MongoStore>(std::move(uri), collection));
}

}  // namespace nextid
