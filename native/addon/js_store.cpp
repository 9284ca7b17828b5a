#include "addon/js_store.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include "addon/js_values.h"
#include "addon/records.h"

namespace nextid {
namespace {

constexpr ErrorCode kCodes[] = {
    ErrorCode::kAccessDenied, ErrorCode::kCounterInvalid,   ErrorCode::kPeriodPruned,
    ErrorCode::kStoreInvalid, ErrorCode::kStoreUnavailable,
};

Error nonsense(const std::string& what) {
  return {ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "the store failed: " + what, {}};
}

Error to_error(const Napi::Object& failure) {
  const auto text = [&](const char* name) { return failure.Get(name).ToString().Utf8Value(); };
  const std::string code = text("code"), error_class = text("class");
  const auto known = std::ranges::find_if(kCodes, [&](ErrorCode known) { return to_string(known) == code; });
  Error error{known == std::end(kCodes) ? ErrorCode::kStoreUnavailable : *known,
              error_class == "final"     ? ErrorClass::kFinal
              : error_class == "passing" ? ErrorClass::kPassing
                                         : ErrorClass::kDoubtful,
              text("message"),
              {}};
  if (failure.Has("said")) error.driver = {text("name"), text("said"), to_int64(failure.Get("number"))};
  return error;
}

// Why a dated counter must not be made: the mark of closed periods says so, or is damaged.
std::optional<Error> refuse_closed(const CounterKey& key, const Place& place, const Napi::Value& mark) {
  const auto* dated = std::get_if<Dated>(&key.kind);
  if (dated == nullptr || mark.IsUndefined()) return std::nullopt;
  const auto object = mark.As<Napi::Object>();
  const Napi::Value value = object.Get("value");
  if (value.IsUndefined()) return std::nullopt;
  const std::string field = std::string("pruned.") + period_of(dated->prefix);
  const CounterValue closed = to_counter_value(value, {field.c_str(), kSmallestPrefix, kLargestPrefix});
  if (!closed.fine()) {
    return counter_errors::mark_damaged(key.name, dated->prefix, place, closed,
                                        object.Get("remedy").ToString());
  }
  if (dated->prefix > closed.number()) return std::nullopt;
  return counter_errors::pruned(key, place, closed.number());
}

// A store may answer from the data of a deposed leader. See Sequence.
Error unless_confirmed(Error error) {
  error.unconfirmed = error.code == ErrorCode::kSequenceRewound || error.code == ErrorCode::kSequenceMissing;
  return error;
}

// Checks the time of the store's own clock, if it has one.
std::optional<Error> refuse_clock(const ReserveRequest& request, const Place& place, int64_t now,
                                  const Napi::Value& time) {
  if (time.IsUndefined()) return std::nullopt;
  const int64_t ahead = now - to_int64(time);
  if (ahead <= request.max_skew) return std::nullopt;
  return counter_errors::clock_ahead(request.counter, place, ahead, request.max_skew);
}

// What of the request a store can do in one step, for counters whose value is least…most and that have no
// returned range at `from` or above.
struct Increment {
  int64_t offset = 0;
  int64_t least = 0;
  int64_t most = 0;
};

std::optional<Increment> increment_of(const ReserveRequest& request) {
  const auto of = [&](const auto& kind) -> std::optional<Increment> {
    if constexpr (std::is_same_v<typename std::decay_t<decltype(kind)>::State, GrowingState>) {
      if (request.count == 0) return std::nullopt;
      const int64_t offset = kind.first_state(0).offset;
      return Increment{offset, std::max<int64_t>(request.floor.value_or(0) - offset, 0),
                       std::min(request.limit - 1, kLargestNumber - request.count) - offset};
    } else {
      return std::nullopt;
    }
  };
  return std::visit(of, request.counter.kind);
}

Napi::Object to_js(Napi::Env env, const ReserveRequest& request, const Increment& increment) {
  Napi::Object object = Napi::Object::New(env);
  const auto set = [&](const char* name, int64_t number) {
    object.Set(name, Napi::BigInt::New(env, number));
  };
  set("by", request.count);
  set("least", increment.least);
  set("most", increment.most);
  if (request.returned_from) set("from", *request.returned_from);
  return object;
}

}  // namespace

JsStore::JsStore(const Napi::Object& object, size_t limit)
    : QueuedStore(limit), env_(object.Env()), object_(Napi::Persistent(object)) {}

void JsStore::start_reserve(const ReserveRequest& request, Done<Range> done) {
  const Napi::HandleScope scope(env_);
  const auto result = std::make_shared<std::optional<Result<Range>>>();
  const Place place = place_of(request.counter.kind);
  const std::optional<Increment> increment = increment_of(request);
  const int64_t now = request.clock();
  const Change change = [env = env_, request, place, now, result](
                            const Napi::Value& record, const Napi::Value& mark, const Napi::Value& time) {
    const auto reserve_of = [&](const auto& kind) -> Napi::Value {
      const auto refuse = [&](Error error) {
        *result = unless_confirmed(std::move(error));
        return env.Undefined();
      };
      const bool is_there = !record.IsUndefined();
      auto error = refuse_closed(request.counter, place, mark);
      if (!error) error = refuse_clock(request, place, now, time);
      if (!error && !is_there && request.floor) {
        error = counter_errors::missing(request.counter, place, *request.floor);
      }
      if (error) return refuse(*std::move(error));
      auto state = is_there ? to_state(kind, record.As<Napi::Object>()) : kind.first_state(request.start);
      const Result<Range> range = nextid::reserve(state, request, place);
      if (!range.ok()) return refuse(range.error());
      *result = range;
      const bool is_begun = is_there && mark.IsUndefined();
      if (is_begun && request.count == 0) return env.Undefined();
      return to_record(env, kind, state);
    };
    return std::visit(reserve_of, request.counter.kind);
  };
  Napi::Object needs = Napi::Object::New(env_);
  if (increment) needs.Set("increment", to_js(env_, request, *increment));
  needs.Set("mark", is<Dated>(request.counter));
  needs.Set("time", is<Timestamped>(request.counter) && request.max_skew != kLargestNumber);
  const auto read = [request, increment, result](const Napi::Value& value) -> Result<Range> {
    if (value.IsUndefined() && *result) return **result;
    if (!value.IsBigInt() || !increment) return nonsense("it changed no counter");
    const int64_t before = to_int64(value) - request.count;
    if (before < increment->least || before > increment->most) {
      return nonsense("it says that the counter is now " + value.ToString().Utf8Value());
    }
    const int64_t first = before + increment->offset;
    return Range{first, first + request.count};
  };
  call<Range>("update", {to_object(env_, request.counter), to_function(change), needs}, std::move(done),
              read);
}

void JsStore::start_release(const CounterKey& counter, Range unused, const std::optional<Error>& refused,
                            Done<bool> done) {
  const Napi::HandleScope scope(env_);
  const auto taken = std::make_shared<bool>(false);
  const Change change = [env = env_, counter, unused, refused, taken](
                            const Napi::Value& record, const Napi::Value&, const Napi::Value&) {
    const auto release_to = [&](const auto& kind) -> Napi::Value {
      if constexpr (std::decay_t<decltype(kind)>::kGivesBack) {
        *taken = false;
        if (record.IsUndefined() || refused) return env.Undefined();
        auto state = to_state(kind, record.As<Napi::Object>());
        *taken = give_back(state, unused);
        if (*taken) return to_record(env, kind, state);
      }
      return env.Undefined();
    };
    return std::visit(release_to, counter.kind);
  };
  const auto read = [taken, refused](const Napi::Value&) -> Result<bool> {
    if (refused) return *refused;
    return *taken;
  };
  const std::vector<napi_value> arguments{to_object(env_, counter), to_function(change)};
  call<bool>(refused ? "nothing" : "update", arguments, std::move(done), read);
}

void JsStore::start_advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) {
  using Next = std::optional<int64_t>;
  const Napi::HandleScope scope(env_);
  const auto result = std::make_shared<std::optional<Result<Next>>>();
  const Place place = place_of(request.counter.kind);
  const Change change = [env = env_, request, place, result](const Napi::Value& record,
                                                             const Napi::Value& mark, const Napi::Value&) {
    const auto advance_of = [&](const auto& kind) -> Napi::Value {
      const bool is_there = !record.IsUndefined();
      *result = Next();
      if (!is_there && !request.make) return env.Undefined();
      auto state = is_there ? to_state(kind, record.As<Napi::Object>()) : kind.first_state(0);
      auto error = refuse_closed(request.counter, place, mark);
      if (request.restore) repair(state, request);
      if (!error) error = check(state, request, place);
      if (error) {
        *result = *std::move(error);
        return env.Undefined();
      }
      *result = Next(nextid::advance(state, request));
      return to_record(env, kind, state);
    };
    return std::visit(advance_of, request.counter.kind);
  };
  Napi::Object needs = Napi::Object::New(env_);
  needs.Set("mark", is<Dated>(request.counter) && !request.restore);
  const auto read = [result](const Napi::Value&) -> Result<Next> {
    return *result ? **result : nonsense("it changed no counter");
  };
  call<Next>("update", {to_object(env_, request.counter), to_function(change), needs}, std::move(done), read);
}

void JsStore::start_list(Done<std::vector<CounterInfo>> done) {
  using List = std::vector<CounterInfo>;
  const Napi::HandleScope scope(env_);
  call<List>("list", {}, std::move(done), [](const Napi::Value& value) -> Result<List> {
    if (!value.IsArray()) return nonsense("list() gave no array");
    const auto entries = value.As<Napi::Array>();
    List list;
    for (uint32_t i = 0; i < entries.Length(); ++i) {
      const Napi::HandleScope entry_scope(value.Env());
      const auto entry = entries.Get(i).As<Napi::Object>();
      CounterInfo info{.key = to_counter_key(entry.Get(0u).As<Napi::Object>()), .next = {}, .problem = {}};
      const CounterKind kind = info.key.kind;  // show() may change the key
      std::visit([&](const auto& of) { show(to_state(of, entry.Get(1u).As<Napi::Object>()), info); }, kind);
      list.push_back(std::move(info));
    }
    std::ranges::sort(list, [](const auto& a, const auto& b) { return listed_before(a.key, b.key); });
    return list;
  });
}

void JsStore::start_prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) {
  const Napi::HandleScope scope(env_);
  const auto refused = std::make_shared<std::optional<Error>>();
  const int64_t last = prefixes.empty() ? kSmallestPrefix : prefixes.back();
  const CounterKey key{.name = name, .kind = Dated{last}};
  const Change raise = [env = env_, key, last, place = place_of(key.kind), refused](
                           const Napi::Value& mark, const Napi::Value&, const Napi::Value&) -> Napi::Value {
    *refused = refuse_closed(key, place, mark);
    if (*refused && (*refused)->code == ErrorCode::kPeriodPruned) {
      refused->reset();
      return mark.As<Napi::Object>().Get("value");
    }
    if (*refused) return env.Undefined();
    return Napi::BigInt::New(env, last);
  };
  Napi::Array array = Napi::Array::New(env_, prefixes.size());
  for (uint32_t i = 0; i < prefixes.size(); ++i) array.Set(i, static_cast<double>(prefixes[i]));
  const auto read = [refused](const Napi::Value& value) -> Result<int64_t> {
    if (*refused) return **refused;
    if (!value.IsNumber()) return nonsense("prune() gave no number");
    return value.ToNumber().Int64Value();
  };
  const std::vector<napi_value> arguments{Napi::String::New(env_, name), array, to_function(raise)};
  call<int64_t>("prune", arguments, std::move(done), read);
}

// Without the reference, an object that knows its store can be garbage-collected.
void JsStore::start_close(Done<bool> done) {
  const Napi::HandleScope scope(env_);
  const Done<bool> forget = [this, done = std::move(done)](const Result<bool>& result) {
    object_.Reset();
    done(result);
  };
  call<bool>("close", {}, forget, [](const Napi::Value&) -> Result<bool> { return true; });
}

// What a method resolved to. May throw std::bad_alloc.
template <typename T, typename Read>
Result<T> result_of(const Napi::Value& value, const Read& read) {
  try {
    const bool failed = value.IsObject() && !value.IsArray() && value.As<Napi::Object>().Has("class");
    return failed ? Result<T>(to_error(value.As<Napi::Object>())) : read(value);
  } catch (const Napi::Error& error) {
    return nonsense(error.Message());
  }
}

template <typename T, typename Read>
void JsStore::call(const char* method, const std::vector<napi_value>& arguments, Done<T> done, Read read) {
  const Napi::Object object = object_.Value();
  const auto settled = [done = std::move(done), read](const Napi::CallbackInfo& info) {
    Result<T> result = out_of_memory(ErrorClass::kDoubtful);
    try {
      result = result_of<T>(info[0], read);
    } catch (const std::bad_alloc&) {
    }
    // Not a rejection of a Promise that nobody knows.
    try {
      done(result);
    } catch (const Napi::Error& error) {
      napi_fatal_exception(info.Env(), error.Value());
    }
  };
  // Execution may be terminated in these calls (a timeout of node:vm). Only C functions survive that.
  const napi_value then[] = {Napi::Function::New(env_, settled)};
  const napi_value promise = call_method(env_, object, method, arguments);
  if (promise == nullptr || call_method(env_, promise, "then", then) == nullptr) throw std::bad_alloc();
}

Napi::Value JsStore::to_function(const Change& change) const {
  return Napi::Function::New(env_, [change](const Napi::CallbackInfo& info) {
    try {
      return change(info[0], info[1], info[2]);
    } catch (const std::bad_alloc&) {
      throw Napi::Error::New(info.Env(), "out of memory");
    }
  });
}

Place JsStore::place_of(const CounterKind& kind) const {
  const auto place = object_.Value().Get("places").As<Napi::Object>().Get(to_string(kind)).As<Napi::Object>();
  return {place.Get("in").ToString(), place.Get("ifFieldLost").ToString()};
}

}  // namespace nextid
