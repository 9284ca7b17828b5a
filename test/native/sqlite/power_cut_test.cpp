#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "native/sqlite/crash_disk.h"
#include "native/sqlite/fixture.h"
#include "native/sqlite/ledger.h"
#include "native/sqlite/version_1.h"

// A power cut loses what was not synced. Stores work on a disk that says what a cut would leave at any
// moment; the files it leaves are opened, with nothing in between, by a store that must give nothing a second
// time.

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;
using Random = CrashDisk::Random;

constexpr const char* kFile = "ids.db";
constexpr int64_t kMost = 20'000;  // numbers at a time
constexpr int64_t kFirstPeriod = 140'101;
constexpr int kPeriods = 4;

const CounterKey kSerial = cyclic(1'000'000);
const CounterKey kTrace = timestamped(2);

void write_files(const Files& files, const TempDir& folder) {
  for (const auto& [name, content] : files) write_file(folder / name, content);
}

Files read_files(const TempDir& folder) {
  Files files;
  for (const auto& file : fs::directory_iterator(folder.path())) {
    const std::string name = file.path().filename().string();
    if (!name.ends_with("-shm")) files[name] = read_file(file.path().string());
  }
  return files;
}

// What a power cut left, and what had been given to somebody before.
struct Cut {
  Files files;
  Ledger ledger;
};

std::atomic<int64_t> ids_given{0};

ReserveRequest ask_some(const CounterKey& key, Random& random, const Ledger& ledger) {
  ReserveRequest request = ask(key, 1 + static_cast<int64_t>(random() % kMost));
  request.clock = stopped_clock;
  if (random() % 2 && ledger.has(key)) request.floor = ledger.end(key);
  return request;
}

// The only error that power cuts do not keep from coming: the period was pruned.
void expect_pruned(const Error& error, int64_t prefix, const Ledger& ledger) {
  EXPECT_EQ(to_string(error.code), to_string(ErrorCode::kPeriodPruned)) << error.message;
  EXPECT_TRUE(ledger.may_be_closed(prefix)) << error.message;
}

// Uses stores in one file, as one thread of a service.
class User {
 public:
  User(const std::string& path, std::vector<std::shared_ptr<Store>> stores, Ledger& ledger, uint64_t seed)
      : path_(path), stores_(std::move(stores)), ledger_(ledger), random_(seed) {}

  void work(int operations) {
    for (int i = 0; i < operations; ++i) do_something();
  }

 private:
  void do_something() {
    const auto luck = random_() % 20;
    if (luck < 12) {
      take(any_counter());
    } else if (luck < 15) {
      give_back();
    } else if (luck < 16) {
      advance();
    } else if (luck < 17) {
      prune();
    } else if (luck < 18) {
      any_store() = make_store(path_);
    } else {
      read_or_stop_reading();
    }
  }

  CounterKey any_counter() {
    switch (random_() % 4) {
      case 0:
        return kSerial;
      case 1:
        return kTrace;
      case 2:
        return dated(kFirstPeriod + static_cast<int64_t>(random_() % kPeriods));
      default:
        return kOrders;
    }
  }

  std::optional<Range> take(const CounterKey& key) {
    ReserveRequest request = ask_some(key, random_, ledger_);
    request.floor.reset();  // somebody else may be just giving back what is below
    const Result<Range> range = store().reserve(request);
    if (!range.ok()) {
      expect_pruned(range.error(), prefix_of(key), ledger_);
      return std::nullopt;
    }
    ledger_.add(key, range.value());
    ids_given += range.value().count();
    return range.value();
  }

  void give_back() {
    const CounterKey key = random_() % 2 ? kOrders : dated(kFirstPeriod + kPeriods - 1);
    const std::optional<Range> range = take(key);
    if (!range) return;
    ledger_.remove(key, *range);
    const Result<bool> taken = store().release(key, *range);
    EXPECT_TRUE(taken.ok()) << taken.error().message;
  }

  void advance() {
    const int64_t next = ledger_.end(kOrders) + 1 + static_cast<int64_t>(random_() % 1'000'000);
    // Where it stands higher already, somebody may be just giving that back.
    if (store().advance(kOrders.name, next).value() == next) ledger_.add(kOrders, {next, next});
  }

  void prune() {
    const int64_t last = kFirstPeriod + static_cast<int64_t>(random_() % (kPeriods - 1));
    ledger_.closing(last);
    std::vector<int64_t> prefixes;
    for (int64_t prefix = kFirstPeriod; prefix <= last; ++prefix) prefixes.push_back(prefix);
    EXPECT_TRUE(store().prune("orders", prefixes).ok());
    ledger_.closed(last);
  }

  // While somebody reads, the commits that came after cannot be copied from the -wal file into the database.
  void read_or_stop_reading() {
    if (reader_) {
      reader_.reset();
    } else if (ledger_.has(kOrders)) {
      reader_.emplace(path_);
      reader_->run("PRAGMA busy_timeout = 5000; BEGIN; SELECT count(*) FROM counters");
    }
  }

  std::shared_ptr<Store>& any_store() { return stores_[random_() % stores_.size()]; }
  Store& store() { return *any_store(); }

  const std::string path_;
  std::vector<std::shared_ptr<Store>> stores_;
  Ledger& ledger_;
  Random random_;
  std::optional<OtherProgram> reader_;
};

struct Load {
  int stores = 1;
  int threads = 1;
  int operations = 20;      // of each thread
  unsigned cut_one_in = 1;  // of so many changes of the disk, in the mean, one is cut short
};

// Starts a machine on what the last power cut left, works, and returns what cuts in the meantime would leave.
std::vector<Cut> cuts_during_work(const Cut& last, const Load& load, Random& random) {
  const TempDir folder(TempDir::fast());
  write_files(last.files, folder);
  Ledger ledger(last.ledger);
  std::vector<Cut> cuts;
  CrashDisk disk(folder.path().string());
  disk.at_each_change = [&] {
    if (random() % load.cut_one_in == 0) cuts.push_back({disk.cut(random), ledger});
  };
  {
    std::vector<std::shared_ptr<Store>> stores;
    for (int i = 0; i < load.stores; ++i) stores.push_back(make_store(folder / kFile));
    std::vector<uint64_t> seeds;
    for (int i = 0; i < load.threads; ++i) seeds.push_back(random());
    std::vector<std::thread> threads;
    for (const uint64_t seed : seeds) {
      threads.emplace_back([&, seed] { User(folder / kFile, stores, ledger, seed).work(load.operations); });
    }
    for (std::thread& thread : threads) thread.join();
  }
  cuts.push_back({disk.cut(random), ledger});
  EXPECT_TRUE(disk.now() == read_files(folder)) << "the simulated disk is not what is on the real one";
  return cuts;
}

// Whatever the counter gives now, it was not given before.
void expect_new_numbers(Store& store, const CounterKey& key, const Ledger& ledger, Random& random) {
  const ReserveRequest request = ask_some(key, random, ledger);
  const Result<Range> range = store.reserve(request);
  if (!range.ok()) return expect_pruned(range.error(), prefix_of(key), ledger);
  EXPECT_GE(ledger.on_line(key, range.value().first), ledger.end(key)) << describe(key) << " is set back";
  if (is<Dated>(key)) {
    EXPECT_FALSE(ledger.must_be_closed(prefix_of(key))) << describe(key) << " is made anew";
  }
  ids_given += range.value().count();
}

// Opens what a cut left.
void expect_nothing_lost(const Cut& cut, Random& random) {
  const TempDir folder(TempDir::fast());
  write_files(cut.files, folder);
  const std::string path = folder / kFile;
  const char* const check = "PRAGMA integrity_check";
  if (random() % 4 == 0) {
    EXPECT_EQ(run_sql(path, check), "ok");
  }
  {
    const auto store = make_store(path);
    for (const CounterKey& key : {kOrders, kSerial, kTrace})
      expect_new_numbers(*store, key, cut.ledger, random);
    for (int i = 0; i < kPeriods; ++i)
      expect_new_numbers(*store, dated(kFirstPeriod + i), cut.ledger, random);
    const auto counters = store->list();
    ASSERT_TRUE(counters.ok()) << counters.error().message;
    for (const CounterInfo& counter : counters.value()) EXPECT_EQ(counter.problem, "");
  }
  EXPECT_EQ(run_sql(path, check), "ok");
}

// A file that was made before there were other kinds than plain counters, at rest.
Cut version_1() {
  const TempDir folder(TempDir::fast());
  run_sql(folder / kFile, kVersion1);
  Cut cut{read_files(folder), {}};
  cut.ledger.add(kOrders, {1, 1001});
  return cut;
}

class PowerCutTest : public testing::Test {
 protected:
  PowerCutTest() { ids_given = 0; }

  // Each machine starts on what a cut left of the one before, so that recoveries are cut short too.
  void run_machines(Cut cut, const Load& load, int machines) {
    for (int i = 0; i < machines && !HasFailure(); ++i) {
      const std::vector<Cut> left = cuts_during_work(cut, load, random_);
      for (const Cut& each : left) expect_nothing_lost(each, random_);
      cuts_ += left.size();
      cut = left[random_() % left.size()];
    }
  }

  void TearDown() override {
    if (HasFailure()) return;
    EXPECT_GE(cuts_, 500u);
    EXPECT_GE(ids_given, 10'000'000);
    std::cout << cuts_ << " power cuts, " << ids_given << " ids\n";
  }

  Random random_{20'140'625};
  size_t cuts_ = 0;
};

TEST_F(PowerCutTest, AtAnyMomentOfTheFirstUseNothingIsLost) {
  for (int i = 0; i < 10; ++i) run_machines({}, {.operations = 8}, 1);
}

TEST_F(PowerCutTest, AtAnyMomentOfAnUpgradeNothingIsLost) {
  for (int i = 0; i < 10; ++i) run_machines(version_1(), {.operations = 8}, 1);
}

TEST_F(PowerCutTest, CutAfterCutNothingIsLost) {
  for (int i = 0; i < 10; ++i) {
    run_machines(i % 2 ? version_1() : Cut{}, {.stores = 1 + i % 3, .operations = 40, .cut_one_in = 20}, 10);
  }
}

TEST_F(PowerCutTest, WhileManyThreadsUseTheFileNothingIsLost) {
  for (int i = 0; i < 10; ++i) {
    run_machines({}, {.stores = 1 + i % 3, .threads = 3, .operations = 15, .cut_one_in = 20}, 5);
  }
}

}  // namespace
}  // namespace nextid::sqlite
