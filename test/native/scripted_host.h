#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/sequence.h"
#include "native/counter_store.h"

namespace nextid {

// A call for numbers, and what became of it.
struct Call {
  uint64_t ticket = 0;
  int64_t count = 1;
  bool block = false;
  bool waiting = true;
  bool cancelled = false;
  std::vector<Range> pieces{};   // if it was served
  std::optional<Error> error{};  // if it was refused

  bool served() const { return !waiting && !cancelled && !error; }

  // The only number of a nextId() that was served.
  int64_t id() const { return pieces.at(0).first; }

  // REQUIRES: refused
  ErrorCode code() const { return error.value().code; }
};

// All that surrounds a Sequence: callers with their window, a worker thread, a counter, a clock and a timer.
// Nothing happens by itself: the test moves each part by hand. After every step the promises that must hold
// at any moment are checked.
class ScriptedHost final : public SequenceHost {
 public:
  explicit ScriptedHost(Sequence::Options options,
                        std::shared_ptr<CounterStore> counter = std::make_shared<CounterStore>(),
                        uint32_t seed = 1)
      : store(std::move(counter)), sequence(std::move(options), *this, seed) {}

  // --- callers

  // As nextId(): from the window, else from a new one, else by waiting.
  Call& next_id() {
    if (window.empty()) take();
    if (window.empty()) return wait(1);
    Call& call = calls_.emplace_back();
    give(call, std::vector{window.take_front(1)});
    check();
    return call;
  }

  // As nextIds(count), or as ready() if it is 0.
  Call& wait(int64_t count = 1) {
    Call& call = calls_.emplace_back(Call{.count = count});
    ++waiting_;
    return queued(call, sequence.wait(&call, count, now));
  }

  Call& wait_for_block(int64_t count) {
    Call& call = calls_.emplace_back(Call{.count = count, .block = true});
    ++waiting_;
    return queued(call, sequence.wait_for_block(&call, count, now));
  }

  // Asks for a window. REQUIRES: the one before is used up
  Range take() {
    EXPECT_TRUE(window.empty());
    window = sequence.take(now).value_or(Range{});
    check();
    return window;
  }

  // Uses the window up.
  void use_window() {
    while (!window.empty()) next_id();
  }

  bool cancel(Call& call) {
    Waiter::Token const token = sequence.cancel(call.ticket, now);
    EXPECT_EQ(token != nullptr, call.waiting);
    if (token != nullptr) {
      EXPECT_EQ(token, &call);
      call.cancelled = true;
      end(call);
    }
    check();
    return token != nullptr;
  }

  void skip_to(int64_t next) {
    EXPECT_TRUE(sequence.skip_to(next));
    smallest_ = std::max(smallest_, next);
    check();
  }

  void close() {
    closing_ = true;
    sequence.close(now);
    check();
  }

  // --- the store

  // A worker thread is free.
  void begin() {
    EXPECT_TRUE(refill_requested);
    refill_requested = false;
    under_way = sequence.begin_refill(now);
    if (under_way) asked.push_back(*under_way);
    check();
  }

  // The refill under way has come to its end.
  void answer(const Result<Range>& result) {
    under_way.value();
    under_way.reset();
    reserved += reserved_by(result);
    sequence.on_refill(result, now);
    check();
  }

  // Numbers that a reply says are reserved.
  static int64_t reserved_by(const Result<Range>& reply) {
    return reply.ok() ? reply.value().count() : reply.error().lost;
  }

  void grant() { answer(store->reserve(under_way.value())); }

  void refill() {
    begin();
    grant();
  }

  void fail(const Error& error) {
    begin();
    answer(error);
  }

  void answer_release(const Result<bool>& result) {
    EXPECT_EQ(releases.size(), 1u);
    sequence.on_release(result);
    check();
  }

  // --- time

  void move_clock(Duration by) {
    const TimePoint until = now + by;
    for (int fired = 0; timer_at && *timer_at <= until; ++fired) {
      if (fired == 1000) return void(ADD_FAILURE() << "the timer fires without end");
      fire_timer();
    }
    now = until;
  }

  // Moves the clock to the moment that the timer is set to. REQUIRES: it is set
  void fire_timer() {
    now = std::max(now, timer_at.value());
    timer_at.reset();
    sequence.on_timer(now);
    check();
  }

  // --- SequenceHost

  void request_refill() override {
    called();
    EXPECT_FALSE(refill_requested || under_way) << "two refills at a time";
    EXPECT_FALSE(closing_);
    refill_requested = true;
    ++refill_requests;
    if (!begins_at_once) return;
    refill_requested = false;
    under_way = sequence.begin_refill(now);
    if (under_way) asked.push_back(*under_way);
  }

  void request_release(Range unused) override {
    called();
    EXPECT_TRUE(closing_ && releases.empty()) << "given back twice";
    EXPECT_FALSE(under_way) << "given back while more may come";
    EXPECT_FALSE(unused.empty());
    releases.push_back(unused);
  }

  void serve(Waiter::Token waiter, std::span<const Range> pieces) override {
    called();
    Call& call = *static_cast<Call*>(waiter);
    --waiting_;
    give(call, std::vector(pieces.begin(), pieces.end()));
  }

  void refuse(Waiter::Token waiter, const Error& error) override {
    called();
    Call& call = *static_cast<Call*>(waiter);
    call.error = error;
    end(call);
  }

  void set_timer(std::optional<Duration> in, bool keep_alive) override {
    called();
    timer_at.reset();
    if (in) timer_at = now + *in;
    EXPECT_GE(in.value_or(Duration::zero()), Duration::zero());
    kept_alive = keep_alive;
    EXPECT_TRUE(in || !keep_alive);
  }

  std::optional<Range> take_back_window() override {
    called();
    if (keeps_window) return std::nullopt;
    return std::exchange(window, Range{});
  }

  const Error* store_error() const override { return other_error ? &*other_error : nullptr; }

  void closed() override {
    called();
    is_closed = true;
  }

  // --- settings
  bool begins_at_once = false;       // a worker thread is always free
  bool keeps_window = false;         // cannot hand it back at this moment
  std::optional<Error> other_error;  // of another sequence of the store
  std::shared_ptr<CounterStore> store;

  // --- what was seen
  TimePoint now{};
  Range window;
  bool refill_requested = false;
  int refill_requests = 0;
  std::optional<ReserveRequest> under_way;
  std::vector<ReserveRequest> asked;
  int64_t reserved = 0;  // all numbers that the sequence was told of
  std::vector<Range> releases;
  bool is_closed = false;
  std::optional<TimePoint> timer_at;
  bool kept_alive = false;
  int host_calls = 0;
  std::vector<Call*> ended;  // in this order

  Sequence sequence;

 private:
  Call& queued(Call& call, const Result<uint64_t>& ticket) {
    if (ticket.ok()) {
      call.ticket = ticket.value();
    } else {
      call.error = ticket.error();
      end(call);
    }
    check();
    return call;
  }

  void give(Call& call, std::vector<Range> pieces) {
    int64_t count = 0;
    for (const Range& piece : pieces) {
      EXPECT_FALSE(piece.empty());
      EXPECT_GE(piece.first, smallest_);
      if (!call.block) {
        EXPECT_GE(piece.first, next_);
        next_ = piece.end;
      }
      count += piece.count();
      given_below_ = std::max(given_below_.value_or(piece.end), piece.end);
    }
    EXPECT_EQ(count, call.count);
    EXPECT_TRUE(!call.block || pieces.size() == 1) << "a broken block";
    given_ += count;
    call.pieces = std::move(pieces);
    EXPECT_TRUE(call.waiting) << "served twice";
    call.waiting = false;
    ended.push_back(&call);
  }

  void end(Call& call) {
    EXPECT_TRUE(call.waiting) << "ended twice";
    call.waiting = false;
    --waiting_;
    ended.push_back(&call);
  }

  void called() {
    EXPECT_FALSE(is_closed) << "called after closed()";
    ++host_calls;
  }

  // What must hold between any two steps.
  void check() {
    const Sequence::Stats stats = sequence.stats();
    EXPECT_EQ(stats.handed_out + stats.in_memory + stats.lost + stats.released, reserved);
    EXPECT_EQ(stats.handed_out, given_ + window.count());
    const std::optional<int64_t> window_end = window.empty() ? std::nullopt : std::optional(window.end);
    EXPECT_EQ(stats.given_below, std::max(given_below_, window_end));
    EXPECT_EQ(stats.waiters, waiting_);
    EXPECT_EQ(stats.refilling, refill_requested || under_way);
    EXPECT_EQ(kept_alive, waiting_ > 0) << "the process lives as long as somebody waits, and no longer";
    EXPECT_FALSE(closing_ && timer_at) << "there is nothing to wait for";
  }

  std::deque<Call> calls_;
  int64_t waiting_ = 0;
  int64_t given_ = 0;
  std::optional<int64_t> given_below_;
  int64_t next_ = 0;
  int64_t smallest_ = 0;
  bool closing_ = false;
};

// The sequence 'orders', whose refills ask for `step`.
inline Sequence::Options fixed_step(int64_t step) {
  return {.name = "orders", .step = {.min = step, .max = step}};
}

}  // namespace nextid
