#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "native/mongo/database.h"

namespace nextid::mongo {

inline std::string quoted(const std::string& text) { return '"' + text + '"'; }

inline std::string int64(int64_t value) { return R"({"$numberLong":")" + std::to_string(value) + R"("})"; }
inline std::string int32(int64_t value) { return R"({"$numberInt":")" + std::to_string(value) + R"("})"; }
inline std::string real(const std::string& value) { return R"({"$numberDouble":")" + value + R"("})"; }

template <typename T>
void expect_refused(const Result<T>& result, ErrorCode code, const std::vector<std::string>& in_message) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, code) << to_string(result.error().code) << ": " << result.error().message;
  EXPECT_EQ(result.error().error_class, ErrorClass::kFinal);
  EXPECT_EQ(result.error().lost, 0);
  EXPECT_EQ(result.error().unconfirmed,
            code == ErrorCode::kSequenceMissing || code == ErrorCode::kSequenceRewound);
  for (const std::string& part : in_message) {
    EXPECT_NE(result.error().message.find(part), std::string::npos) << part << "\nis not in\n"
                                                                    << result.error().message;
  }
}

template <typename T>
void expect_value(const Result<T>& result, const T& expected) {
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value(), expected);
}

inline void expect_stands_at(const Result<std::optional<int64_t>>& result, std::optional<int64_t> expected) {
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result.value(), expected);
}

// Tries again after an error that passes, as a Sequence does: many at once at one document of a collection
// with a unique index get "deadlock detected" from FerretDB now and then.
inline Result<Range> reserve_in_the_end(Store& store, const ReserveRequest& request) {
  for (int attempt = 0;; ++attempt) {
    Result<Range> range = store.reserve(request);
    if (range.ok() || range.error().error_class != ErrorClass::kPassing || attempt == 30) return range;
  }
}

// The range, or an empty one and a failed test.
inline Range reserve(Store& store, const ReserveRequest& request) {
  const Result<Range> range = store.reserve(request);
  if (range.ok()) return range.value();
  ADD_FAILURE() << range.error().message;
  return {};
}

// Ranges that lie side by side, with nothing between them or twice.
inline void expect_side_by_side(std::vector<Range> ranges, int64_t first, int64_t end) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.first < b.first; });
  int64_t next = first;
  for (const Range& range : ranges) {
    ASSERT_EQ(range.first, next) << "numbers came twice, or are missing";
    next = range.end;
  }
  EXPECT_EQ(next, end);
}

// Reserves as `request` says, but by one to seven numbers at a time, in a thread for each of `stores`; all
// begin together. `beside` runs in one more thread.
inline std::vector<Range> reserve_in_threads(
    const std::vector<Store*>& stores, int times, const ReserveRequest& request,
    const std::function<void()>& beside = [] {}) {
  std::vector<std::vector<Range>> got(stores.size());
  std::barrier together(static_cast<std::ptrdiff_t>(stores.size()));
  std::vector<std::thread> threads;
  threads.emplace_back(beside);
  for (size_t i = 0; i < stores.size(); ++i) {
    threads.emplace_back([&, i] {
      together.arrive_and_wait();
      for (int n = 0; n < times; ++n) {
        ReserveRequest asked = request;
        asked.count = 1 + static_cast<int64_t>(i + n) % 7;
        const auto range = reserve_in_the_end(*stores[i], asked);
        if (range.ok()) {
          got[i].push_back(range.value());
        } else {
          ADD_FAILURE() << range.error().message;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Range> all;
  for (const auto& ranges : got) all.insert(all.end(), ranges.begin(), ranges.end());
  return all;
}

inline int64_t total(const std::vector<Range>& ranges) {
  int64_t sum = 0;
  for (const Range& range : ranges) sum += range.count();
  return sum;
}

// Stores that are connected.
inline std::vector<std::unique_ptr<Store>> open_many(const MongoDatabase& database, int number) {
  std::vector<std::unique_ptr<Store>> stores;
  for (int i = 0; i < number; ++i) {
    stores.push_back(open_mongo(database.url()));
    EXPECT_TRUE(stores.back()->list().ok());
  }
  return stores;
}
inline std::vector<Store*> pointers(const std::vector<std::unique_ptr<Store>>& stores) {
  std::vector<Store*> pointers;
  for (const auto& store : stores) pointers.push_back(store.get());
  return pointers;
}

// A database of its own and a store in it.
class MongoStoreTest : public WithMongoServer {
 protected:
  void SetUp() override {
    WithMongoServer::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    database_ = std::make_unique<MongoDatabase>();
    store_ = open_mongo(database_->url());
  }

  std::unique_ptr<MongoDatabase> database_;
  std::unique_ptr<Store> store_;
};

}  // namespace nextid::mongo
