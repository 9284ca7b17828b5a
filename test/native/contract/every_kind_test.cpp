// What core/store.h promises of counters of every kind.

#include <barrier>
#include <thread>

#include "native/contract/fixture.h"

namespace nextid::contract {
namespace {

class Contract : public EachKind {};

TEST_P(Contract, ACounterIsMadeAndGoesOnWhereItWas) {
  EXPECT_EQ(reserve(ask(key(), 10)), (Range{first(), first() + 10}));
  EXPECT_EQ(reserve(ask(key(), 5)), (Range{first() + 10, first() + 15}));
  EXPECT_EQ(under_test_->open()->reserve(ask(key(), 1, first() + 15)).value(),
            (Range{first() + 15, first() + 16}));
}

TEST_P(Contract, ReservingNothingMakesTheCounterAndReadsIt) {
  EXPECT_EQ(reserve(ask(key(), 0)), (Range{first(), first()}));
  EXPECT_TRUE(info_of(key()));
  reserve(ask(key(), 10));
  EXPECT_EQ(reserve(ask(key(), 0)), (Range{first() + 10, first() + 10}));
  EXPECT_EQ(next_of(key()), first() + 10);
}

TEST_P(Contract, AStartIsForPlainCountersOnly) {
  ReserveRequest request = ask(key(), 5);
  request.start = 500;
  EXPECT_EQ(reserve(request).first, is<Plain>(key()) ? 500 : first());
}

TEST_P(Contract, ATailGoesBackIfNobodyReservedAfterIt) {
  const Range range = reserve(ask(key(), 10));
  const Range tail{range.first + 4, range.end};
  EXPECT_EQ(store_->release(key(), tail).value(), gives_back(key()));
  EXPECT_EQ(store_->release(key(), tail).value(), false);
  EXPECT_EQ(reserve(ask(key(), 1)).first, gives_back(key()) ? tail.first : tail.end);
}

TEST_P(Contract, AdvancesUpNeverDown) {
  const int64_t to = first() + 500;
  EXPECT_EQ(advance({.counter = key(), .next = to, .make = false}), std::nullopt);
  EXPECT_TRUE(list().empty());
  EXPECT_EQ(advance({.counter = key(), .next = to}), to);
  for (const bool restore : {false, true}) {
    EXPECT_EQ(advance({.counter = key(), .next = first(), .make = false, .restore = restore}), to);
  }
  EXPECT_EQ(reserve(ask(key(), 3)), (Range{to, to + 3}));
  EXPECT_EQ(advance({.counter = key(), .next = first()}), to + 3);
}

TEST_P(Contract, OneThatIsGoneIsNotMadeAgain) {
  expect_refused(ask(key(), 1, first() + 10), ErrorCode::kSequenceMissing);
  reserve(ask(key(), 10));
  under_test_->remove(key());
  for (const int64_t count : {0, 1})
    expect_refused(ask(key(), count, first() + 10), ErrorCode::kSequenceMissing);
  EXPECT_TRUE(list().empty());
  advance({.counter = key(), .next = first() + 10});
  EXPECT_EQ(reserve(ask(key(), 1, first() + 10)).first, first() + 10);
}

TEST_P(Contract, OneBelowTheFloorIsRefusedUnlessItWrapsAround) {
  put(key(), first() + 9);
  if (wraps_around(key())) {
    EXPECT_EQ(reserve(ask(key(), 1, first() + 500)).first, first() + 9);
    return;
  }
  for (const int64_t count : {0, 1})
    expect_refused(ask(key(), count, first() + 10), ErrorCode::kSequenceRewound);
  EXPECT_EQ(next_of(key()), first() + 9);
  advance({.counter = key(), .next = first() + 10});
  EXPECT_EQ(reserve(ask(key(), 1, first() + 10)).first, first() + 10);
}

TEST_P(Contract, ItMustStandBelowTheLimitUnlessItWrapsAround) {
  ReserveRequest request = ask(key(), 10);
  request.limit = first() + 1;
  EXPECT_EQ(reserve(request), (Range{first(), first() + 10}));
  if (wraps_around(key())) {
    EXPECT_EQ(reserve(request).first, first() + 10);
    return;
  }
  expect_refused(request, ErrorCode::kIdOverflow);
  EXPECT_EQ(next_of(key()), first() + 10);
}

TEST_P(Contract, NumbersEndAt64Bits) {
  if (wraps_around(key())) return;
  put(key(), kLargestNumber - 5);
  expect_refused(ask(key(), 6), ErrorCode::kIdOverflow);
  EXPECT_EQ(next_of(key()), kLargestNumber - 5);
  EXPECT_EQ(reserve(ask(key(), 5)), (Range{kLargestNumber - 5, kLargestNumber}));
  EXPECT_EQ(next_of(key()), kLargestNumber);
  for (const int64_t count : {0, 1}) expect_refused(ask(key(), count), ErrorCode::kIdOverflow);
  EXPECT_EQ(advance({.counter = key(), .next = kLargestNumber}), kLargestNumber);
}

TEST_P(Contract, CountersOfOtherKindsAndNamesAreIndependent) {
  reserve(ask(key(), 3));
  std::vector<CounterKey> others;
  for (const std::string& name : {key().name, std::string("it's"), std::string("Zähler")}) {
    for (const CounterKind& kind :
         std::vector<CounterKind>{Plain{}, Dated{140626}, Dated{1406}, Cyclic{77}, Timestamped{1}}) {
      if (name.empty() && !std::holds_alternative<Dated>(kind)) continue;
      if (name != key().name || kind.index() != key().kind.index()) others.push_back({name, kind});
    }
  }
  if (key().name.empty()) others.clear();  // MongoDB keeps those in a collection of their own
  for (const CounterKey& other : others) EXPECT_EQ(reserve(ask(other, 7)).first, first_of(other));
  for (const CounterKey& other : others) EXPECT_EQ(next_of(other), first_of(other) + 7) << describe(other);
  EXPECT_EQ(next_of(key()), first() + 3);
  EXPECT_EQ(list().size(), others.size() + 1);
}

TEST_P(Contract, ManyAtOnceAreGivenEachNumberOnce) {
  constexpr int kThreads = 6, kTimes = 8;
  std::vector<std::vector<Range>> got(kThreads);
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const auto store = under_test_->open();
      together.arrive_and_wait();
      for (int n = 0; n < kTimes; ++n) {
        for (int attempt = 0; attempt < 30; ++attempt) {  // FerretDB: "deadlock detected"
          const Result<Range> range = store->reserve(ask(key(), 1 + (i + n) % 3));
          if (range.ok()) {
            got[i].push_back(range.value());
            break;
          }
          ASSERT_EQ(range.error().error_class, ErrorClass::kPassing) << range.error().message;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Range> all;
  for (const auto& ranges : got) all.insert(all.end(), ranges.begin(), ranges.end());
  std::sort(all.begin(), all.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  ASSERT_EQ(all.size(), static_cast<size_t>(kThreads * kTimes));
  for (size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i].first, all[i - 1].end) << "twice, or missing";
  EXPECT_EQ(all.front().first, first());
}

// A value in the place of one of the numbers that a counter stores.
TEST_P(Contract, DamageIsNamedLeftAloneAndRepairedOnDemand) {
  const std::vector<Raw> damage{
      std::monostate(), std::string("42"), std::string(), int64_t{-7}, 1.5, -3.0, -1e300, 1e300};
  const size_t values = is<Cyclic>(key()) || is<Timestamped>(key()) ? 2 : 1;
  for (size_t place = 0; place < values; ++place) {
    for (const Raw& value : damage) {
      const auto write = [&] {
        std::vector<Raw> row{int64_t{6}};
        if (const auto* kind = std::get_if<Cyclic>(&key().kind)) row.emplace_back(kind->cycle);
        if (const auto* kind = std::get_if<Timestamped>(&key().kind)) row.emplace_back(int64_t{kind->digits});
        row[place] = value;
        under_test_->write(key(), row);
      };
      write();
      const Error error = error_of(store_->reserve(ask(key(), 1)));
      const bool is_inexact = value == Raw(1e300) && place == 0 && grows();
      EXPECT_EQ(error.code, is_inexact ? ErrorCode::kIdOverflow : ErrorCode::kCounterInvalid)
          << error.message;
      EXPECT_NE(error.message.find(advance_remedy(key(), std::nullopt, true)), std::string::npos)
          << error.message;
      EXPECT_FALSE(store_->release(key(), {5, 6}).value());
      const auto info = info_of(key());
      ASSERT_TRUE(info);
      EXPECT_EQ(info->next, std::nullopt);
      EXPECT_NE(error.message.find(info->problem), std::string::npos) << info->problem;
      EXPECT_EQ(error_of(store_->advance({.counter = key(), .next = 9})).code, error.code);
      EXPECT_EQ(error_of(store_->reserve(ask(key(), 1, first()))).message, error.message) << "was changed";
      const int64_t next = advance({.counter = key(), .next = 9, .restore = true}).value_or(-1);
      EXPECT_EQ(next, 9);
      EXPECT_EQ(next_of(key()), 9);
    }
  }
}

// A number that is damaged, but larger.
TEST_P(Contract, ALargerNumberIsNotReplaced) {
  for (const double larger : {900.5, 1e17}) {
    if (wraps_around(key()) && larger > 1000) continue;
    std::vector<Raw> row{larger};
    if (const auto* kind = std::get_if<Cyclic>(&key().kind)) row.emplace_back(kind->cycle);
    if (const auto* kind = std::get_if<Timestamped>(&key().kind)) row.emplace_back(int64_t{kind->digits});
    under_test_->write(key(), row);
    const Error before = error_of(store_->reserve(ask(key(), 1)));
    EXPECT_FALSE(store_->advance({.counter = key(), .next = 800, .restore = true}).ok());
    EXPECT_EQ(error_of(store_->reserve(ask(key(), 1))).message, before.message);
  }
}

TEST_P(Contract, DoublesThatAreWholeAreRead) {
  std::vector<Raw> row{6.0};
  if (const auto* kind = std::get_if<Cyclic>(&key().kind)) row.emplace_back(static_cast<double>(kind->cycle));
  if (const auto* kind = std::get_if<Timestamped>(&key().kind))
    row.emplace_back(static_cast<double>(kind->digits));
  under_test_->write(key(), row);
  const int64_t next = is<Plain>(key()) ? 6 : 7;
  EXPECT_EQ(next_of(key()), next);
  EXPECT_EQ(advance({.counter = key(), .next = 5}), next);
  EXPECT_EQ(reserve(ask(key(), 2)).first, is<Timestamped>(key()) ? first() : next);
}

INSTANTIATE_TEST_SUITE_P(All, Contract,
                         testing::Combine(testing::ValuesIn(all_stores()),
                                          testing::Values(plain(), dated(), dated(14062513),
                                                          dated(140625, ""), cyclic(), timestamped(0),
                                                          timestamped(2), timestamped(4))),
                         name_with_kind);

}  // namespace
}  // namespace nextid::contract
