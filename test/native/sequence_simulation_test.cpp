// Three sequences share one counter while everything goes wrong that can: errors, lost and late replies,
// callers that leave, instances that close, crash and come back. No number may come out twice.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_set>
#include <vector>

#include "native/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;

class Simulation {
 public:
  Simulation(uint32_t seed, int64_t max_number) : random_(seed), max_number_(max_number) {
    for (Instance& instance : instances_) open(instance);
  }

  void step() {
    Instance& instance = instances_[below(instances_.size())];
    ScriptedHost& host = *instance.host;
    const uint32_t dice = below(1000);
    if (dice < 250) {
      for (uint32_t i = 1 + below(8); i > 0; --i) call(instance, host.next_id());
    } else if (dice < 270) {
      call(instance, host.wait(below(40)));
    } else if (dice < 285) {
      call(instance, host.wait_for_block(1 + below(60)));
    } else if (dice < 320) {
      if (!instance.calls.empty()) host.cancel(*instance.calls[below(instance.calls.size())]);
    } else if (dice < 850) {
      for (uint32_t i = 1 + below(4); i > 0; --i) move_store(instance);
    } else if (dice < 940) {
      host.move_clock(milliseconds(below(300)));
    } else if (dice < 960) {
      if (!late_.empty()) apply_late();
    } else if (dice < 970) {
      advance(instance);
    } else if (dice < 990) {
      if (!instance.closing) close(instance);
    } else if (dice < 993) {
      crash(instance);
    }
    collect();
    if (instance.host->is_closed) reopen(instance);
  }

  // All that is pending comes to its end.
  void finish() {
    calm_ = true;
    for (Instance& instance : instances_) {
      ScriptedHost& host = *instance.host;
      for (int i = 0; i < 100 && host.sequence.stats().waiters > 0; ++i) {
        while (host.refill_requested || host.under_way) move_store(instance);
        host.move_clock(milliseconds(1000));
      }
      if (!instance.closing) close(instance);
      while (!host.is_closed) move_store(instance);
      collect();
      for (const Call* call : instance.calls) EXPECT_FALSE(call->waiting);
      retire(instance);
    }
    while (!late_.empty()) apply_late();
    EXPECT_EQ(store_->next.value_or(1) - 1, reserved_ + hidden_);
  }

  size_t given() const { return given_.size(); }

 private:
  struct Instance {
    std::unique_ptr<ScriptedHost> host;
    std::vector<Call*> calls;
    size_t seen = 0;  // of host->ended
    bool closing = false;
    bool release_sent = false;
    std::optional<Result<Range>> reply;  // on its way back
    std::optional<Result<bool>> release_reply;
  };

  uint32_t below(size_t n) { return random_() % static_cast<uint32_t>(n); }

  void open(Instance& instance, std::optional<int64_t> floor = {}) {
    static constexpr StepPolicy::Options kSteps[] = {{1, 1}, {7, 7}, {30, 30}, {10, 1000}};
    const Sequence::Options options{.name = "orders",
                                    .step = kSteps[below(4)],
                                    .timeout = milliseconds(500 + below(1500)),
                                    .max_waiters = below(4) == 0 ? size_t{10} : size_t{1000},
                                    .max_number = max_number_,
                                    .floor = floor};
    instance = Instance{};
    instance.host = std::make_unique<ScriptedHost>(options, store_, random_());
    instance.host->begins_at_once = below(2) == 0;
  }

  void retire(Instance& instance) {
    reserved_ += instance.host->reserved - instance.host->sequence.stats().released;
  }

  void reopen(Instance& instance) {
    for (const Call* call : instance.calls) EXPECT_FALSE(call->waiting);
    retire(instance);
    open(instance, instance.host->sequence.stats().given_below);
  }

  // What the process had sent arrives later, or never.
  void crash(Instance& instance) {
    collect();
    retire(instance);
    if (instance.host->under_way && !instance.reply) send_late(*instance.host->under_way);
    if (instance.reply) hidden_ += ScriptedHost::reserved_by(*instance.reply);
    if (instance.release_reply && instance.release_reply->ok() && instance.release_reply->value()) {
      hidden_ -= instance.host->releases[0].count();
    }
    open(instance);
  }

  void close(Instance& instance) {
    instance.closing = true;
    instance.host->close();
  }

  void call(Instance& instance, Call& call) { instance.calls.push_back(&call); }

  // The store does the next thing that this instance waits for.
  void move_store(Instance& instance) {
    ScriptedHost& host = *instance.host;
    if (host.refill_requested) {
      host.begin();
    } else if (host.under_way && !instance.reply) {
      instance.reply = reserve(*host.under_way);
    } else if (host.under_way) {
      const Result<Range> reply = *instance.reply;
      instance.reply.reset();
      host.answer(reply);
    } else if (!host.releases.empty() && !instance.release_sent) {
      instance.release_sent = true;
      instance.release_reply = release(host.releases[0]);
    } else if (instance.release_reply && !host.is_closed) {
      host.answer_release(*instance.release_reply);
    }
  }

  Result<Range> reserve(const ReserveRequest& request) {
    const uint32_t dice = calm_ ? 0 : below(100);
    if (dice < 70) return store_->reserve(request);
    if (dice < 78) return passing_error();
    if (dice < 80) return final_error();
    if (dice < 84) {
      send_late(request);
      return doubtful_error();
    }
    const bool rolled_back = dice < 90;
    if (rolled_back) {
      hidden_ -= request.count;
      return doubtful_error(request.count);
    }
    const Result<Range> range = store_->reserve(request);
    if (!range.ok()) return range;
    const bool told = dice < 95;
    if (!told) hidden_ += request.count;
    return doubtful_error(told ? request.count : 0);
  }

  Result<bool> release(Range unused) {
    const uint32_t dice = calm_ ? 0 : below(100);
    if (dice < 60) return store_->release(unused);
    if (dice < 80) late_.push_back([this, unused] { release_unheard(unused); });
    if (dice >= 90) release_unheard(unused);
    return doubtful_error();
  }

  void send_late(const ReserveRequest& request) {
    late_.push_back([this, request] {
      if (store_->reserve(request).ok()) hidden_ += request.count;
    });
  }

  void release_unheard(Range unused) {
    if (store_->release(unused)) hidden_ -= unused.count();
  }

  void apply_late() {
    const size_t index = below(late_.size());
    const auto arrive = late_[index];
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(index));
    arrive();
  }

  void advance(Instance& instance) {
    const int64_t before = store_->next.value_or(1);
    const int64_t next = store_->advance(std::max<int64_t>(1, before + below(60) - 30));
    hidden_ += next - before;
    if (below(2) == 0) instance.host->sequence.learn_floor(next);
    if (below(2) == 0) instance.host->skip_to(next - below(20));
  }

  void collect() {
    for (Instance& instance : instances_) {
      const std::vector<Call*>& ended = instance.host->ended;
      for (; instance.seen < ended.size(); ++instance.seen) {
        const Call& call = *ended[instance.seen];
        if (call.error) {
          EXPECT_NE(call.code(), ErrorCode::kSequenceMissing);
          EXPECT_NE(call.code(), ErrorCode::kSequenceRewound) << "a false alarm";
        }
        for (const Range& piece : call.pieces) {
          for (int64_t id = piece.first; id < piece.end; ++id) {
            EXPECT_TRUE(given_.insert(id).second) << id << " was handed out twice";
            EXPECT_LE(id, max_number_);
            EXPECT_GE(id, 1);
          }
        }
      }
    }
  }

  std::mt19937 random_;
  const int64_t max_number_;
  std::shared_ptr<CounterStore> store_ = std::make_shared<CounterStore>();
  std::array<Instance, 3> instances_;
  std::unordered_set<int64_t> given_;
  std::vector<std::function<void()>> late_;  // sent, given up by the sender, and not arrived yet
  bool calm_ = false;
  int64_t reserved_ = 0;  // by instances that are gone, less what they gave back
  int64_t hidden_ = 0;    // what the counter was moved beyond that
};

struct Scenario {
  uint32_t seed;
  int64_t max_number;
};

class SequenceSimulation : public testing::TestWithParam<Scenario> {};

TEST_P(SequenceSimulation, NoNumberTwice) {
  Simulation simulation(GetParam().seed, GetParam().max_number);
  for (int i = 0; i < 20'000 && !HasFailure(); ++i) simulation.step();
  simulation.finish();
  EXPECT_GT(simulation.given(), 10'000u);
}

constexpr int64_t kPlenty = (int64_t{1} << 53) - 1;

INSTANTIATE_TEST_SUITE_P(Seeds, SequenceSimulation,
                         testing::Values(Scenario{1, kPlenty}, Scenario{2, kPlenty}, Scenario{3, kPlenty},
                                         Scenario{4, kPlenty}, Scenario{5, kPlenty}, Scenario{6, kPlenty},
                                         Scenario{7, 30'000}, Scenario{8, 30'000}),
                         [](const auto& test) { return "Seed" + std::to_string(test.param.seed); });

}  // namespace
}  // namespace nextid
