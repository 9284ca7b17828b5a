// A server that answers anything to what the store asks of it. Numbers come of a reservation only where the
// last findAndModify was confirmed, and they are those that its reply stands for; all else is an Error.

#include <iterator>
#include <memory>
#include <optional>
#include <string>

#include "fuzz/fuzz_input.h"
#include "native/mongo/fake_server.h"
#include "stores/mongo/mongo_store.h"

namespace nextid::mongo {
namespace {

using How = FakeMongoServer::How;
using Reply = FakeMongoServer::Reply;

constexpr int64_t kNow = 1'403'700'000'000'000;
constexpr int64_t kCycle = 1000;

// A value as extended JSON, and the number that a counter may read from it.
struct Value {
  std::string json;
  std::optional<int64_t> number;
};

std::string typed(const char* type, const std::string& value) {
  return std::string("{\"") + type + "\": \"" + value + "\"}";
}

Value any_value(FuzzInput& input) {
  static constexpr const char* kNoNumbers[] = {"null",
                                               "true",
                                               "\"12\"",
                                               "[7]",
                                               "{\"a\": 1}",
                                               R"({"$numberDouble": "NaN"})",
                                               R"({"$numberDouble": "Infinity"})",
                                               R"({"$numberDouble": "1.5"})",
                                               R"({"$numberDouble": "-1"})",
                                               R"({"$numberDouble": "9007199254740992"})",
                                               R"({"$numberDecimal": "12"})",
                                               R"({"$date": 12})",
                                               R"({"$oid": "0123456789abcdef01234567"})",
                                               R"({"$timestamp": {"t": 12, "i": 1}})"};
  switch (input.below(6)) {
    case 0:
      return {kNoNumbers[input.below(std::size(kNoNumbers))], std::nullopt};
    case 1: {
      const int64_t number = input.number();
      return {typed("$numberLong", std::to_string(number)),
              number < 0 ? std::nullopt : std::optional(number)};
    }
    case 2: {
      const int64_t number = kNow * 100 + input.byte() * 10;
      return {typed("$numberLong", std::to_string(number)), number};
    }
    case 3:
      return {typed("$numberInt", "-1"), std::nullopt};
    case 4: {
      const int64_t number = input.byte();
      return {typed("$numberDouble", std::to_string(number)), number};
    }
    default: {
      const int64_t number = input.byte() * 8;
      return {typed("$numberInt", std::to_string(number)), number};
    }
  }
}

// The server; `last` tells what its last answer to a findAndModify stands for.
class Liar {
 public:
  explicit Liar(FuzzInput& input, CounterKind kind) : input_(input), kind_(kind) {}

  Reply answer(const std::string& command) {
    last = std::nullopt;
    if (input_.empty()) return Reply(R"({"ok": 0, "code": 11600, "errmsg": "no more"})");
    if (command != "findAndModify") return {how(), "{" + other_answer(command) + "}"};
    static constexpr const char* kFields[] = {"index", "count", "val", "slot"};
    const char* field = kFields[kind_.index()];
    const Value value = any_value(input_);
    const uint32_t what = input_.below(8);
    const Reply::How how_ = how();
    std::string json = R"("ok": 1, "value": )";
    json += what == 0 ? "null" : "{\"" + std::string(field) + "\": " + value.json + "}";
    if (what == 1) json += R"(, "writeConcernError": {"code": 64, "errmsg": "too slow"})";
    if (what == 2) json = error();
    if (what > 2 && (how_ == How::kAnswer || how_ == How::kAnswerAndClose)) last = value.number;
    return {how_, "{" + json + R"(, "x": {"$numberInt": "1"}})"};
  }

  std::optional<int64_t> last;

 private:
  Reply::How how() {
    switch (input_.below(16)) {
      case 1:
        return How::kAnswerAndClose;
      case 2:
        return How::kAnswerDamaged;
      case 3:
        return How::kAnswerCutOff;
      case 4:
        return How::kClose;
      default:
        return How::kAnswer;
    }
  }

  std::string error() {
    static constexpr int kCodes[] = {1, 11, 24, 64, 91, 112, 189, 11000, 11600, 13436, 10107, 26};
    return R"("ok": 0, "code": )" + std::to_string(kCodes[input_.below(std::size(kCodes))]) +
           R"(, "errmsg": "no")";
  }

  // To find, listIndexes, update, delete, createIndexes and hello.
  std::string other_answer(const std::string& command) {
    const std::string x = R"(, "x": {"$numberInt": "1"})";
    switch (input_.below(8)) {
      case 0:
        return error() + x;
      case 1:
        return R"("ok": 1, "n": 1, "writeErrors": [{"index": 0, "code": 11000, "errmsg": "double"}])" + x;
      case 2:
        return R"("ok": 1, "n": )" + any_value(input_).json + x;
      default:
        break;
    }
    if (command != "find" && command != "listIndexes") return R"("ok": 1, "n": 1)" + x;
    std::string documents;
    for (uint32_t i = input_.below(4); i > 0; --i) {
      documents += (documents.empty() ? "" : ", ") + document();
    }
    return R"("ok": 1, "cursor": {"ns": "db.ids", "id": {"$numberLong": "0"}, "firstBatch": [)" + documents +
           "]}" + x;
  }

  std::string document() {
    static constexpr const char* kFields[] = {"index",  "count", "val",    "slot",   "maxval",  "digits",
                                              "prefix", "name",  "making", "pruned", "timeZone"};
    std::string json = "{\"_id\": " + (input_.below(8) == 0 ? any_value(input_).json : R"("orders")");
    for (const char* field : kFields) {
      if (input_.below(3) == 0) json += ", \"" + std::string(field) + "\": " + any_value(input_).json;
    }
    return json + "}";
  }

  FuzzInput& input_;
  const CounterKind kind_;
};

CounterKind kind_at(uint32_t index) {
  const CounterKind kinds[] = {Plain{}, Dated{140625}, Cyclic{kCycle}, Timestamped{2}};
  return kinds[index];
}

ReserveRequest any_request(FuzzInput& input, CounterKind kind) {
  ReserveRequest request;
  request.counter = {.name = "orders", .kind = kind};
  request.count = input.byte();
  if (input.below(2) == 0) request.floor = input.byte();
  if (!is<Timestamped>(kind) && input.below(2) == 0) request.limit = 1 + input.byte() * 8;
  request.unbroken = is<Cyclic>(kind) && input.below(4) == 0;
  request.clock = [] { return kNow; };
  return request;
}

// `stands_for`: the number in the reply that the range is of.
void check(const ReserveRequest& request, Range range, std::optional<int64_t> stands_for) {
  require(stands_for.has_value(), "numbers come of a confirmed reply that holds one");
  require(range.count() == request.count, "as many numbers come as were asked for");
  if (is<Cyclic>(request.counter)) {
    require(range.first >= 1 && range.first <= kCycle, "a cyclic range begins within the cycle");
    require((range.end - 1) % kCycle == *stands_for % kCycle, "it ends at the number that was last given");
    return;
  }
  const int64_t end = *stands_for + (is<Plain>(request.counter) ? 0 : 1);
  require(range.end == end && range.first >= 0, "the range is the one that the reply stands for");
  require(!request.floor || range.first >= *request.floor, "no number below the floor");
  require(range.first < request.limit, "no range beyond the limit");
}

void check_list(const Result<std::vector<CounterInfo>>& list) {
  if (!list.ok()) return;
  for (const CounterInfo& counter : list.value()) {
    require(counter.next.has_value() == counter.problem.empty(), "a counter has a next number or a problem");
    require(counter.next.value_or(0) >= 0, "numbers are not negative");
  }
}

void run(FuzzInput input) {
  const CounterKind kind = kind_at(input.below(4));
  const ReserveRequest request = any_request(input, kind);
  const uint32_t what = input.below(6);
  Liar liar(input, kind);
  FakeMongoServer server([&](const std::string& command, auto&&...) { return liar.answer(command); });
  const CheckedUrl url{server.url("retryWrites=false&retryReads=false"), "mongodb://127.0.0.1/shop", {}};
  const auto store = make_store(url, "ids", "counters").take();
  switch (what) {
    case 0:
      check_list(store->list());
      break;
    case 1:
      store->advance("orders", input.byte());
      break;
    case 2:
      store->prune("orders", {140601, 140602});
      break;
    default:
      if (const Result<Range> range = store->reserve(request); range.ok()) {
        check(request, range.value(), liar.last);
      } else {
        require(!range.error().message.empty(), "an error says what is wrong");
      }
  }
}

}  // namespace
}  // namespace nextid::mongo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::mongo::run(nextid::FuzzInput(data, size));
  return 0;
}
