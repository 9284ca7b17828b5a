#include "addon/store_handle.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "addon/addon.h"
#include "addon/js_values.h"
#include "addon/records.h"
#include "addon/sequence_handle.h"

namespace nextid {

namespace {

Napi::Object to_object(Napi::Env env, const CounterInfo& info) {
  Napi::Object counter = to_object(env, info.key);
  if (info.next) counter.Set("next", Napi::BigInt::New(env, *info.next));
  if (!info.problem.empty()) counter.Set("problem", info.problem);
  if (info.returned > 0) counter.Set("returned", static_cast<double>(info.returned));
  return counter;
}

// A Promise, and the callback that settles it with to_value(its result).
template <typename T, typename ToValue>
std::pair<Napi::Value, AsyncStore::Done<T>> make_promise_of(Napi::Env env, ToValue to_value) {
  const PendingPromise pending = make_promise(env);
  return {Napi::Value(env, pending.promise),
          [env, deferred = pending.deferred, to_value](const Result<T>& result) {
            if (result.ok()) {
              resolve(env, deferred, to_value(result.value()));
            } else {
              reject(env, deferred, to_js(env, result.error()));
            }
          }};
}

}  // namespace

Napi::Function StoreHandle::define(Napi::Env env) {
  return DefineClass(
      env, "Store",
      {InstanceMethod<&StoreHandle::list>("list"), InstanceMethod<&StoreHandle::advance>("advance"),
       InstanceMethod<&StoreHandle::prune>("prune"), InstanceMethod<&StoreHandle::sequence>("sequence"),
       InstanceMethod<&StoreHandle::close>("close")});
}

StoreHandle::StoreHandle(const Napi::CallbackInfo& info)
    : ObjectWrap(info), store_(*info[0].As<Napi::External<std::shared_ptr<AsyncStore>>>().Data()) {}

Napi::Value StoreHandle::list(const Napi::CallbackInfo& info) {
  using Counters = std::vector<CounterInfo>;
  auto [promise, done] = make_promise_of<Counters>(info.Env(), [env = info.Env()](const Counters& counters) {
    Napi::Array array = Napi::Array::New(env, counters.size());
    for (size_t i = 0; i < counters.size(); ++i)
      array.Set(static_cast<uint32_t>(i), to_object(env, counters[i]));
    return array;
  });
  store_->list(std::move(done));
  return promise;
}

Napi::Value StoreHandle::advance(const Napi::CallbackInfo& info) {
  using Next = std::optional<int64_t>;
  const auto options = info[0].As<Napi::Object>();
  bool lossless = false;
  const AdvanceRequest request{.counter = to_counter_key(options),
                               .next = options.Get("next").As<Napi::BigInt>().Int64Value(&lossless),
                               .make = options.Get("make").ToBoolean(),
                               .restore = options.Get("restore").ToBoolean()};
  auto [promise, done] = make_promise_of<Next>(info.Env(), [env = info.Env()](Next stands_at) {
    return stands_at ? Napi::BigInt::New(env, *stands_at) : env.Undefined();
  });
  store_->advance(request, std::move(done));
  return promise;
}

Napi::Value StoreHandle::prune(const Napi::CallbackInfo& info) {
  const std::string name = info[0].As<Napi::String>();
  const auto array = info[1].As<Napi::Array>();
  std::vector<int64_t> prefixes(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) prefixes[i] = array.Get(i).ToNumber().Int64Value();
  auto [promise, done] = make_promise_of<int64_t>(info.Env(), [env = info.Env()](int64_t removed) {
    return Napi::Number::New(env, static_cast<double>(removed));
  });
  store_->prune(name, prefixes, std::move(done));
  return promise;
}

Napi::Value StoreHandle::sequence(const Napi::CallbackInfo& info) {
  auto store = store_;
  const auto external = Napi::External<std::shared_ptr<AsyncStore>>::New(info.Env(), &store);
  return make_sequence_object(info.Env(), {external, info[0], info[1], info[2]});
}

Napi::Value StoreHandle::close(const Napi::CallbackInfo& info) {
  auto [promise, done] =
      make_promise_of<bool>(info.Env(), [env = info.Env()](bool) { return env.Undefined(); });
  store_->close(std::move(done));
  return promise;
}

}  // namespace nextid
