#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "addon/async_store.h"
#include "core/sequence.h"

namespace nextid {

// Which counter, of an object { kind, name, prefix, cycle, digits, timeZone }, as far as its kind has them.
CounterKey to_counter_key(const Napi::Object& object);

// The JavaScript object of a sequence; lib's class Sequence is built on it and has checked all arguments.
// "number" is a BigInt if the sequence was opened so.
//   take()                   [first, end], the window: numbers to hand out without calling here; or
//                            undefined. With maxAge [first, end, ms]: only for that long.
//   takeOrWait(handle)       take(), or where that has nothing wait(1)
//   handle                   tells takeOrWait() whose it is: to ask `this` takes longer than to queue a call.
//                            It takes memory, so it is undefined until a call queues behind another
//   wait(count)              Promise: of undefined (count 0), a number (1), or [first, end, first, end, …];
//                            dated: of undefined or [first, end, …, prefix]
//   waitForBlock(count)      Promise of a number (count 1) or [first, end]; dated: [first, end, prefix]
//   ticket()                 of the last wait() or waitForBlock(), for cancel(); 0 if it need not wait
//   cancel(ticket, reason)   the waiter leaves its queue, its Promise is rejected with `reason`
//   tick()                   the timer has run out
//   skipTo(next, prefix)     throws away all numbers below `next`, a BigInt; dated: of this period
//   returns()                [how many ranges are being given back, or may be, how many were]
//   dropAged()               throws away the numbers that are older than maxAge
//   switchTo(prefix)         from now on numbers come from this period
//   prepare(prefix)          opens the counter of a period to come
//   touch()                  makes the counter if need be; Promise of where it stands, or of undefined
//   stats()                  see to_object() in the .cpp
//   givenInPeriods()         [prefix, number above all that were given, prefix, …], of a dated sequence
//   close()                  Promise; gives unused numbers back. No other call but stats() may follow.
// It calls these methods of `callbacks`, always with `owner` as the first argument:
//   setTimer(owner, ms, keepAlive)   call tick() after `ms`; ms < 0: never
//   takeBackWindow(owner)    empties the window and returns what was left of it, as [first, end]
//   beforeServing(owner)     dated: waiters may be served now, so switchTo() the current period
//   afterRefill(owner, ms, numbers, error)   a refill took `ms`; it reserved `numbers`, or there is an error
// Both are properties of the object itself. A persistent handle would keep `owner` alive forever, because
// `owner` holds this object.
class SequenceHandle : public Napi::ObjectWrap<SequenceHandle>, private SequenceHost {
 public:
  static Napi::Function define(Napi::Env env);

  // Arguments: External<std::shared_ptr<AsyncStore>>, options, callbacks, owner
  explicit SequenceHandle(const Napi::CallbackInfo& info);

 private:
  Napi::Value take(const Napi::CallbackInfo& info);
  static Napi::Value take_or_wait(const Napi::CallbackInfo& info);
  Napi::Value wait(const Napi::CallbackInfo& info);
  Napi::Value wait_for_block(const Napi::CallbackInfo& info);
  Napi::Value ticket(const Napi::CallbackInfo& info);
  void cancel(const Napi::CallbackInfo& info);
  void tick(const Napi::CallbackInfo& info);
  void skip_to(const Napi::CallbackInfo& info);
  Napi::Value returns(const Napi::CallbackInfo& info);
  void drop_aged(const Napi::CallbackInfo& info);
  void switch_to(const Napi::CallbackInfo& info);
  void prepare(const Napi::CallbackInfo& info);
  Napi::Value touch(const Napi::CallbackInfo& info);
  Napi::Value stats(const Napi::CallbackInfo& info);
  Napi::Value given_in_periods(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  using Enqueue = Result<uint64_t> (Sequence::*)(Waiter::Token, int64_t, TimePoint);
  Napi::Value enqueue(Napi::Env env, Enqueue enqueue, int64_t count, TimePoint at);
  // Queues `waiter` by what `queue` calls, or rejects it.
  template <typename Queue>
  void enqueue(napi_deferred waiter, Queue queue, TimePoint at);
  Napi::Value open_window(Napi::Env env, TimePoint at);
  // Null if it failed.
  template <typename... Arguments>
  napi_value call_back(const char* name, Arguments... arguments);
  void before_serving();
  void after_refill(Duration took, const Result<Range>& result, const Error* error);

  // SequenceHost
  void request_refill() override;
  void request_release(const CounterKey& counter, Range unused) override;
  void serve(Waiter::Token waiter, std::span<const Range> pieces) override;
  void refuse(Waiter::Token waiter, const Error& error) override;
  bool set_timer(std::optional<Duration> in, bool keep_alive) override;
  std::optional<Range> take_back_window() override;
  const Error* store_error() const override;
  void closed() override;

  // What a callback of the store owns so that the object is not collected before.
  std::shared_ptr<Napi::ObjectReference> pinned();

  class Refill;
  class Touch;

  const std::shared_ptr<AsyncStore> store_;
  const bool bigint_;
  Sequence sequence_;
  bool timer_failed_ = false;  // in the last wait() or waitForBlock()
  uint64_t last_ticket_ = 0;
  uint64_t refill_place_ = 0;              // of the last refill, as AsyncStore::reserve() said
  size_t ahead_at_first_ = 0;              // AsyncStore::ahead_of() it, when it came
  mutable std::optional<Error> in_queue_;  // that store_error() gave last
  napi_deferred closing_ = nullptr;
};

}  // namespace nextid
