// Shows how the adaptive step behaves, beside Leaf's rule: drives both through loads of minutes to hours in
// the time that the arithmetic takes. The clock, the calls and the store are simulated; what decides for us
// is the product's own code.
//
// Prints one JSON object a line: {"load", "rule", "second", "rate", "step", "held", "mostHeld", "waits",
// "longestWait", "refills"} for each interval of each load. rate: calls a second; step: of the next refill;
// held: numbers lost if the process dies, on average over the interval, and mostHeld the most: those in
// memory and those on their way; waits: calls that had to wait; longestWait: ms, of those that ended in it.
// All but `step` and `mostHeld` are means over several runs that differ in chance only.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/sequence.h"

namespace {

using namespace nextid;
using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

constexpr Duration kTurn = milliseconds(1);  // of the event loop
constexpr size_t kIntervals = 300;

struct Load {
  std::string name;
  double seconds;
  std::function<double(double)> rate;     // calls a second, at a time in seconds
  std::function<double(double)> latency;  // ms that the store takes; negative: it is away
};

double in_seconds(TimePoint time) { return Seconds(time.time_since_epoch()).count(); }

// A store on the simulated clock.
class SimulatedStore {
 public:
  SimulatedStore(const Load& load, uint32_t seed) : load_(load), random_(seed) {}

  struct Refill {
    TimePoint ends;
    bool fails;
  };

  Refill begin(TimePoint now) {
    const double latency = load_.latency(in_seconds(now));
    if (latency < 0) {
      connected_ = false;
      return {now + kTurn, true};
    }
    const double greeting = connected_ ? 1 : 2;
    const double took = latency * spread_(random_) * greeting + (hiccup_(random_) ? kHiccup : 0);
    connected_ = true;
    return {now + std::chrono::duration_cast<Duration>(Seconds(took / 1000)), false};
  }

 private:
  static constexpr double kHiccup = 15;  // ms

  const Load& load_;
  std::mt19937 random_;
  std::lognormal_distribution<> spread_{0, 0.25};  // of the time that a refill takes
  std::bernoulli_distribution hiccup_{0.02};       // a packet or a sync that is late, now and then
  bool connected_ = true;
};

// A way to have numbers in memory before they are asked for.
class Peer {
 public:
  virtual ~Peer() = default;

  // Makes `calls` calls, after what has come meanwhile.
  virtual void turn(int64_t calls, TimePoint now) = 0;

  virtual int64_t step() const = 0;
  virtual int64_t held() const = 0;

  int64_t waits = 0;
  int64_t refills = 0;
  Seconds longest_wait{0};

 protected:
  void begin_wait(TimePoint now) {
    ++waits;
    waiting_since_.push(now);
  }

  void end_wait(TimePoint now) {
    longest_wait = std::max(longest_wait, Seconds(now - waiting_since_.front()));
    waiting_since_.pop();
  }

  int64_t waiting() const { return static_cast<int64_t>(waiting_since_.size()); }

 private:
  std::queue<TimePoint> waiting_since_;
};

class OurPeer final : public Peer, private SequenceHost {
 public:
  OurPeer(int64_t max_step, const Load& load, uint32_t seed)
      : store_(load, seed), sequence_(options(max_step), *this, seed * 2'654'435'761u) {}

  void turn(int64_t calls, TimePoint now) override {
    now_ = now;
    let_events_happen();
    while (calls > 0) {
      if (window_.empty()) {
        if (const auto window = sequence_.take(now_)) window_ = *window;
      }
      if (!window_.empty()) {
        calls -= window_.take_front(calls).count();
        continue;
      }
      for (; calls > 0; --calls) {
        begin_wait(now_);
        (void)sequence_.wait(this, 1, now_);
      }
    }
  }

  int64_t step() const override { return sequence_.stats().step; }

  int64_t held() const override {
    return sequence_.stats().in_memory + window_.count() +
           (under_way_ && !under_way_->reply.fails ? under_way_->refill.request.count : 0);
  }

 private:
  static Sequence::Options options(int64_t max_step) {
    Sequence::Options options;
    options.step.max = max_step;
    options.max_waiters = SIZE_MAX;
    return options;
  }

  struct UnderWay {
    Sequence::BegunRefill refill;
    SimulatedStore::Refill reply;
  };

  void let_events_happen() {
    if (under_way_ && under_way_->reply.ends <= now_) {
      const UnderWay done = *under_way_;
      under_way_.reset();
      if (done.reply.fails) {
        sequence_.on_refill(done.refill,
                            Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "away", {}}, now_);
      } else {
        ++refills;
        const int64_t count = done.refill.request.count;
        counter_ += count;
        sequence_.on_refill(done.refill, Range{counter_ - count, counter_}, now_);
      }
    }
    if (timer_ && *timer_ <= now_) {
      timer_.reset();
      sequence_.on_timer(now_);
    }
  }

  // --- SequenceHost

  void request_refill() override {
    if (const auto refill = sequence_.begin_refill(now_)) under_way_ = {*refill, store_.begin(now_)};
  }

  void serve(Waiter::Token, std::span<const Range>) override { end_wait(now_); }
  void refuse(Waiter::Token, const Error&) override { end_wait(now_); }

  bool set_timer(std::optional<Duration> in, bool) override {
    timer_ = in ? std::optional(now_ + *in) : std::nullopt;
    return true;
  }

  std::optional<Range> take_back_window() override { return std::exchange(window_, {}); }

  void request_release(const CounterKey&, Range) override {}
  const Error* store_error() const override { return nullptr; }
  void closed() override {}

  TimePoint now_{};
  SimulatedStore store_;
  int64_t counter_ = 1;
  Range window_;
  std::optional<UnderWay> under_way_;
  std::optional<TimePoint> timer_;
  Sequence sequence_;
};

// The double buffer of Leaf-segment: as soon as 10 % of one segment are used, the next one is fetched. After
// SegmentIDGenImpl of https://github.com/Meituan-Dianping/Leaf. Its step doubles if the last segment was
// fetched less than 15 minutes ago, up to a million, and halves if it was more than 30. Where Leaf answers
// with an error, because both segments are used up, a call waits here.
class LeafPeer final : public Peer {
 public:
  // `grows`: as Leaf's step does; else it is always the first one.
  LeafPeer(int64_t first_step, bool grows, const Load& load, uint32_t seed)
      : store_(load, seed), least_step_(first_step), grows_(grows), step_(first_step) {}

  void turn(int64_t calls, TimePoint now) override {
    if (under_way_ && under_way_->ends <= now) end_fetch(now);
    while (waiting() > 0 && left_or_switch()) {
      --left_;
      end_wait(now);
    }
    for (; calls > 0; --calls) {
      fetch_if_due(now);
      if (left_or_switch()) {
        --left_;
      } else {
        begin_wait(now);
      }
    }
  }

  int64_t step() const override { return step_; }
  int64_t held() const override { return left_ + next_ + (under_way_ && !under_way_->fails ? step_ : 0); }

 private:
  static constexpr int64_t kMostStep = 1'000'000;
  static constexpr Duration kShort = std::chrono::minutes(15);
  static constexpr Duration kRetryAfter = milliseconds(50);  // the next call, in Leaf

  bool left_or_switch() {
    if (left_ == 0) {
      segment_ = left_ = std::exchange(next_, 0);
    }
    return left_ > 0;
  }

  void fetch_if_due(TimePoint now) {
    // left_ < 0.9 * segment_, or the first segment
    if (under_way_ || next_ > 0 || now < paused_until_ || 10 * left_ >= 9 * std::max<int64_t>(segment_, 1))
      return;
    if (grows_ && fetched_) {
      const Duration lasted = now - *fetched_;
      if (lasted < kShort && 2 * step_ <= kMostStep) step_ *= 2;
      if (lasted >= 2 * kShort && step_ / 2 >= least_step_) step_ /= 2;
    }
    under_way_ = store_.begin(now);
  }

  void end_fetch(TimePoint now) {
    if (under_way_->fails) {
      paused_until_ = now + kRetryAfter;
    } else {
      ++refills;
      next_ = step_;
      fetched_ = now;
    }
    under_way_.reset();
  }

  SimulatedStore store_;
  const int64_t least_step_;
  const bool grows_;
  int64_t step_;
  int64_t segment_ = 0, left_ = 0;  // the segment in use: how many numbers it had, and how many are left
  int64_t next_ = 0;                // in the other one
  std::optional<SimulatedStore::Refill> under_way_;
  std::optional<TimePoint> fetched_;
  TimePoint paused_until_{};
};

struct Rule {
  std::string name;
  std::function<std::unique_ptr<Peer>(const Load&, uint32_t)> make;
};

Rule ours(int64_t max_step, std::string name) {
  return {std::move(name), [max_step](const Load& load, uint32_t seed) -> std::unique_ptr<Peer> {
            return std::make_unique<OurPeer>(max_step, load, seed);
          }};
}

Rule leaf(int64_t step, bool grows, std::string name) {
  return {std::move(name), [step, grows](const Load& load, uint32_t seed) -> std::unique_ptr<Peer> {
            return std::make_unique<LeafPeer>(step, grows, load, seed);
          }};
}

// What happened in one interval, summed over all runs.
struct Interval {
  int64_t calls = 0, step = 0, most_held = 0, waits = 0, refills = 0, turns = 0;
  double held = 0;
  Seconds longest_wait{0};
};

void run(Peer& peer, const Load& load, std::vector<Interval>& intervals) {
  TimePoint now{};
  double due = 0;
  for (double second = 0; second < load.seconds; second = in_seconds(now)) {
    due += load.rate(second) * Seconds(kTurn).count();
    const auto calls = static_cast<int64_t>(due);
    due -= static_cast<double>(calls);
    Interval& interval = intervals[static_cast<size_t>(second / load.seconds * kIntervals)];
    peer.turn(calls, now);
    ++interval.turns;
    interval.calls += calls;
    interval.step = peer.step();
    interval.held += static_cast<double>(peer.held());
    interval.most_held = std::max(interval.most_held, peer.held());
    interval.waits += std::exchange(peer.waits, 0);
    interval.refills += std::exchange(peer.refills, 0);
    interval.longest_wait = std::max(interval.longest_wait, std::exchange(peer.longest_wait, Seconds(0)));
    now += kTurn;
  }
}

void simulate(const Rule& rule, const Load& load, uint32_t runs) {
  std::vector<Interval> intervals(kIntervals);
  for (uint32_t seed = 1; seed <= runs; ++seed) run(*rule.make(load, seed), load, intervals);
  const double length = load.seconds / kIntervals;
  for (size_t i = 0; i < kIntervals; ++i) {
    const Interval& interval = intervals[i];
    std::printf(
        "{\"load\":\"%s\",\"rule\":\"%s\",\"second\":%.3f,\"rate\":%.0f,\"step\":%lld,\"held\":%.0f,"
        "\"mostHeld\":%lld,\"waits\":%.1f,\"longestWait\":%.0f,\"refills\":%.2f}\n",
        load.name.c_str(), rule.name.c_str(), static_cast<double>(i + 1) * length,
        static_cast<double>(interval.calls) / runs / length, static_cast<long long>(interval.step),
        interval.held / static_cast<double>(interval.turns), static_cast<long long>(interval.most_held),
        static_cast<double>(interval.waits) / runs, interval.longest_wait.count() * 1000,
        static_cast<double>(interval.refills) / runs);
  }
}

const double kDay = 3600;  // seconds; a short one

double day_and_night(double second) {
  const double wave = (1 - std::cos(2 * M_PI * second / kDay)) / 2;  // night at 0
  return 20 * std::pow(1000, wave);                                  // 20 to 20 000 a second
}

// What Leaf's rule goes through too.
const std::vector<Load> kShared = {
    {"even", 200, [](double) { return 50'000; }, [](double) { return 5; }},
    {"bursts", 100, [](double t) { return std::fmod(t, 10) < 9 ? 50'000 : 500'000; },
     [](double) { return 5; }},
    {"slow store", 100, [](double) { return 50'000; },
     [](double t) { return t >= 50 && t < 55   ? -1
                           : t >= 20 && t < 50 ? 1000
                                               : 100; }},
};

const std::vector<Load> kOwn = {
    {"start-up", 10, [](double t) { return t < 1 ? 0 : 20'000; }, [](double) { return 5; }},
    {"waking up", 40, [](double t) { return t < 20 ? 10 : 20'000; }, [](double) { return 5; }},
    {"day and night", 2 * kDay, day_and_night, [](double) { return 5; }},
    {"more than one range", 100, [](double) { return 1'200'000; }, [](double) { return 600; }},
};

}  // namespace

int main() {
  const std::vector<Rule> all = {
      ours(100'000, "nextid, step up to 100 000"),
      ours(1'000'000, "nextid, step up to 1 000 000"),
      leaf(2000, true, "Leaf's rule, step from 2 000 on"),  // as in its README
      leaf(10'000, false, "Leaf's buffers, step 10 000"),
      leaf(50'000, false, "Leaf's buffers, step 50 000"),
      leaf(500'000, false, "Leaf's buffers, step 500 000"),
  };
  for (const Load& load : kShared) {
    for (const Rule& rule : all) simulate(rule, load, 20);
  }
  for (const Load& load : kOwn) {
    for (const Rule& rule : {all[0], all[1]}) simulate(rule, load, 1);
  }
}
