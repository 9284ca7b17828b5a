#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <unordered_set>
#include <vector>

#include "native/core/faulty_store.h"
#include "native/core/scripted_host.h"

namespace nextid {

// Three processes draw from the same counters while everything goes wrong that can: errors, lost and late
// replies, callers that leave, processes that close, crash and come back. No number may come out twice, every
// call must end, and in the end everything adds up.
class Simulation {
 public:
  explicit Simulation(uint32_t seed) : random_(seed), store_(random_) {}
  virtual ~Simulation() = default;

  void run(int steps) {
    for (Process& process : processes_) open(process, nullptr);
    for (int i = 0; i < steps && !testing::Test::HasFailure(); ++i) step();
    finish();
  }

  // How many numbers were handed out.
  size_t given() const { return given_.size(); }

 protected:
  // The next sequence; `before`: the one that was closed in the same process, or null.
  virtual Sequence::Options options(const Sequence* before) = 0;

  // What only this kind of sequence goes through, and how many times it does in 1000 other steps.
  virtual uint32_t own_steps() const = 0;
  virtual void own_step(ScriptedHost& host) = 0;

  uint32_t below(size_t n) { return random_() % static_cast<uint32_t>(n); }
  FaultyStore& store() { return store_; }

  StepPolicy::Options any_step() {
    static constexpr StepPolicy::Options kSteps[] = {{1, 1}, {7, 7}, {30, 30}, {10, 1000}};
    return kSteps[below(4)];
  }

 private:
  // A range on its way back to the process.
  struct Reply {
    Result<Range> result;
    int64_t next = 0;  // where the counter stood then
  };

  struct Process {
    std::unique_ptr<ScriptedHost> host;
    std::vector<Call*> calls;
    size_t seen = 0;  // of host->ended
    bool closing = false;
    Places places;
    std::map<uint64_t, Reply> replies;                         // by id of the refill
    std::vector<std::optional<Result<bool>>> release_replies;  // as host->releases
  };

  void step() {
    Process& process = processes_[below(processes_.size())];
    ScriptedHost& host = *process.host;
    const bool exact = host.sequence.settings().exact;
    const uint32_t dice = below(1000 + own_steps());
    if (dice < 250) {
      for (uint32_t i = 1 + below(8); i > 0; --i) call(process, host.next_id());
    } else if (dice < 270) {
      call(process, host.wait(below(40) + (exact ? 1 : 0)));
    } else if (dice < 285) {
      call(process, host.wait_for_block(below(60) + (exact ? 0 : 1)));
    } else if (dice < 320) {
      if (!process.calls.empty()) host.cancel(*process.calls[below(process.calls.size())]);
    } else if (dice < 850) {
      for (uint32_t i = 1 + below(4); i > 0; --i) move_store(process);
    } else if (dice < 940) {
      host.move_clock(std::chrono::milliseconds(below(300)));
    } else if (dice < 970) {
      if (store_.has_late()) store_.deliver_late();
    } else if (dice < 990) {
      if (!process.closing) close(process);
    } else if (dice < 993) {
      crash(process);
    } else if (dice < 1000) {
      host.return_if_idle();
    } else {
      own_step(host);
    }
    for (Process& any : processes_) collect(any);
    if (process.host->is_closed) reopen(process);
  }

  // All that is pending comes to its end.
  void finish() {
    store_.calm_down();
    for (Process& process : processes_) {
      ScriptedHost& host = *process.host;
      for (int i = 0; i < 100 && host.sequence.stats().waiters > 0; ++i) {
        while (host.refill_requested || host.under_way) move_store(process);
        host.move_clock(std::chrono::seconds(1));
      }
      if (!process.closing) close(process);
      while (!host.is_closed) ASSERT_TRUE(move_store(process)) << "it never closes";
      collect(process);
      for (const Call* call : process.calls) EXPECT_FALSE(call->waiting);
      retire(process);
    }
    while (store_.has_late()) store_.deliver_late();
    EXPECT_EQ(store_.moved(), reserved_ + store_.hidden());
  }

  void open(Process& process, const Sequence* before) {
    Sequence::Options next = options(before);
    next.timeout = std::chrono::milliseconds(500 + below(1500));
    next.max_waiters = below(4) == 0 ? size_t{10} : size_t{1000};
    process = Process{};
    process.host = std::make_unique<ScriptedHost>(next, store_.counters(), random_());
    process.host->begins_at_once = below(2) == 0;
  }

  void close(Process& process) {
    process.closing = true;
    process.host->close();
  }

  void reopen(Process& process) {
    for (const Call* call : process.calls) EXPECT_FALSE(call->waiting);
    retire(process);
    const std::unique_ptr<ScriptedHost> before = std::move(process.host);
    open(process, &before->sequence);
  }

  // What the process had sent arrives later, or never.
  void crash(Process& process) {
    collect(process);
    retire(process);
    const ScriptedHost& host = *process.host;
    std::vector<Sequence::BegunRefill> refills = host.abandoned;
    if (host.under_way) refills.push_back(*host.under_way);
    for (const Sequence::BegunRefill& refill : refills) {
      if (!process.replies.contains(refill.id)) store_.send_late(refill.request);
    }
    for (const auto& [id, reply] : process.replies) store_.hide(ScriptedHost::reserved_by(reply.result));
    for (size_t i = 0; i < process.release_replies.size(); ++i) {
      const std::optional<Result<bool>>& reply = process.release_replies[i];
      if (reply && reply->ok() && reply->value()) store_.hide(-host.releases[i].unused.count());
    }
    open(process, nullptr);
  }

  // Counts what an ending process was told of.
  void retire(const Process& process) {
    reserved_ += process.host->reserved - process.host->sequence.stats().returned;
  }

  void call(Process& process, Call& call) { process.calls.push_back(&call); }

  // The store does one of the things that this process waits for. False if there are none.
  bool move_store(Process& process) {
    ScriptedHost& host = *process.host;
    process.release_replies.resize(host.releases.size());
    const size_t current = host.refill_requested || host.under_way ? 1 : 0;
    const size_t all = current + host.abandoned.size() + host.releases.size();
    if (all == 0) return false;
    const size_t which = below(all);
    if (which < current) {
      host.refill_requested ? host.begin() : move_refill(process, *host.under_way, std::nullopt);
    } else if (which < current + host.abandoned.size()) {
      move_refill(process, host.abandoned[which - current], which - current);
    } else {
      move_release(process, which - current - host.abandoned.size());
    }
    collect(process);
    return true;
  }

  void move_refill(Process& process, const Sequence::BegunRefill& refill, std::optional<size_t> abandoned) {
    const auto found = process.replies.find(refill.id);
    if (found == process.replies.end()) {
      const Result<Range> result = store_.reserve(refill.request);
      process.replies.emplace(refill.id, Reply{result, counter_of(refill).next.value_or(0)});
      return;
    }
    const Reply reply = found->second;
    process.replies.erase(found);
    if (abandoned) return process.host->answer_abandoned(reply.result, *abandoned);
    if (reply.result.ok() && is<Cyclic>(refill.request.counter)) {
      process.places.add(reply.result.value(), reply.next);
    }
    process.host->answer(reply.result);
  }

  const CounterStore& counter_of(const Sequence::BegunRefill& refill) {
    return store_.counters()->of(prefix_of(refill.request.counter));
  }

  void move_release(Process& process, size_t which) {
    std::optional<Result<bool>>& reply = process.release_replies[which];
    if (!reply) {
      const ScriptedHost::Release& release = process.host->releases[which];
      reply = store_.release(release.counter, release.unused);
      return;
    }
    const Result<bool> result = *reply;
    process.release_replies.erase(process.release_replies.begin() + static_cast<std::ptrdiff_t>(which));
    process.host->answer_release(result, which);
  }

  void collect(Process& process) {
    const std::vector<Call*>& ended = process.host->ended;
    for (; process.seen < ended.size(); ++process.seen) {
      const Call& call = *ended[process.seen];
      if (call.error) {
        EXPECT_NE(call.code(), ErrorCode::kSequenceMissing);
        EXPECT_NE(call.code(), ErrorCode::kSequenceRewound) << "a false alarm";
      }
      for (const Range& piece : call.pieces) {
        for (int64_t id = piece.first; id < piece.end; ++id) {
          const int64_t place = process.places.take(id);
          EXPECT_TRUE(given_.insert(call.prefix * kLongestLine + place).second) << id << " came out twice";
          EXPECT_LE(id, process.host->sequence.settings().max_number);
          EXPECT_GE(id, 1);
          EXPECT_LT(place, kLongestLine);
        }
      }
    }
  }

  static constexpr int64_t kLongestLine = int64_t{1} << 36;

  std::mt19937 random_;
  FaultyStore store_;
  std::array<Process, 3> processes_;
  std::unordered_set<int64_t> given_;
  int64_t reserved_ = 0;  // by sequences that are gone, less what they gave back
};

}  // namespace nextid
