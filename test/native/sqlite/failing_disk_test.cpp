#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "native/sqlite/failing_disk.h"
#include "native/sqlite/fixture.h"

// The disk fails at one call of a fixed course of events, or from there on until it is mended: at the first
// call, at the second, and so on, until the course comes to its end.

namespace nextid::sqlite {
namespace {

const CounterKey kCampaign = dated(140'625);
const CounterKey kSerial = cyclic(1'000'000);
const CounterKey kTrace = timestamped(2);

// Two stores in one file, and where each counter may stand: after an error that is doubtful there are two
// places.
class Course {
 public:
  explicit Course(const std::string& path) : path_(path) {}

  void run() {
    reserve(*first_, kOrders, 10);
    reserve(*second_, kOrders, 10);
    for (const CounterKey& key : {kCampaign, kSerial, kTrace}) reserve(*first_, key, 1000);
    give_back(*second_, kOrders, reserve(*second_, kOrders, 10));
    give_back(*first_, kCampaign, reserve(*first_, kCampaign, 10));
    advance(*second_, 1'000'000);
    first_ = make_store(path_);
    reserve(*first_, kOrders, 10);
    prune(*first_);
    first_.reset();
    second_ = make_store(path_);
    reserve(*second_, kOrders, 10);
    first_ = make_store(path_);
  }

  // All works, in stores that met errors and in one that comes new.
  void expect_all_well() {
    failures_ = 0;
    const auto fresh = make_store(path_);
    for (Store* store : {first_.get(), second_.get(), fresh.get()}) {
      for (const CounterKey& key : {kOrders, kSerial, kTrace}) reserve(*store, key, 10);
      const Result<Range> range = store->reserve(ask(kCampaign, 10));
      if (range.ok()) {
        EXPECT_FALSE(pruned_) << "a period that was pruned begins anew";
        stands_[id(kCampaign)] = {range.value().end};
      } else {
        EXPECT_EQ(range.error().code, ErrorCode::kPeriodPruned) << range.error().message;
      }
    }
    EXPECT_EQ(failures_, 0);
    EXPECT_EQ(run_sql(path_, "PRAGMA integrity_check"), "ok");
  }

  int failures() const { return failures_; }

 private:
  static std::string id(const CounterKey& key) { return to_string(key.kind) + describe(key); }

  Range reserve(Store& store, const CounterKey& key, int64_t count) {
    ReserveRequest request = ask(key, count);
    request.clock = stopped_clock;
    const Result<Range> range = store.reserve(request);
    std::set<int64_t>& stands = stands_.try_emplace(id(key), std::set<int64_t>{start(key)}).first->second;
    if (range.ok()) {
      EXPECT_TRUE(stands.count(range.value().first)) << describe(key) << " gives " << range.value().first;
      stands = {range.value().end};
      return range.value();
    }
    if (is_doubtful(range.error())) {
      for (const int64_t next : std::set(stands)) stands.insert(next + count);
    }
    return {};
  }

  void give_back(Store& store, const CounterKey& key, const Range& range) {
    if (range.empty()) return;
    const Result<bool> taken = store.release(key, range);
    std::set<int64_t>& stands = stands_[id(key)];
    if (taken.ok()) {
      EXPECT_TRUE(taken.value());
      stands = {range.first};
    } else if (is_doubtful(taken.error())) {
      stands.insert(range.first);
    }
  }

  void advance(Store& store, int64_t next) {
    const Result<int64_t> moved = store.advance(kOrders.name, next);
    std::set<int64_t>& stands = stands_[id(kOrders)];
    if (moved.ok()) {
      EXPECT_EQ(moved.value(), next);
      stands = {next};
    } else if (is_doubtful(moved.error())) {
      stands.insert(next);
    }
  }

  void prune(Store& store) {
    const Result<int64_t> removed = store.prune("orders", {prefix_of(kCampaign)});
    pruned_ = removed.ok();
    if (!removed.ok()) is_doubtful(removed.error());
  }

  static int64_t start(const CounterKey& key) {
    return is<Timestamped>(key)
               ? stopped_clock() * slots_per_microsecond(std::get<Timestamped>(key.kind).digits)
               : 1;
  }

  bool is_doubtful(const Error& error) {
    ++failures_;
    EXPECT_EQ(to_string(error.code), to_string(ErrorCode::kStoreUnavailable)) << error.message;
    EXPECT_NE(error.error_class, ErrorClass::kFinal) << error.message;
    EXPECT_TRUE(error.driver) << error.message;
    return error.error_class == ErrorClass::kDoubtful;
  }

  const std::string path_;
  std::unique_ptr<Store> first_ = make_store(path_);
  std::unique_ptr<Store> second_ = make_store(path_);
  std::map<std::string, std::set<int64_t>> stands_;
  bool pruned_ = false;
  int failures_ = 0;
};

class FailingDiskTest : public testing::TestWithParam<FailingDisk::Fault> {
 protected:
  // Returns after how many calls the course came to its end.
  int fail_at_each_call(bool once) {
    for (int nth = 1;; ++nth) {
      SCOPED_TRACE("the disk fails at call " + std::to_string(nth));
      const TempDir folder(TempDir::fast());
      FailingDisk disk;
      Course course(folder / "ids.db");
      disk.fail(GetParam(), nth, once);
      course.run();
      const bool failed = disk.has_failed();
      disk.mend();
      EXPECT_LE(course.failures(), once || !failed ? 1 : 100);
      course.expect_all_well();
      if (!failed || HasFailure()) return nth;
    }
  }
};

// No error sticks: the next call finds a disk that works.
TEST_P(FailingDiskTest, OneCallFails) { EXPECT_GT(fail_at_each_call(true), 50); }

TEST_P(FailingDiskTest, AllCallsFailUntilItIsMended) { EXPECT_GT(fail_at_each_call(false), 50); }

INSTANTIATE_TEST_SUITE_P(, FailingDiskTest, testing::Values(FailingDisk::kFull, FailingDisk::kBroken),
                         [](const auto& test) {
                           return test.param == FailingDisk::kFull ? "Full" : "Broken";
                         });

}  // namespace
}  // namespace nextid::sqlite
