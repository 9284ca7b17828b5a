// Memory runs out within a sequence, at each of its allocations in turn. No number may come out twice, every
// call must end, and the sequence must go on when memory is back.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <new>
#include <optional>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/sequence.h"
#include "native/core/counter_store.h"
#include "native/new_operators.h"
#include "native/scarce_memory.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;
using Plenty = ScarceMemory::Plenty;
using Then = ScarceMemory::Then;

constexpr int64_t kFirstPrefix = 140625;

// The sequences that are tried.
struct Kind {
  const char* name;
  CounterKind kind;
  bool exact = false;
  std::optional<Duration> max_age = std::nullopt;
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

Sequence::Options options_of(const Kind& kind) {
  Sequence::Options options;
  // Names that do not fit into a string itself.
  options.counter.name = "the orders of all the customers of all the shops";
  options.counter.kind = kind.kind;
  options.step = {.min = 7, .max = 7};
  options.timeout = milliseconds(1000);
  options.exact = kind.exact;
  options.max_age = kind.max_age;
  return options;
}

// Not by new and delete: compilers leave those out where nothing is done in between.
void use_memory() { ::operator delete(::operator new(1)); }

// A service with one sequence: callers, a worker thread, a clock and counters. Memory is scarce within the
// sequence, and for what its host keeps of the work it is asked to do; the rest has plenty.
class Service final : public SequenceHost {
 public:
  Service(const Kind& kind, uint32_t seed, ScarceMemory& memory)
      : kind_(kind), memory_(memory), random_(seed), sequence_(options_of(kind), *this, seed) {}

  // One thing that happens to a service.
  void step() {
    const uint32_t dice = below(100);
    if (dice < 25) {
      for (uint32_t i = 1 + below(6); i > 0; --i) next_id();
    } else if (dice < 35) {
      call(below(20) + 1, &Sequence::wait);
    } else if (dice < 43) {
      call(below(20) + 1, &Sequence::wait_for_block);
    } else if (dice < 48) {
      if (!calls_.empty()) cancel(calls_[below(calls_.size())]);
    } else if (dice < 75) {
      move_store();
    } else if (dice < 88) {
      move_clock(milliseconds(below(300)));
    } else if (is<Dated>(kind_.kind)) {
      dice < 94 ? prepare() : switch_period();
    } else if (dice < 90) {
      throw_away();
    }
  }

  // Memory is back, and the store answers: whoever waits is served or refused, and so is the next call.
  void recover() {
    memory_.comes_back();
    calm_ = true;
    settle();
    EXPECT_EQ(waiting(), 0);
    const Call& call = this->call(1, &Sequence::wait);
    settle();
    EXPECT_TRUE(call.served) << call.error;
    check_sum();
  }

  void close() {
    closing_ = true;
    act([&] { sequence_.close(now_); });
    for (int i = 0; i < 100 && !closed_; ++i) move_store();
    EXPECT_TRUE(closed_) << "it never closes";
    EXPECT_EQ(waiting(), 0);
    check_sum();
  }

  size_t given() const { return given_.size(); }

 private:
  struct Call {
    uint64_t ticket = 0;
    int64_t count = 0;
    bool waits = true;
    bool served = false;
    std::string error{};
  };

  uint32_t below(size_t n) { return random_() % static_cast<uint32_t>(n); }

  // Calls the sequence. False if it has thrown for want of memory.
  template <typename Body>
  bool act(const Body& body) {
    try {
      memory_.within(body);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  // --- callers

  void next_id() {
    if (window_.empty()) {
      EXPECT_TRUE(act([&] { window_ = sequence_.take(now_).value_or(Range{}); }));
      window_until_ = sequence_.window_until();
    }
    if (window_.empty() || now_ >= window_until_) {
      call(1, &Sequence::wait);
    } else {
      give(window_.take_front(1), true);
    }
  }

  using Enqueue = Result<uint64_t> (Sequence::*)(Waiter::Token, int64_t, TimePoint);
  const Call& call(int64_t count, Enqueue enqueue) {
    Call& call = calls_.emplace_back(Call{.count = count});
    const bool returned = act([&] {
      const Result<uint64_t> ticket = (sequence_.*enqueue)(&call, count, now_);
      if (ticket.ok()) {
        call.ticket = ticket.value();
      } else {
        end(call, to_string(ticket.error().code));
      }
    });
    if (!returned) end(call, "no memory");
    return call;
  }

  void cancel(Call& call) {
    if (call.ticket == 0) return;
    Waiter::Token token = nullptr;
    EXPECT_TRUE(act([&] { token = sequence_.cancel(call.ticket, now_); }));
    EXPECT_EQ(token != nullptr, call.waits) << "a waiter is lost";
    if (token != nullptr) end(call, "cancelled");
  }

  void end(Call& call, std::string_view error) {
    const Plenty plenty;
    EXPECT_TRUE(call.waits) << "ended twice";
    call.waits = false;
    call.error = error;
  }

  int64_t waiting() const {
    return std::count_if(calls_.begin(), calls_.end(), [](const Call& call) { return call.waits; });
  }

  void give(Range range, bool in_order) {
    const Plenty plenty;
    const int64_t prefix = prefix_of(sequence_.counter());
    for (int64_t id = range.first; id < range.end; ++id) {
      EXPECT_TRUE(given_.insert({prefix, id}).second) << id << " of " << prefix << " came out twice";
      EXPECT_TRUE(own_.erase({prefix, id}) == 1) << id << " of " << prefix << " was not ours to give";
    }
    count_given_ += range.count();
    if (!in_order || is<Cyclic>(kind_.kind)) return;
    int64_t& last = last_[prefix];
    EXPECT_GT(range.first, last) << "ids do not grow";
    last = range.end - 1;
  }

  // --- what the addon does now and then

  void switch_period() {
    const int64_t before = prefix_of(sequence_.counter());
    const int64_t prefix = before + (below(4) == 0 ? -1 : 1);
    bool done = false;
    if (!act([&] { done = sequence_.switch_to(prefix, now_); })) {
      EXPECT_EQ(prefix_of(sequence_.counter()), before) << "it threw, and has switched";
    } else {
      EXPECT_TRUE(done);
    }
  }

  void prepare() {
    act([&] { sequence_.prepare(prefix_of(sequence_.counter()) + 1, now_); });
  }

  void throw_away() {
    const int64_t next = sequence_.stats().seen_at.value_or(0) - 3;
    EXPECT_TRUE(act([&] { sequence_.skip_to(next, prefix_of(sequence_.counter()), now_); }));
  }

  void move_clock(Duration by) {
    const TimePoint until = now_ + by;
    while (timer_at_ && *timer_at_ <= until) {
      now_ = std::max(now_, *timer_at_);
      timer_at_.reset();
      EXPECT_TRUE(act([&] { sequence_.on_timer(now_); })) << "the news of the timer are lost";
    }
    now_ = until;
  }

  // --- the store

  void move_store() {
    const size_t all = (requested_ ? 1 : 0) + under_way_.size() + releases_.size();
    if (all == 0) return;
    size_t which = below(all);
    if (requested_ && which-- == 0) return begin_refill();
    if (which < under_way_.size()) return end_refill(which);
    end_release(which - under_way_.size());
  }

  void begin_refill() {
    requested_ = false;
    std::optional<Sequence::BegunRefill> begun;
    // As the addon does: to hand a request to a worker thread needs memory too.
    const bool sent = act([&] {
      begun = sequence_.begin_refill(now_);
      if (begun) use_memory();
    });
    if (!sent) {
      EXPECT_TRUE(act([&] { sequence_.refill_not_begun(now_); }));
    } else if (begun) {
      under_way_.push_back(*begun);
    }
  }

  void end_refill(size_t which) {
    const Sequence::BegunRefill refill = under_way_[which];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    const Result<Range> result = reserve(refill.request);
    EXPECT_TRUE(act([&] { sequence_.on_refill(refill, result, now_); })) << "the news of a refill are lost";
  }

  Result<Range> reserve(const ReserveRequest& request) {
    const uint32_t dice = calm_ ? 99 : below(100);
    const std::string message = "the store is not to be reached at this moment";
    if (dice < 10) return Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, message, {}};
    if (dice < 13) return Error{ErrorCode::kAccessDenied, ErrorClass::kFinal, message, {}};
    if (dice < 15 && request.floor > 3 && !is<Cyclic>(kind_.kind)) {
      reserved_ += 2;  // a counter that was set back, and a store that has not noticed
      return Range{1, 3};
    }
    const Result<Range> range = counters_.reserve(request);
    if (range.ok() && dice < 20) {
      reserved_ += range.value().count();
      return Error{ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, message, {}, range.value().count()};
    }
    if (!range.ok()) return range;
    reserved_ += range.value().count();
    for (int64_t id = range.value().first; id < range.value().end; ++id) {
      own_.insert({prefix_of(request.counter), id});
    }
    return range;
  }

  void end_release(size_t which) {
    const auto [counter, unused] = releases_[which];
    releases_.erase(releases_.begin() + static_cast<std::ptrdiff_t>(which));
    const bool arrives = below(4) > 0;
    const bool done = arrives && counters_.release(counter, unused);
    const Error lost{
        ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "the reply to the release is lost", {}};
    const Result<bool> result = arrives ? Result<bool>(done) : Result<bool>(lost);
    EXPECT_TRUE(act([&] { sequence_.on_release(unused, result); })) << "the news of a release are lost";
  }

  // --- SequenceHost

  void request_refill() override {
    use_memory();  // for the place in the queue
    const Plenty plenty;
    EXPECT_FALSE(requested_);
    requested_ = true;
  }

  void request_release(const CounterKey& counter, Range unused) override {
    use_memory();
    const Plenty plenty;
    for (int64_t id = unused.first; id < unused.end; ++id) {
      EXPECT_FALSE(given_.contains({prefix_of(counter), id})) << id << " was given, and is given back";
      own_.erase({prefix_of(counter), id});
    }
    releases_.emplace_back(counter, unused);
  }

  void serve(Waiter::Token waiter, std::span<const Range> pieces) override {
    const Plenty plenty;
    Call& call = *static_cast<Call*>(waiter);
    EXPECT_TRUE(call.waits) << "ended twice";
    call.waits = false;
    call.served = true;
    int64_t count = 0;
    for (const Range& piece : pieces) {
      give(piece, false);
      count += piece.count();
    }
    EXPECT_EQ(count, call.count);
  }

  void refuse(Waiter::Token waiter, const Error& error) override {
    end(*static_cast<Call*>(waiter), to_string(error.code));
  }

  bool set_timer(std::optional<Duration> in, bool) override {
    const Plenty plenty;
    timer_at_.reset();
    if (in) timer_at_ = now_ + *in;
    return true;
  }

  std::optional<Range> take_back_window() override { return std::exchange(window_, Range{}); }
  const Error* store_error() const override { return nullptr; }
  void closed() override { closed_ = true; }

  // --- checks

  // Until everything that is pending has come to its end.
  void settle() {
    for (int i = 0; i < 200 && (requested_ || !under_way_.empty() || !releases_.empty() || waiting() > 0);
         ++i) {
      move_store();
      move_clock(milliseconds(50));
    }
  }

  // Each number that came is given, in memory, given back, or counted as lost.
  void check_sum() {
    const Sequence::Stats stats = sequence_.stats();
    EXPECT_EQ(stats.handed_out + stats.in_memory + stats.lost + stats.returned, reserved_);
    EXPECT_EQ(stats.handed_out, count_given_ + window_.count());
    EXPECT_EQ(stats.waiters, waiting());
  }

  const Kind kind_;
  ScarceMemory& memory_;
  std::mt19937 random_;
  Counters counters_;
  TimePoint now_{};
  bool calm_ = false;
  bool closing_ = false;
  bool closed_ = false;

  std::deque<Call> calls_;
  Range window_;
  TimePoint window_until_ = TimePoint::max();
  std::optional<TimePoint> timer_at_;
  bool requested_ = false;
  std::vector<Sequence::BegunRefill> under_way_;
  std::vector<std::pair<CounterKey, Range>> releases_;

  using Number = std::pair<int64_t, int64_t>;  // prefix and number
  std::set<Number> given_;
  std::set<Number> own_;  // came, and was neither given nor given back
  std::map<int64_t, int64_t> last_;
  int64_t count_given_ = 0;
  int64_t reserved_ = 0;

  Sequence sequence_;
};

const Timestamped kTimestamped{.time_zone = "the mean time of Greenwich"};

const Kind kKinds[] = {
    {"Plain", Plain{}},
    {"Dated", Dated{kFirstPrefix}},
    {"Cyclic", Cyclic{100'000}, true},
    {"TimeStamped", kTimestamped, true},
    {"TimeStampedKept", kTimestamped, false, milliseconds(200)},
};

class SequenceOutOfMemory : public testing::TestWithParam<Kind> {
 protected:
  // Lets the n-th allocation fail. False if there are not so many.
  bool runs_out(uint32_t seed, int64_t n, Then then) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", allocation " + std::to_string(n) +
                 (then == Then::kGone ? " and all after it" : ""));
    constexpr int kSteps = 80;
    constexpr int kStepsWithout = 10;
    ScarceMemory memory(n, then);
    Service service(GetParam(), seed, memory);
    int back_in = kStepsWithout;
    for (int i = 0; i < kSteps && back_in > 0; ++i) {
      service.step();
      if (memory.ran_out()) --back_in;
    }
    const bool without_memory = seed % 2 == 0;
    if (!without_memory) service.recover();
    service.close();
    given_ += service.given();
    return memory.ran_out();
  }

  size_t given_ = 0;
};

TEST_P(SequenceOutOfMemory, NoNumberTwiceAndNobodyWaitsForEver) {
  for (const Then then : {Then::kThere, Then::kGone}) {
    for (uint32_t seed = 1; seed <= 20; ++seed) {
      for (int64_t n = 1; !HasFailure() && runs_out(seed, n, then); ++n) {
      }
    }
  }
  EXPECT_GT(given_, 20'000u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, SequenceOutOfMemory, testing::ValuesIn(kKinds),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace nextid
