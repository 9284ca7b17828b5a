// Shows how the adaptive step behaves: drives a Sequence through loads of minutes to hours in the time that
// the arithmetic takes. The clock, the calls and the store are simulated; what decides is the product's own
// code.
//
// Prints one JSON object a line: {"load", "second", "rate", "step", "memory", "waits", "longestWait",
// "refills"} for each interval of each load. rate: calls a second; step: of the next refill; memory: numbers
// in memory at the end of the interval; waits: calls that had to wait; longestWait: ms, of those that ended
// in it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <queue>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "core/sequence.h"

namespace {

using namespace nextid;
using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

constexpr Duration kTurn = milliseconds(1);  // of the event loop
constexpr uint32_t kSeed = 1;

struct Load {
  std::string name;
  double seconds;
  std::function<double(double)> rate;     // calls a second, at a time in seconds
  std::function<double(double)> latency;  // ms that the store takes; negative: it is away
};

Duration in_ms(double ms) { return std::chrono::duration_cast<Duration>(Seconds(ms / 1000)); }

class Simulation : private SequenceHost {
 public:
  explicit Simulation(const Load& load) : load_(load), sequence_(options(), *this, kSeed) {}

  void run() {
    const double interval = load_.seconds / 300;
    double due = 0, next_print = interval;
    for (double second = 0; second < load_.seconds; second = Seconds(now_.time_since_epoch()).count()) {
      due += load_.rate(second) * Seconds(kTurn).count();
      const auto calls = static_cast<int64_t>(due);
      due -= static_cast<double>(calls);
      calls_ += calls;
      let_events_happen();
      call(calls);
      if (second >= next_print) {
        print(next_print, interval);
        next_print += interval;
      }
      now_ += kTurn;
    }
  }

 private:
  static Sequence::Options options() {
    Sequence::Options options;
    options.max_waiters = SIZE_MAX;
    return options;
  }

  struct Refill {
    TimePoint ends;
    Sequence::BegunRefill refill;
    bool fails;
  };

  void call(int64_t calls) {
    while (calls > 0) {
      if (window_.empty()) {
        if (const auto window = sequence_.take(now_)) window_ = *window;
      }
      if (!window_.empty()) {
        calls -= window_.take_front(calls).count();
        continue;
      }
      for (; calls > 0; --calls) {
        ++waits_;
        waiting_since_.push(now_);
        (void)sequence_.wait(this, 1, now_);
      }
    }
  }

  void let_events_happen() {
    if (under_way_ && under_way_->ends <= now_) {
      const Refill done = *under_way_;
      under_way_.reset();
      if (done.fails) {
        sequence_.on_refill(done.refill,
                            Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "away", {}}, now_);
      } else {
        ++refills_;
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

  void print(double second, double interval) {
    const auto stats = sequence_.stats();
    std::printf(
        "{\"load\":\"%s\",\"second\":%.3f,\"rate\":%.0f,\"step\":%lld,\"memory\":%lld,\"waits\":%lld,"
        "\"longestWait\":%.0f,\"refills\":%lld}\n",
        load_.name.c_str(), second, static_cast<double>(calls_) / interval,
        static_cast<long long>(stats.step), static_cast<long long>(stats.in_memory + window_.count()),
        static_cast<long long>(waits_), longest_wait_.count() * 1000, static_cast<long long>(refills_));
    calls_ = waits_ = refills_ = 0;
    longest_wait_ = Seconds(0);
  }

  // --- SequenceHost

  void request_refill() override {
    const auto refill = sequence_.begin_refill(now_);
    if (!refill) return;
    const double latency = load_.latency(Seconds(now_.time_since_epoch()).count());
    const double took = latency < 0 ? 1 : latency * spread_(random_);
    under_way_ = Refill{now_ + in_ms(took), *refill, latency < 0};
  }

  void serve(Waiter::Token, std::span<const Range>) override {
    longest_wait_ = std::max(longest_wait_, Seconds(now_ - waiting_since_.front()));
    waiting_since_.pop();
  }
  void refuse(Waiter::Token token, const Error&) override { serve(token, {}); }

  bool set_timer(std::optional<Duration> in, bool) override {
    timer_ = in ? std::optional(now_ + *in) : std::nullopt;
    return true;
  }

  std::optional<Range> take_back_window() override {
    const Range window = window_;
    window_ = {};
    return window;
  }

  void request_release(const CounterKey&, Range) override {}
  const Error* store_error() const override { return nullptr; }
  void closed() override {}

  const Load& load_;
  TimePoint now_{};
  std::mt19937 random_{kSeed};
  std::lognormal_distribution<> spread_{0, 0.25};  // of the time that a refill takes
  int64_t counter_ = 1;
  Range window_;
  std::optional<Refill> under_way_;
  std::optional<TimePoint> timer_;
  std::queue<TimePoint> waiting_since_;
  int64_t calls_ = 0, waits_ = 0, refills_ = 0;
  Seconds longest_wait_{0};
  Sequence sequence_;
};

const double kDay = 3600;  // seconds; a short one

double day_and_night(double second) {
  const double wave = (1 - std::cos(2 * M_PI * second / kDay)) / 2;  // night at 0
  return 20 * std::pow(1000, wave);                                  // 20 to 20 000 a second
}

const std::vector<Load> kLoads = {
    {"even", 60, [](double) { return 50'000; }, [](double) { return 5; }},
    {"bursts", 60, [](double t) { return std::fmod(t, 10) < 9 ? 50'000 : 500'000; },
     [](double) { return 5; }},
    {"start-up", 10, [](double t) { return t < 1 ? 0 : 20'000; }, [](double) { return 5; }},
    {"day and night", 2 * kDay, day_and_night, [](double) { return 5; }},
    {"slow store", 100, [](double) { return 20'000; },
     [](double t) { return t >= 50 && t < 55   ? -1
                           : t >= 20 && t < 50 ? 1000
                                               : 100; }},
    {"more than one range", 100, [](double) { return 1'200'000; }, [](double) { return 600; }},
};

}  // namespace

int main() {
  for (const Load& load : kLoads) Simulation(load).run();
}
