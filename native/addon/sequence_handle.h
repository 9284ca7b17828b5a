#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "addon/async_store.h"
#include "core/sequence.h"

namespace nextid {

// The JavaScript object of a sequence. lib's class Sequence uses it, and has checked all arguments.
// The table in lib/bridge.js explains *window*, *numbers*, *returns* and *given below*.
//   take()                   a window, or undefined if no numbers are in memory
//   takeOrWait(handle)       take(); if that returns undefined, wait(1)
//   handle                   identifies the object to takeOrWait(): unwrapping `this` takes longer than
//                            queuing a call. It takes memory, so it is undefined until two calls wait
//   wait(count)              Promise of numbers; with count 0 it waits until numbers are in memory
//   waitForBlock(count)      Promise of consecutive numbers; with count 0 it waits until the counter is read
//   ticket()                 of the last wait() or waitForBlock(), for cancel(); 0 if it does not wait
//   cancel(ticket, reason)   removes the waiter from its queue and rejects its Promise with `reason`
//   tick()                   the timer has run out
//   skipTo(next, prefix)     throws away all numbers below `next`, a BigInt; dated: of this period
//   returns()                returns
//   dropAged()               throws away the numbers that are older than maxAge
//   switchTo(prefix)         from now on numbers come from this period
//   prepare(prefix)          creates the counter of a future period, if it is missing
//   touch()                  creates the counter if it is missing; Promise of its next number, or undefined
//   stats()                  see to_object() in the .cpp
//   givenInPeriods()         given below, of a dated sequence
//   returnIfIdle(inWindow)   see Sequence::return_if_idle(). If true, a Promise that resolves when the
//   numbers
//                            are back; the sequence is idle until it needs a refill. Otherwise, undefined
//   close()                  Promise; returns unused numbers. Only stats() may be called after it.
// It calls these methods of `callbacks`, always with `owner` as the first argument:
//   setTimer(owner, ms, keepAlive)   call tick() after `ms`; ms < 0: never
//   takeBackWindow(owner)    empties the window and returns what was left of it, as [first, end]
//   beforeServing(owner)     dated: waiters may be served now, so switchTo() the current period
//   beforeUse(owner)         the sequence was idle, and may get numbers again from now on
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
  Napi::Value return_if_idle(const Napi::CallbackInfo& info);
  Napi::Value close(const Napi::CallbackInfo& info);

  using Enqueue = Result<uint64_t> (Sequence::*)(Waiter::Token, int64_t, TimePoint);
  Napi::Value enqueue(Napi::Env env, Enqueue enqueue, int64_t count, TimePoint at);
  // Queues `waiter` by calling `queue`, or rejects it.
  template <typename Queue>
  void enqueue(napi_deferred waiter, Queue queue, TimePoint at);
  Napi::Value open_window(Napi::Env env, TimePoint at);
  // Null if it failed.
  template <typename... Arguments>
  napi_value call_back(const char* name, Arguments... arguments);
  void before_serving();
  void resolve_returning();
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

  // A callback of the store holds this, so that the object is not garbage-collected before the callback.
  std::shared_ptr<Napi::ObjectReference> pinned();

  class Refill;
  class Touch;

  const std::shared_ptr<AsyncStore> store_;
  const bool bigint_;
  Sequence sequence_;
  bool timer_failed_ = false;  // in the last wait() or waitForBlock()
  uint64_t last_ticket_ = 0;
  uint64_t refill_place_ = 0;              // of the last refill, as AsyncStore::reserve() said
  size_t ahead_at_first_ = 0;              // AsyncStore::ahead_of() it, when it was queued
  mutable std::optional<Error> in_queue_;  // the error that store_error() returned last
  bool is_idle_ = false;                   // see returnIfIdle()
  napi_deferred returning_ = nullptr;      // the Promise of returnIfIdle(), until it resolves
  napi_deferred closing_ = nullptr;
};

}  // namespace nextid
