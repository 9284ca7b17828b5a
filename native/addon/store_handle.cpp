#include "addon/store_handle.h"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "addon/addon.h"
#include "addon/sequence_handle.h"

namespace nextid {

namespace {

Napi::Object to_object(Napi::Env env, const CounterInfo& info) {
  const CounterKey& key = info.key;
  Napi::Object counter = Napi::Object::New(env);
  counter.Set("name", key.name);
  counter.Set("kind", to_string(key.kind));
  if (info.next) counter.Set("next", Napi::BigInt::New(env, *info.next));
  if (!info.problem.empty()) counter.Set("problem", info.problem);
  const auto set = [&counter](const char* name, const auto& field) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(field)>>) {
      counter.Set(name, static_cast<double>(field));
    } else {
      counter.Set(name, field);
    }
  };
  std::visit([&set](const auto& kind) { kind.each_field(kind, set); }, key.kind);
  return counter;
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
    : ObjectWrap(info), queue_(*info[0].As<Napi::External<std::shared_ptr<StoreQueue>>>().Data()) {}

template <typename T, typename Work, typename ToValue>
Napi::Value StoreHandle::promise_of(Napi::Env env, Work work, ToValue to_value) {
  const PendingPromise pending = make_promise(env);
  const auto done = [env, deferred = pending.deferred, to_value](const Result<T>& result) {
    if (result.ok()) {
      resolve(env, deferred, to_value(result.value()));
    } else {
      reject(env, deferred, to_js(env, result.error()));
    }
  };
  queue_->enqueue([env, queue = queue_, work = std::move(work), done] {
    try {
      StoreWorker<T>::run(env, queue, work, done);
      return true;
    } catch (...) {
      done(out_of_memory(ErrorClass::kPassing));
      return false;
    }
  });
  return Napi::Value(env, pending.promise);
}

Napi::Value StoreHandle::list(const Napi::CallbackInfo& info) {
  using Counters = std::vector<CounterInfo>;
  const Napi::Env env = info.Env();
  const auto to_value = [env](const Counters& counters) {
    Napi::Array array = Napi::Array::New(env, counters.size());
    for (size_t i = 0; i < counters.size(); ++i)
      array.Set(static_cast<uint32_t>(i), to_object(env, counters[i]));
    return array;
  };
  return promise_of<Counters>(
      env, [store = queue_->store()] { return store->list(); }, to_value);
}

Napi::Value StoreHandle::advance(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto options = info[0].As<Napi::Object>();
  bool lossless = false;
  const AdvanceRequest request{.counter = to_counter_key(options),
                               .next = options.Get("next").As<Napi::BigInt>().Int64Value(&lossless),
                               .make = options.Get("make").ToBoolean(),
                               .restore = options.Get("restore").ToBoolean()};
  return promise_of<std::optional<int64_t>>(
      env, [store = queue_->store(), request] { return store->advance(request); },
      [env](std::optional<int64_t> stands_at) {
        return stands_at ? Napi::BigInt::New(env, *stands_at) : env.Undefined();
      });
}

Napi::Value StoreHandle::prune(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const std::string name = info[0].As<Napi::String>();
  const auto array = info[1].As<Napi::Array>();
  std::vector<int64_t> prefixes(array.Length());
  for (uint32_t i = 0; i < array.Length(); ++i) prefixes[i] = array.Get(i).ToNumber().Int64Value();
  return promise_of<int64_t>(
      env, [store = queue_->store(), name, prefixes] { return store->prune(name, prefixes); },
      [env](int64_t removed) { return Napi::Number::New(env, static_cast<double>(removed)); });
}

Napi::Value StoreHandle::sequence(const Napi::CallbackInfo& info) {
  return make_sequence_object(info.Env(),
                              Napi::External<std::shared_ptr<StoreQueue>>::New(info.Env(), &queue_), info[0]);
}

Napi::Value StoreHandle::close(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  // Disconnecting may block, so it is done on a worker thread, where the last reference is dropped too.
  auto store = std::make_shared<std::shared_ptr<Store>>(queue_->give_up_store());
  const auto disconnect = [store]() -> Result<bool> {
    (*store)->disconnect();
    store->reset();
    return true;
  };
  return promise_of<bool>(env, disconnect, [env](bool) { return env.Undefined(); });
}

}  // namespace nextid
