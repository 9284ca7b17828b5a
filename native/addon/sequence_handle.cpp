#include "addon/sequence_handle.h"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <new>
#include <random>
#include <string>
#include <type_traits>
#include <utility>

#include "addon/js_values.h"
#include "addon/records.h"
#include "addon/shapes.h"
#include "core/sequence_errors.h"

namespace nextid {

namespace {

TimePoint now() { return std::chrono::steady_clock::now(); }

// Reading std::random_device takes half as long as opening a sequence, so each thread does it once.
uint32_t random_seed() {
  thread_local std::mt19937 seeds(std::random_device{}());
  return static_cast<uint32_t>(seeds());
}

Duration to_duration(const Napi::Value& milliseconds) {
  return std::chrono::duration_cast<Duration>(Milliseconds(milliseconds.ToNumber().DoubleValue()));
}

}  // namespace

namespace {

Sequence::Options to_options(const Napi::Object& object) {
  Sequence::Options options;
  options.counter = to_counter_key(object);
  options.start = to_int64(object.Get("start"));
  options.step.min = to_int64(object.Get("stepMin"));
  options.step.max = to_int64(object.Get("stepMax"));
  options.step.target = to_duration(object.Get("stepTarget"));
  options.timeout = to_duration(object.Get("timeout"));
  options.max_waiters = static_cast<size_t>(to_int64(object.Get("maxWaiters")));
  options.max_number = to_int64(object.Get("maxNumber"));
  options.exact = object.Get("exact").ToBoolean();
  const Napi::Value max_age = object.Get("maxAge"), max_skew = object.Get("maxSkew");
  if (!max_age.IsUndefined()) options.max_age = to_duration(max_age);
  if (!max_skew.IsUndefined()) options.max_skew = 1000 * to_int64(max_skew);
  const Napi::Value confirm_time = object.Get("confirmTime");
  if (!confirm_time.IsUndefined()) options.confirm_time = to_duration(confirm_time);
  read_given_below(object.Get("givenBelow"), options);
  return options;
}

void require_window_back(Napi::Env env, bool done) {
  if (!done) throw Napi::Error::New(env, "the numbers in memory cannot be taken back at this moment");
}

Napi::Object to_object(Napi::Env env, const Sequence::Stats& stats, bool bigint) {
  Napi::Object object = Napi::Object::New(env);
  const auto set = [&](const char* name, double value) { object.Set(name, value); };
  set("inMemory", static_cast<double>(stats.in_memory));
  set("handedOut", static_cast<double>(stats.handed_out));
  set("lost", static_cast<double>(stats.lost));
  set("returned", static_cast<double>(stats.returned));
  set("refills", static_cast<double>(stats.refills));
  set("failures", static_cast<double>(stats.failures));
  set("waits", static_cast<double>(stats.waits));
  set("timeouts", static_cast<double>(stats.timeouts));
  set("waitTime", Milliseconds(stats.wait_time).count());
  set("waiters", static_cast<double>(stats.waiters));
  set("step", static_cast<double>(stats.step));
  set("rate", stats.rate);
  set("refillTime", Milliseconds(stats.refill_time).count());
  object.Set("refilling", stats.refilling);
  if (stats.front) object.Set("front", to_range(env, *stats.front, bigint));
  if (stats.seen_at) object.Set("seenAt", to_js(env, *stats.seen_at, bigint));
  if (stats.given_below) object.Set("givenBelow", to_js(env, *stats.given_below, bigint));
  object.Set("lastError", stats.last_error != nullptr ? to_js(env, *stats.last_error) : env.Undefined());
  return object;
}

}  // namespace

Napi::Function SequenceHandle::define(Napi::Env env) {
  constexpr auto kReplaceable = napi_default_method;  // like methods of JavaScript classes; tests spy on them
  const Napi::Function result =
      DefineClass(env, "Sequence",
                  {InstanceMethod<&SequenceHandle::take>("take", kReplaceable),
                   InstanceMethod<&SequenceHandle::wait>("wait", kReplaceable),
                   InstanceMethod<&SequenceHandle::wait_for_block>("waitForBlock", kReplaceable),
                   InstanceMethod<&SequenceHandle::ticket>("ticket", kReplaceable),
                   InstanceMethod<&SequenceHandle::cancel>("cancel", kReplaceable),
                   InstanceMethod<&SequenceHandle::tick>("tick", kReplaceable),
                   InstanceMethod<&SequenceHandle::skip_to>("skipTo", kReplaceable),
                   InstanceMethod<&SequenceHandle::returns>("returns", kReplaceable),
                   InstanceMethod<&SequenceHandle::drop_aged>("dropAged", kReplaceable),
                   InstanceMethod<&SequenceHandle::switch_to>("switchTo", kReplaceable),
                   InstanceMethod<&SequenceHandle::prepare>("prepare", kReplaceable),
                   InstanceMethod<&SequenceHandle::touch>("touch", kReplaceable),
                   InstanceMethod<&SequenceHandle::stats>("stats", kReplaceable),
                   InstanceMethod<&SequenceHandle::given_in_periods>("givenInPeriods", kReplaceable),
                   InstanceMethod<&SequenceHandle::return_if_idle>("returnIfIdle", kReplaceable),
                   InstanceMethod<&SequenceHandle::close>("close", kReplaceable)});
  // Not an instance method, because node-addon-api would unwrap `this` for it.
  result.Get("prototype")
      .As<Napi::Object>()
      .DefineProperty(Napi::PropertyDescriptor::Value(
          "takeOrWait", Napi::Function::New<SequenceHandle::take_or_wait>(env, "takeOrWait"), kReplaceable));
  return result;
}

SequenceHandle::SequenceHandle(const Napi::CallbackInfo& info)
    : ObjectWrap(info),
      store_(*info[0].As<Napi::External<std::shared_ptr<AsyncStore>>>().Data()),
      bigint_(info[1].As<Napi::Object>().Get("bigint").ToBoolean()),
      sequence_(to_options(info[1].As<Napi::Object>()), *this, random_seed()) {
  Value().Set("callbacks", info[2]);
  Value().Set("owner", info[3]);
}

Napi::Value SequenceHandle::take(const Napi::CallbackInfo& info) { return open_window(info.Env(), now()); }

Napi::Value SequenceHandle::take_or_wait(const Napi::CallbackInfo& info) {
  void* handle = nullptr;
  const bool has_handle = napi_get_value_external(info.Env(), info[0], &handle) == napi_ok;
  auto* const self =
      has_handle ? static_cast<SequenceHandle*>(handle) : Unwrap(info.This().As<Napi::Object>());
  const bool others_wait = self->sequence_.has_nothing_to_take();
  if (others_wait && !has_handle) {
    self->Value().Set("handle", Napi::External<SequenceHandle>::New(info.Env(), self));
  }
  const TimePoint at = now();
  if (!self->sequence_.settings().exact && !others_wait) {
    const Napi::Value window = self->open_window(info.Env(), at);
    if (!window.IsUndefined()) return window;
  }
  return self->enqueue(info.Env(), &Sequence::wait, 1, at);
}

Napi::Value SequenceHandle::wait(const Napi::CallbackInfo& info) {
  return enqueue(info.Env(), &Sequence::wait, to_int64(info[0]), now());
}

Napi::Value SequenceHandle::wait_for_block(const Napi::CallbackInfo& info) {
  return enqueue(info.Env(), &Sequence::wait_for_block, to_int64(info[0]), now());
}

Napi::Value SequenceHandle::open_window(Napi::Env env, TimePoint at) {
  const auto window = sequence_.take(at);
  if (!window) return env.Undefined();
  std::optional<Duration> lasts;
  if (sequence_.settings().max_age) lasts = sequence_.window_until() - at;
  return Napi::Value(env, to_window(env, *window, bigint_, lasts));
}

Napi::Value SequenceHandle::enqueue(Napi::Env env, Enqueue enqueue, int64_t count, TimePoint at) {
  const auto [deferred, promise] = make_promise(env);
  this->enqueue(
      deferred, [&, waiter = deferred] { return (sequence_.*enqueue)(waiter, count, at); }, at);
  return Napi::Value(env, promise);
}

template <typename Queue>
void SequenceHandle::enqueue(napi_deferred waiter, Queue queue, TimePoint at) {
  const auto refuse = [this, waiter](const Error& error) { reject(Env(), waiter, to_js(Env(), error)); };
  last_ticket_ = 0;  // no waiter has this ticket
  timer_failed_ = false;
  try {
    const Result<uint64_t> ticket = queue();
    if (!ticket.ok()) {
      refuse(ticket.error());
    } else if (!timer_failed_) {
      last_ticket_ = ticket.value();
    } else if (sequence_.cancel(ticket.value(), at) != nullptr) {
      // Without a timer, the waiter would never time out.
      refuse(sequence_errors::no_timer(sequence_.counter()));
    }
  } catch (const std::bad_alloc&) {
    refuse(out_of_memory(ErrorClass::kPassing));  // the waiter is not in the queue
  }
}

Napi::Value SequenceHandle::ticket(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(last_ticket_));
}

template <typename... Arguments>
napi_value SequenceHandle::call_back(const char* name, Arguments... arguments) {
  const napi_value with_owner[] = {property(Env(), Value(), "owner"), arguments...};
  return call_method(Env(), property(Env(), Value(), "callbacks"), name, with_owner);
}

void SequenceHandle::before_serving() {
  if (is<Dated>(sequence_.counter())) call_back("beforeServing");
}

// `result` comes from the store. `error` is how the sequence understood it, or null.
void SequenceHandle::after_refill(Duration took, const Result<Range>& result, const Error* error) {
  napi_value ms = nullptr;
  if (napi_create_double(Env(), Milliseconds(took).count(), &ms) != napi_ok) return;
  if (error != nullptr) {
    call_back("afterRefill", ms, undefined(Env()), to_js(Env(), *error));
  } else {
    call_back("afterRefill", ms, to_js(Env(), result.value().count(), false));
  }
}

void SequenceHandle::cancel(const Napi::CallbackInfo& info) {
  before_serving();
  const Waiter::Token token = sequence_.cancel(static_cast<uint64_t>(to_int64(info[0])), now());
  if (token != nullptr) reject(info.Env(), static_cast<napi_deferred>(token), info[1]);
}

void SequenceHandle::tick(const Napi::CallbackInfo&) {
  if (sequence_.somebody_waits()) before_serving();
  sequence_.on_timer(now());
}

void SequenceHandle::skip_to(const Napi::CallbackInfo& info) {
  require_window_back(info.Env(), sequence_.skip_to(to_int64(info[0]), to_int64(info[1]), now()));
}

Napi::Value SequenceHandle::returns(const Napi::CallbackInfo& info) {
  return to_returns(info.Env(), sequence_.returns());
}

void SequenceHandle::drop_aged(const Napi::CallbackInfo&) { sequence_.drop_aged(now()); }

void SequenceHandle::switch_to(const Napi::CallbackInfo& info) {
  require_window_back(info.Env(), sequence_.switch_to(to_int64(info[0]), now()));
}

void SequenceHandle::prepare(const Napi::CallbackInfo& info) { sequence_.prepare(to_int64(info[0]), now()); }

// Reads the counter, and creates it if it is missing.
class SequenceHandle::Touch final : public AsyncStore::Reservation {
 public:
  Touch(SequenceHandle& sequence, napi_deferred deferred)
      : handle_(sequence), pin_(sequence.pinned()), deferred_(deferred) {}

  std::optional<ReserveRequest> begin() override {
    const Sequence& sequence = handle_.sequence_;
    const Sequence::Settings& settings = sequence.settings();
    return ReserveRequest{.counter = sequence.counter(),
                          .start = settings.start,
                          .floor = sequence.floor(),
                          .limit = settings.max_number + 1};
  }

  void not_begun() override { done(out_of_memory(ErrorClass::kPassing)); }

  void done(const Result<Range>& result) override {
    const Napi::Env env = handle_.Env();
    if (result.ok()) {
      handle_.sequence_.saw_counter(result.value().end);
      resolve(env, deferred_, to_js(env, result.value().end, handle_.bigint_));
    } else if (result.error().unconfirmed) {
      const TimePoint at = now();
      handle_.enqueue(
          deferred_, [&] { return handle_.sequence_.wait_for_counter(deferred_, at); }, at);
    } else {
      reject(env, deferred_, to_js(env, result.error()));
    }
  }

 private:
  SequenceHandle& handle_;
  const std::shared_ptr<Napi::ObjectReference> pin_;
  const napi_deferred deferred_;
};

Napi::Value SequenceHandle::touch(const Napi::CallbackInfo& info) {
  const PendingPromise pending = make_promise(info.Env());
  store_->reserve(std::make_shared<Touch>(*this, pending.deferred));
  return Napi::Value(info.Env(), pending.promise);
}

Napi::Value SequenceHandle::stats(const Napi::CallbackInfo& info) {
  return to_object(info.Env(), sequence_.stats(), bigint_);
}

Napi::Value SequenceHandle::given_in_periods(const Napi::CallbackInfo& info) {
  return to_given_below(info.Env(), sequence_.given_in_period());
}

Napi::Value SequenceHandle::return_if_idle(const Napi::CallbackInfo& info) {
  if (!sequence_.return_if_idle(to_int64(info[0]), now())) return info.Env().Undefined();
  is_idle_ = true;
  const PendingPromise pending = make_promise(info.Env());
  returning_ = pending.deferred;
  resolve_returning();
  return Napi::Value(info.Env(), pending.promise);
}

void SequenceHandle::resolve_returning() {
  if (returning_ == nullptr || sequence_.is_returning()) return;
  resolve(Env(), std::exchange(returning_, nullptr), undefined(Env()));
}

Napi::Value SequenceHandle::close(const Napi::CallbackInfo& info) {
  const PendingPromise pending = make_promise(info.Env());
  closing_ = pending.deferred;
  sequence_.close(now());
  return Napi::Value(info.Env(), pending.promise);
}

std::shared_ptr<Napi::ObjectReference> SequenceHandle::pinned() {
  const Napi::HandleScope scope(Env());
  return std::make_shared<Napi::ObjectReference>(Napi::Persistent(Value()));
}

class SequenceHandle::Refill final : public AsyncStore::Reservation {
 public:
  explicit Refill(SequenceHandle& sequence) : handle_(sequence), pin_(sequence.pinned()) {}

  std::optional<ReserveRequest> begin() override {
    begun_at_ = now();
    refill_ = handle_.sequence_.begin_refill(begun_at_);
    if (!refill_) return std::nullopt;
    return refill_->request;
  }

  void not_begun() override { handle_.sequence_.refill_not_begun(now()); }

  void done(const Result<Range>& result) override {
    handle_.before_serving();
    const TimePoint ended = now();
    const Error* error = handle_.sequence_.on_refill(*refill_, result, ended);
    handle_.after_refill(ended - begun_at_, result, error);
  }

 private:
  SequenceHandle& handle_;
  const std::shared_ptr<Napi::ObjectReference> pin_;
  TimePoint begun_at_;
  std::optional<Sequence::BegunRefill> refill_;
};

void SequenceHandle::request_refill() {
  if (is_idle_) {
    // lib must hold the owner again before it has numbers: they would be lost with it.
    const Napi::HandleScope scope(Env());
    if (call_back("beforeUse") == nullptr) throw std::bad_alloc();
    is_idle_ = false;
  }
  refill_place_ = store_->reserve(std::make_shared<Refill>(*this));
  ahead_at_first_ = store_->ahead_of(refill_place_);
}

void SequenceHandle::request_release(const CounterKey& counter, Range unused) {
  store_->release(counter, unused, [this, unused, pin = pinned()](const Result<bool>& result) {
    sequence_.on_release(unused, result);
    resolve_returning();
  });
}

void SequenceHandle::serve(Waiter::Token waiter, std::span<const Range> pieces) {
  const Napi::HandleScope scope(Env());  // there may be a million waiters
  const CounterKey& counter = sequence_.counter();
  const napi_value numbers =
      is<Dated>(counter) ? to_numbers(Env(), pieces, prefix_of(counter)) : to_numbers(Env(), pieces, bigint_);
  resolve(Env(), static_cast<napi_deferred>(waiter), numbers);
}

void SequenceHandle::refuse(Waiter::Token waiter, const Error& error) {
  const Napi::HandleScope scope(Env());
  reject(Env(), static_cast<napi_deferred>(waiter), to_js(Env(), error));
}

bool SequenceHandle::set_timer(std::optional<Duration> in, bool keep_alive) {
  const Napi::HandleScope scope(Env());
  const double ms = in ? std::ceil(Milliseconds(*in).count()) : -1;
  const bool is_set = call_back("setTimer", napi_value(Napi::Number::New(Env(), ms)),
                                napi_value(Napi::Boolean::New(Env(), keep_alive))) != nullptr;
  timer_failed_ = timer_failed_ || !is_set;
  return is_set;
}

std::optional<Range> SequenceHandle::take_back_window() {
  const Napi::HandleScope scope(Env());
  const napi_value window = call_back("takeBackWindow");
  if (window == nullptr) return std::nullopt;
  return from_range(Env(), window);
}

const Error* SequenceHandle::store_error() const {
  if (store_->last_error() != nullptr) return store_->last_error();
  // Only if the queue has moved: otherwise the store has answered no request since the refill was queued.
  const size_t ahead = store_->ahead_of(refill_place_);
  if (ahead == 0 || ahead == ahead_at_first_) return nullptr;
  return &in_queue_.emplace(sequence_errors::still_queued(ahead));
}

void SequenceHandle::closed() { resolve(Env(), closing_, Env().Undefined()); }

}  // namespace nextid
