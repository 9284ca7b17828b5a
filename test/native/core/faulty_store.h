#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "native/core/counter_store.h"

namespace nextid {

// Counters whose database fails at random in all the ways that core/error.h knows, and to which messages may
// come long after their sender has given them up.
class FaultyStore {
 public:
  explicit FaultyStore(std::mt19937& random) : random_(random) {}

  const std::shared_ptr<Counters>& counters() const { return counters_; }

  // From now on nothing fails.
  void calm_down() { calm_ = true; }

  Result<Range> reserve(const ReserveRequest& request) {
    const uint32_t dice = calm_ ? 0 : below(100);
    if (dice < 70) return reserved(request);
    if (dice < 78) return passing_error();
    if (dice < 79) return final_error();
    if (dice < 80) return unconfirmed_error();  // from stale data
    if (dice < 84) {
      send_late(request);
      return doubtful_error();
    }
    const bool rolled_back = dice < 90;
    if (rolled_back) {
      hidden_ -= request.count;
      return doubtful_error(request.count);
    }
    const Result<Range> range = reserved(request);
    if (!range.ok()) return range;
    const bool told = dice < 95;
    if (!told) hidden_ += range.value().count();
    return doubtful_error(told ? range.value().count() : 0);
  }

  Result<bool> release(const CounterKey& counter, Range unused) {
    const uint32_t dice = calm_ ? 0 : below(100);
    if (dice < 60) return counters_->release(counter, unused);
    if (dice < 80) late_.push_back([this, counter, unused] { release_unheard(counter, unused); });
    if (dice >= 90) release_unheard(counter, unused);
    return doubtful_error();
  }

  // The message is on its way, and its sender gone.
  void send_late(const ReserveRequest& request) {
    late_.push_back([this, request] {
      const Result<Range> range = reserved(request);
      if (range.ok()) hidden_ += range.value().count();
    });
  }

  bool has_late() const { return !late_.empty(); }

  // One of the late messages arrives. REQUIRES: has_late()
  void deliver_late() {
    const size_t index = below(late_.size());
    const auto arrive = late_[index];
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(index));
    arrive();
  }

  // By how much the counters were moved beyond what the sequences were told, and are told in the end.
  int64_t hidden() const { return hidden_; }
  void hide(int64_t count) { hidden_ += count; }

  // By how much the counters were moved.
  int64_t moved() const {
    int64_t sum = 0;
    for (const auto& [prefix, counter] : counters_->all()) sum += counter.moved();
    return sum;
  }

 private:
  uint32_t below(size_t n) { return random_() % static_cast<uint32_t>(n); }

  Result<Range> reserved(const ReserveRequest& request) {
    const int64_t before = moved_of(request.counter);
    const Result<Range> range = counters_->reserve(request);
    if (range.ok()) hidden_ += moved_of(request.counter) - before - range.value().count();
    return range;
  }

  int64_t moved_of(const CounterKey& counter) { return counters_->of(prefix_of(counter)).moved(); }

  void release_unheard(const CounterKey& counter, Range unused) {
    if (counters_->release(counter, unused)) hidden_ -= unused.count();
  }

  std::mt19937& random_;
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  std::vector<std::function<void()>> late_;  // sent, given up by the sender, and not arrived yet
  bool calm_ = false;
  int64_t hidden_ = 0;
};

}  // namespace nextid
