#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/sequence.h"
#include "native/core/counter_store.h"

namespace nextid {

// A call for numbers, and what became of it.
struct Call {
  uint64_t ticket = 0;
  int64_t count = 1;
  bool block = false;
  bool waiting = true;
  bool cancelled = false;
  TimePoint began{};
  std::vector<Range> pieces{};   // if it was served
  int64_t prefix = 0;            // and then of which period they are
  std::optional<Error> error{};  // if it was refused

  bool served() const { return !waiting && !cancelled && !error; }

  // The only number of a nextId() that was served.
  int64_t id() const { return pieces.at(0).first; }

  // REQUIRES: refused
  ErrorCode code() const { return error.value().code; }
};

// Numbers that a sequence was told are its own, and that have not left it.
class OwnNumbers {
 public:
  void add(Range range) {
    if (!range.empty()) ranges_.push_back(range);
  }

  // False if some of `range` are not here.
  bool remove(Range range) {
    while (!range.empty()) {
      const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const Range& own) {
        return own.first <= range.first && range.first < own.end;
      });
      if (found == ranges_.end()) return false;
      const Range own = *found;
      ranges_.erase(found);
      add({own.first, range.first});
      range.take_front(own.end - range.first);
      add({range.first, own.end});
    }
    return true;
  }

  void clear() { ranges_.clear(); }

 private:
  std::vector<Range> ranges_;
};

// All that surrounds a Sequence: callers with their window, a worker thread, counters, a clock and a timer.
// Nothing happens by itself: the test moves each part by hand. After every step the promises that must hold
// at any moment are checked; to this end the host keeps a record of its own of what came for which period.
class ScriptedHost final : public SequenceHost {
 public:
  explicit ScriptedHost(Sequence::Options options,
                        std::shared_ptr<Counters> shared = std::make_shared<Counters>(), uint32_t seed = 1)
      : counters(std::move(shared)),
        store(&counters->of(prefix_of(options.counter))),
        sequence(std::move(options), *this, seed),
        prefix_(prefix_of(sequence.counter())) {
    for (const auto& [prefix, below] : sequence.given_in_period()) given_below_[prefix] = below;
    given_below_[prefix_] = sequence.stats().given_below;
  }

  // --- callers

  // As nextId(): from the window, else from a new one, else by waiting.
  Call& next_id() {
    if (window.empty()) take();
    if (window.empty()) return wait(1);
    Call& call = calls_.emplace_back(Call{.began = now});
    give(call, std::vector{window.take_front(1)});
    check();
    return call;
  }

  // As nextIds(count), or as ready() if it is 0.
  Call& wait(int64_t count = 1) {
    Call& call = calls_.emplace_back(Call{.count = count, .began = now});
    ++waiting_;
    return queued(call, sequence.wait(&call, count, now));
  }

  Call& wait_for_block(int64_t count) {
    Call& call = calls_.emplace_back(Call{.count = count, .block = true, .began = now});
    ++waiting_;
    return queued(call, sequence.wait_for_block(&call, count, now));
  }

  // As initId(), whose look at the counter found it gone or set back.
  Call& wait_for_counter() {
    Call& call = calls_.emplace_back(Call{.count = 0, .began = now});
    ++waiting_;
    return queued(call, sequence.wait_for_counter(&call, now));
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
    if (is<Cyclic>(kind())) {
      abandon_unless_for({});
      own_.clear();
    } else {
      smallest_ = std::max(smallest_, next);
    }
    EXPECT_TRUE(sequence.skip_to(next, prefix_of(sequence.counter()), now));
    check();
  }

  void drop_aged() {
    sequence.drop_aged(now);
    check();
  }

  // --- periods

  void switch_to(int64_t prefix) {
    if (!closing_ && prefix != prefix_) {
      prefix_ = prefix;
      smallest_ = 0;
      abandon_unless_for({prefix});  // before: another one may be requested at once
    }
    EXPECT_TRUE(sequence.switch_to(prefix, now));
    EXPECT_EQ(prefix_of(sequence.counter()), prefix_);
    check();
  }

  void prepare(int64_t prefix) {
    if (!closing_ && prefix != prefix_) abandon_unless_for({prefix, prefix_});
    sequence.prepare(prefix, now);
    check();
  }

  bool return_if_idle() {
    returning_ = true;
    const bool is_idle = sequence.return_if_idle(window.count(), now);
    returning_ = false;
    EXPECT_FALSE(is_idle && (sequence.stats().front || !window.empty()));
    check();
    return is_idle;
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
    begin_refill();
    check();
  }

  // The refill under way has come to its end.
  void answer(const Result<Range>& result) {
    const Sequence::BegunRefill refill = under_way.value();
    under_way.reset();
    end_refill(refill, result);
  }

  // So has an abandoned one.
  void answer_abandoned(const Result<Range>& result, size_t which = 0) {
    const Sequence::BegunRefill refill = abandoned.at(which);
    abandoned.erase(abandoned.begin() + static_cast<std::ptrdiff_t>(which));
    end_refill(refill, result);
  }

  // Numbers that a reply says are reserved.
  static int64_t reserved_by(const Result<Range>& reply) {
    return reply.ok() ? reply.value().count() : reply.error().lost;
  }

  void grant() { answer(counters->reserve(under_way.value().request)); }
  void grant_abandoned(size_t which = 0) {
    answer_abandoned(counters->reserve(abandoned.at(which).request), which);
  }

  void refill() {
    begin();
    grant();
  }

  void fail(const Error& error) {
    begin();
    answer(error);
  }

  void answer_release(const Result<bool>& result, size_t which = 0) {
    const Release release = releases.at(which);
    releases.erase(releases.begin() + static_cast<std::ptrdiff_t>(which));
    sequence.on_release(release.unused, result);
    check();
  }

  void grant_release(size_t which = 0) {
    const Release release = releases.at(which);
    answer_release(counters->release(release.counter, release.unused), which);
  }

  // What the counter of the period `prefix` is being given back.
  std::vector<Range> giving_back(int64_t prefix) const {
    std::vector<Range> ranges;
    for (const Release& release : releases) {
      if (prefix_of(release.counter) == prefix) ranges.push_back(release.unused);
    }
    return ranges;
  }
  std::vector<Range> giving_back() const { return giving_back(prefix_of(sequence.counter())); }

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
    begin_refill();
  }

  void request_release(const CounterKey& counter, Range unused) override {
    called();
    EXPECT_EQ(counter, of_period(sequence.counter(), prefix_of(counter)));
    EXPECT_FALSE(unused.empty());
    EXPECT_TRUE(own_[prefix_of(counter)].remove(unused)) << "given back what was not its own, or twice";
    if (is<Plain>(kind())) {
      EXPECT_TRUE(closing_ || returning_);
      EXPECT_FALSE(under_way) << "given back while more may come";
    } else {
      EXPECT_TRUE(is<Dated>(kind()));
    }
    releases.push_back({counter, unused});
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

  bool set_timer(std::optional<Duration> in, bool keep_alive) override {
    called();
    if (no_timers) return false;
    timer_at.reset();
    if (in) timer_at = now + *in;
    EXPECT_GE(in.value_or(Duration::zero()), Duration::zero());
    kept_alive = keep_alive;
    EXPECT_TRUE(in || !keep_alive);
    return true;
  }

  std::optional<Range> take_back_window() override {
    called();
    if (keeps_window) return std::nullopt;
    return std::exchange(window, Range{});
  }

  const Error* store_error() const override { return other_error ? &*other_error : nullptr; }

  void closed() override {
    called();
    EXPECT_FALSE(refill_requested || under_way || !abandoned.empty() || !releases.empty())
        << "closed too early";
    is_closed = true;
  }

  // --- settings
  bool begins_at_once = false;       // a worker thread is always free
  bool keeps_window = false;         // cannot hand it back at this moment
  std::optional<Error> other_error;  // of another sequence of the store
  std::shared_ptr<Counters> counters;
  CounterStore* store;  // the counter that the sequence began with

  // --- what was seen
  TimePoint now{};
  Range window;
  bool refill_requested = false;
  int refill_requests = 0;
  std::optional<Sequence::BegunRefill> under_way;
  std::vector<Sequence::BegunRefill> abandoned;  // that are under way, though nobody waits for them
  std::vector<ReserveRequest> asked;
  int64_t reserved = 0;  // all numbers that the sequence was told of
  struct Release {
    CounterKey counter;
    Range unused;
  };
  std::vector<Release> releases;  // that are under way
  bool is_closed = false;
  std::optional<TimePoint> timer_at;
  bool kept_alive = false;
  bool no_timers = false;  // none can be set
  int host_calls = 0;
  std::vector<Call*> ended;  // in this order

  Sequence sequence;

 private:
  CounterKind kind() const { return sequence.counter().kind; }

  void begin_refill() {
    under_way = sequence.begin_refill(now);
    if (under_way) asked.push_back(under_way->request);
  }

  void end_refill(const Sequence::BegunRefill& refill, const Result<Range>& result) {
    reserved += reserved_by(result);
    if (result.ok()) own_[prefix_of(refill.request.counter)].add(result.value());
    const int64_t failures = sequence.stats().failures;
    const bool failed = sequence.on_refill(refill, result, now) != nullptr;
    EXPECT_EQ(sequence.stats().failures, failures + (failed ? 1 : 0));
    if (sequence.settings().exact) own_.clear();
    check();
  }

  void abandon_unless_for(const std::vector<int64_t>& prefixes) {
    if (!under_way) return;
    const int64_t prefix = prefix_of(under_way->request.counter);
    if (std::find(prefixes.begin(), prefixes.end(), prefix) != prefixes.end()) return;
    abandoned.push_back(*under_way);
    under_way.reset();
  }

  Call& queued(Call& call, const Result<uint64_t>& ticket) {
    if (ticket.ok()) {
      call.ticket = ticket.value();
      EXPECT_EQ(call.ticket != 0, call.waiting);
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
      EXPECT_TRUE(own_[prefix_].remove(piece)) << "handed out what was not its own, or twice";
      if (!call.block && !is<Cyclic>(kind())) {
        EXPECT_GE(piece.first, next_[prefix_]);
        next_[prefix_] = piece.end;
      }
      count += piece.count();
      std::optional<int64_t>& given_below = given_below_[prefix_];
      given_below = std::max(given_below.value_or(piece.end), piece.end);
    }
    call.prefix = prefix_;
    EXPECT_EQ(count, call.count);
    EXPECT_TRUE(!call.block || pieces.size() <= 1) << "a broken block";
    given_ += count;
    call.pieces = std::move(pieces);
    EXPECT_TRUE(call.waiting) << "served twice";
    call.waiting = false;
    waited_ += now - call.began;
    ended.push_back(&call);
  }

  void end(Call& call) {
    EXPECT_TRUE(call.waiting) << "ended twice";
    call.waiting = false;
    waited_ += now - call.began;
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
    EXPECT_EQ(stats.handed_out + stats.in_memory + stats.lost + stats.returned, reserved);
    EXPECT_EQ(stats.handed_out, given_ + window.count());
    const std::optional<int64_t> window_end = window.empty() ? std::nullopt : std::optional(window.end);
    EXPECT_EQ(stats.given_below, std::max(given_below_[prefix_], window_end));
    EXPECT_EQ(stats.waiters, waiting_);
    if (waiting_ == 0) {
      EXPECT_NEAR(stats.wait_time.count(), waited_.count(), 1e-6);
    }
    EXPECT_EQ(stats.refilling, refill_requested || under_way);
    // The process lives as long as somebody waits, and no longer: a refill keeps it alive by itself.
    EXPECT_EQ(kept_alive, waiting_ > 0 && !refill_requested && !under_way);
    EXPECT_TRUE(timer_at || waiting_ == 0 || no_timers) << "a call waits for ever";
    EXPECT_FALSE(closing_ && timer_at) << "there is nothing to wait for";
    EXPECT_FALSE(sequence.settings().exact && !closing_ && stats.in_memory > 0);
  }

  std::deque<Call> calls_;
  int64_t waiting_ = 0;
  int64_t given_ = 0;
  Sequence::Seconds waited_{0};
  int64_t prefix_;  // of the period that is on

  // By prefix:
  std::map<int64_t, OwnNumbers> own_;
  std::map<int64_t, std::optional<int64_t>> given_below_;
  std::map<int64_t, int64_t> next_;

  int64_t smallest_ = 0;
  bool closing_ = false;
  bool returning_ = false;  // within return_if_idle()
};

// The sequence 'orders', whose refills ask for as much as `step` says; or for so much each.
inline Sequence::Options with_step(const StepPolicy::Options& step) {
  Sequence::Options options;
  options.counter.name = "orders";
  options.step = step;
  return options;
}
inline Sequence::Options fixed_step(int64_t step) { return with_step({.min = step, .max = step}); }

// The same as a dated one, on the day kToday.
constexpr int64_t kToday = 140625;
constexpr int64_t kTomorrow = 140626;
inline Sequence::Options dated_step(int64_t step) {
  Sequence::Options options = fixed_step(step);
  options.counter = {.name = "orders", .kind = Dated{kToday}};
  return options;
}

}  // namespace nextid
