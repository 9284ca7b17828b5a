// Each kind of sequence, in three processes, while everything goes wrong that can: see simulation.h.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "native/core/simulation.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;

// Somebody moves the counter up now and then.
class PlainSimulation final : public Simulation {
 public:
  PlainSimulation(uint32_t seed, int64_t max_number) : Simulation(seed), max_number_(max_number) {}

 private:
  Sequence::Options options(const Sequence* before) override {
    Sequence::Options options;
    options.counter.name = "orders";
    options.step = any_step();
    options.max_number = max_number_;
    if (before != nullptr) options.given_below = before->stats().given_below;
    return options;
  }

  uint32_t own_steps() const override { return 10; }

  void own_step(ScriptedHost& host) override {
    const int64_t before = host.store->moved();
    const int64_t next =
        host.store->advance(std::max<int64_t>(1, host.store->next.value_or(1) + below(60) - 30));
    store().hide(host.store->moved() - before);
    if (below(2) == 0) host.sequence.saw_counter(next);
    if (below(2) == 0) host.skip_to(next - below(20));
  }

  const int64_t max_number_;
};

struct Scenario {
  uint32_t seed;
  int64_t max_number;
};

class SequenceSimulation : public testing::TestWithParam<Scenario> {};

TEST_P(SequenceSimulation, NoNumberTwice) {
  PlainSimulation simulation(GetParam().seed, GetParam().max_number);
  simulation.run(20'000);
  EXPECT_GT(simulation.given(), 10'000u);
}

constexpr int64_t kPlenty = (int64_t{1} << 53) - 1;

INSTANTIATE_TEST_SUITE_P(Seeds, SequenceSimulation,
                         testing::Values(Scenario{1, kPlenty}, Scenario{2, kPlenty}, Scenario{3, kPlenty},
                                         Scenario{4, kPlenty}, Scenario{5, kPlenty}, Scenario{6, kPlenty},
                                         Scenario{7, 30'000}, Scenario{8, 30'000}),
                         [](const auto& test) { return "Seed" + std::to_string(test.param.seed); });

// Each process has a clock of its own, that goes over midnight and is set back at any time.
class DatedSimulation final : public Simulation {
 public:
  explicit DatedSimulation(uint32_t seed) : Simulation(seed) {}

 private:
  Sequence::Options options(const Sequence* before) override {
    Sequence::Options options = dated_step(1);
    options.counter.kind = Dated{newest_ - below(3)};
    options.step = any_step();
    if (before != nullptr) options.given_in_period = before->given_in_period();
    return options;
  }

  uint32_t own_steps() const override { return 100; }

  void own_step(ScriptedHost& host) override {
    const int64_t today = prefix_of(host.sequence.counter());
    const uint32_t dice = below(100);
    if (dice < 45) {
      host.prepare(today + 1);
    } else if (dice < 50) {
      host.prepare(today + below(4) - 1);
    } else if (dice < 80) {
      go_to(host, today + 1);
    } else if (dice < 95) {
      go_to(host, today - below(3));
    } else {
      for (uint32_t i = 1 + below(8); i > 0; --i) go_to(host, newest_ - below(3));
    }
  }

  void go_to(ScriptedHost& host, int64_t prefix) {
    newest_ = std::max(newest_, prefix);
    host.switch_to(prefix);
  }

  int64_t newest_ = kToday;
};

class DatedSequenceSimulation : public testing::TestWithParam<uint32_t> {};

TEST_P(DatedSequenceSimulation, NoNumberOfAPeriodTwice) {
  DatedSimulation simulation(GetParam());
  simulation.run(20'000);
  EXPECT_GT(simulation.given(), 10'000u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, DatedSequenceSimulation, testing::Range(uint32_t{1}, uint32_t{13}));

// What is unique is the place on the line that goes round and round. Somebody moves the counter up now and
// then.
class CyclicSimulation final : public Simulation {
 public:
  CyclicSimulation(int64_t cycle, bool exact)
      : Simulation(static_cast<uint32_t>(cycle)), cycle_(cycle), exact_(exact) {}

 private:
  Sequence::Options options(const Sequence* before) override {
    Sequence::Options options;
    options.counter = {.name = "serial", .kind = Cyclic{cycle_}};
    options.step = any_step();
    options.exact = exact_;
    if (!exact_) options.max_age = milliseconds(1 + below(5000));
    if (before != nullptr) options.given_below = before->stats().given_below;
    return options;
  }

  uint32_t own_steps() const override { return 10; }

  void own_step(ScriptedHost& host) override {
    if (below(2) == 0) return host.drop_aged();
    const int64_t before = host.store->moved();
    const int64_t next = host.store->advance(host.store->next.value_or(1) + below(cycle_));
    store().hide(host.store->moved() - before);
    host.skip_to((next - 1) % cycle_ + 1);
  }

  const int64_t cycle_;
  const bool exact_;
};

class CyclicSequenceSimulation : public testing::TestWithParam<int64_t> {};

TEST_P(CyclicSequenceSimulation, NoPlaceOfTheLineTwice) {
  for (const bool exact : {true, false}) {
    CyclicSimulation simulation(GetParam(), exact);
    simulation.run(20'000);
    EXPECT_GT(simulation.given(), 10'000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Cycles, CyclicSequenceSimulation, testing::Values(1, 10, 97, 1000, 5000));

// The store's clock goes on while the counter does, and numbers that are kept grow old.
class TimeStampedSimulation final : public Simulation {
 public:
  TimeStampedSimulation(uint32_t seed, bool exact) : Simulation(seed), exact_(exact) {}

 private:
  Sequence::Options options(const Sequence* before) override {
    Sequence::Options options;
    options.counter = {.name = "trace", .kind = Timestamped{2}};
    options.step = any_step();
    options.max_number = INT64_MAX - 1;
    options.exact = exact_;
    if (!exact_) options.max_age = milliseconds(1 + below(500));
    if (before != nullptr) options.given_below = before->stats().given_below;
    return options;
  }

  uint32_t own_steps() const override { return 200; }

  void own_step(ScriptedHost& host) override {
    host.store->now = host.store->next.value_or(1) + below(500) - 250;
    if (below(2) == 0) host.drop_aged();
  }

  const bool exact_;
};

class TimeStampedSequenceSimulation : public testing::TestWithParam<uint32_t> {};

TEST_P(TimeStampedSequenceSimulation, NoSlotTwice) {
  for (const bool exact : {true, false}) {
    TimeStampedSimulation simulation(GetParam(), exact);
    simulation.run(20'000);
    EXPECT_GT(simulation.given(), 10'000u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TimeStampedSequenceSimulation, testing::Range(uint32_t{1}, uint32_t{5}));

}  // namespace
}  // namespace nextid
