// Memory runs out within the SQLite store, at each allocation of ours and of SQLite's in turn.

#include <gtest/gtest.h>

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "native/new_operators.h"
#include "native/scarce_memory.h"
#include "native/sqlite/fixture.h"

namespace nextid::sqlite {
namespace {

using Then = ScarceMemory::Then;

// SQLite's memory fails with ours. It takes its settings only before it is first used: so this is done before
// main() begins.
const bool kSqliteShares = [] {
  static sqlite3_mem_methods usual;
  if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual) != SQLITE_OK) return false;
  sqlite3_mem_methods sharing = usual;
  sharing.xMalloc = [](int size) { return ScarceMemory::fails_now() ? nullptr : usual.xMalloc(size); };
  sharing.xRealloc = [](void* memory, int size) {
    return ScarceMemory::fails_now() ? nullptr : usual.xRealloc(memory, size);
  };
  constexpr int kNone = 0;  // each allocation is to come here
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &sharing) == SQLITE_OK &&
         sqlite3_config(SQLITE_CONFIG_LOOKASIDE, kNone, kNone) == SQLITE_OK;
}();

// What stood in the way of an operation.
struct Outcome {
  std::optional<Error> error{};
  bool threw = false;

  bool done() const { return !error && !threw; }
  bool nothing_changed() const { return error && error->error_class == ErrorClass::kPassing; }
};

// A store with counters of every kind, that have given the numbers up to 10.
struct Shop {
  static constexpr int64_t kGiven = 10;
  std::vector<CounterKey> counters{kOrders, dated(140624), dated(140625), cyclic(1000), timestamped(2)};

  explicit Shop(const std::string& path) : path_(path) {
    const auto store = make_store(path);
    for (const CounterKey& key : counters)
      next_[&key - counters.data()] = reserve(*store, ask(key, kGiven)).end;
  }

  // Where counter number `i` stands after that.
  int64_t next(size_t i) const { return next_[i]; }

  // A copy of the file.
  void copy_to(const std::string& path) const { std::filesystem::copy_file(path_, path); }

 private:
  const std::string path_;
  int64_t next_[5] = {};
};

class SqliteOutOfMemory : public testing::Test {
 protected:
  // Runs `operation` on a copy of the shop while the first, second, … allocation fails, until there are none
  // left; `check` looks at the store afterwards, when memory is back. `opened`: the store has been used
  // before.
  template <typename T>
  void each(bool opened, const std::function<Result<T>(Store&)>& operation,
            const std::function<void(Store&, const Outcome&, std::optional<T>)>& check) {
    ASSERT_TRUE(kSqliteShares);
    for (const Then then : {Then::kThere, Then::kGone}) {
      bool ran_out = true;
      for (int64_t n = 1; ran_out && !HasFailure(); ++n) {
        SCOPED_TRACE("allocation " + std::to_string(n) + (then == Then::kGone ? " and all after it" : ""));
        const TempDir dir(TempDir::fast());
        const std::string path = dir / "ids.db";
        if (shop_) shop_->copy_to(path);
        std::unique_ptr<Store> store = make_store(path);
        if (opened) {
          EXPECT_TRUE(store->list().ok());
        }

        ScarceMemory memory(n, then);
        Outcome outcome;
        std::optional<T> value;
        try {
          memory.within([&] {
            Result<T> result = operation(*store);
            const ScarceMemory::Plenty plenty;
            if (result.ok()) {
              value = result.take();
            } else {
              outcome.error = result.error();
            }
          });
        } catch (const std::bad_alloc&) {
          outcome.threw = true;
        }
        ran_out = memory.ran_out();
        memory.comes_back();
        EXPECT_TRUE(ran_out || outcome.done());
        if (outcome.error) {  // memory is no reason to give up for good
          EXPECT_NE(outcome.error->error_class, ErrorClass::kFinal) << outcome.error->message;
        }
        check(*store, outcome, value);
        // Another store of the same file is not kept waiting, and finds the same.
        const auto other = make_store(path);
        const auto counters = store->list();
        ASSERT_TRUE(counters.ok()) << counters.error().message;
        ASSERT_TRUE(other->list().ok());
        EXPECT_EQ(other->list().value().size(), counters.value().size());
        tried_ += outcome.done() ? 0 : 1;
      }
    }
    EXPECT_GT(tried_, 10) << "hardly anything failed";
  }

  // After a reserve() of `key`, whose counter stood at `before`.
  static void check_reserved(Store& store, const CounterKey& key, int64_t before, int64_t count,
                             const Outcome& outcome, const std::optional<Range>& given) {
    if (given) {
      EXPECT_GE(given->first, before);
      EXPECT_EQ(given->count(), count);
    }
    const int64_t floor = given ? given->end : before;
    const Result<Range> next = store.reserve(ask(key, 3, floor));
    ASSERT_TRUE(next.ok()) << "it does not get over it: " << next.error().message;
    EXPECT_GE(next.value().first, floor) << "given twice";
    if (is<Timestamped>(key)) return;  // time goes on
    if (given || outcome.nothing_changed()) {
      EXPECT_EQ(next.value().first, floor);
    } else {
      EXPECT_TRUE(next.value().first == floor || next.value().first == floor + count);
    }
  }

  void TearDown() override { std::cout << "             " << tried_ << " times out of memory\n"; }

  const TempDir shop_dir_{TempDir::fast()};
  std::optional<Shop> shop_{shop_dir_ / "shop.db"};
  int tried_ = 0;
};

TEST_F(SqliteOutOfMemory, ReservesNoNumberTwice) {
  for (size_t i = 0; i < shop_->counters.size(); ++i) {
    const CounterKey key = shop_->counters[i];
    const int64_t before = shop_->next(i);
    const ReserveRequest request = ask(key, 7, before);
    each<Range>(
        true, [&](Store& store) { return store.reserve(request); },
        [&](Store& store, const Outcome& outcome, const std::optional<Range>& given) {
          check_reserved(store, key, before, 7, outcome, given);
        });
  }
}

TEST_F(SqliteOutOfMemory, OpensAFile) {
  const ReserveRequest request = ask(kOrders, 7, shop_->next(0));
  each<Range>(
      false, [&](Store& store) { return store.reserve(request); },
      [&](Store& store, const Outcome& outcome, const std::optional<Range>& given) {
        check_reserved(store, kOrders, shop_->next(0), 7, outcome, given);
      });
}

TEST_F(SqliteOutOfMemory, MakesAFile) {
  shop_.reset();
  const ReserveRequest request = ask(kOrders, 7);
  each<Range>(
      false, [&](Store& store) { return store.reserve(request); },
      [&](Store& store, const Outcome&, const std::optional<Range>& given) {
        const Result<Range> next = store.reserve(orders(3));
        ASSERT_TRUE(next.ok()) << next.error().message;
        EXPECT_TRUE(next.value().first == 8 || (!given && next.value().first == 1));
      });
}

TEST_F(SqliteOutOfMemory, GivesBackAllOrNothing) {
  for (const size_t i : {0, 1}) {
    const CounterKey key = shop_->counters[i];
    const Range unused{4, shop_->next(i)};
    each<bool>(
        true, [&](Store& store) { return store.release(key, unused); },
        [&](Store& store, const Outcome& outcome, const std::optional<bool>& released) {
          const Range next = reserve(store, ask(key, 1));
          if (released == true) {
            EXPECT_EQ(next.first, unused.first);
          } else if (outcome.nothing_changed()) {
            EXPECT_EQ(next.first, unused.end);
          } else {
            EXPECT_TRUE(next.first == unused.first || next.first == unused.end);
          }
        });
  }
}

TEST_F(SqliteOutOfMemory, AdvancesOrLeavesTheCounter) {
  each<int64_t>(
      true, [](Store& store) { return store.advance("orders", 100); },
      [&](Store& store, const Outcome& outcome, const std::optional<int64_t>& stands_at) {
        const int64_t next = reserve(store, orders(1)).first;
        if (stands_at || outcome.nothing_changed()) {
          EXPECT_EQ(next, stands_at ? 100 : shop_->next(0));
        } else {
          EXPECT_TRUE(next == 100 || next == shop_->next(0));
        }
      });
}

TEST_F(SqliteOutOfMemory, ListsAllOrFails) {
  using Counters = std::vector<CounterInfo>;
  each<Counters>(
      true, [](Store& store) { return store.list(); },
      [&](Store& store, const Outcome&, const std::optional<Counters>& counters) {
        if (!counters) return;
        const Counters right = store.list().value();
        ASSERT_EQ(counters->size(), right.size());
        for (size_t i = 0; i < right.size(); ++i) {
          EXPECT_EQ((*counters)[i].key, right[i].key);
          EXPECT_EQ((*counters)[i].next, right[i].next);
          EXPECT_EQ((*counters)[i].problem, "");
        }
      });
}

TEST_F(SqliteOutOfMemory, ClosesThePeriodsThatItPrunes) {
  each<int64_t>(
      true, [](Store& store) { return store.prune("orders", {140624}); },
      [&](Store& store, const Outcome& outcome, const std::optional<int64_t>& removed) {
        const Result<Range> next = store.reserve(ask(dated(140624), 1));
        if (removed) {
          EXPECT_EQ(removed, 1);
          EXPECT_EQ(error_of(next).code, ErrorCode::kPeriodPruned);
        } else if (outcome.nothing_changed() || next.ok()) {
          ASSERT_TRUE(next.ok()) << next.error().message;
          EXPECT_EQ(next.value().first, shop_->next(1)) << "it began anew";
        } else {
          EXPECT_EQ(next.error().code, ErrorCode::kPeriodPruned);
        }
      });
}

// Which closes the connection: the file must be whole whatever that could not do.
TEST_F(SqliteOutOfMemory, ForgetsNothingWhereItCannotCloseProperly) {
  for (const Then then : {Then::kThere, Then::kGone}) {
    bool ran_out = true;
    for (int64_t n = 1; ran_out; ++n) {
      const TempDir dir(TempDir::fast());
      const std::string path = dir / "ids.db";
      std::unique_ptr<Store> store = make_store(path);
      const Range given = reserve(*store, orders(5));
      ScarceMemory memory(n, then);
      memory.within([&] { store.reset(); });
      ran_out = memory.ran_out();
      memory.comes_back();
      tried_ += ran_out ? 1 : 0;
      store = make_store(path);
      EXPECT_EQ(reserve(*store, orders(5, given.end)).first, given.end);
    }
  }
}

}  // namespace
}  // namespace nextid::sqlite
