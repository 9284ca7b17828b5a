#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <regex>
#include <string>
#include <utility>

#include "native/child.h"
#include "native/sqlite/other_program.h"
#include "native/temp_dir.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid {

inline void PrintTo(const CounterKey& key, std::ostream* out) {
  *out << to_string(key.kind) << ": " << describe(key);
}

}  // namespace nextid

namespace nextid::sqlite {

inline ReserveRequest ask(CounterKey counter, int64_t count, std::optional<int64_t> floor = std::nullopt) {
  ReserveRequest request;
  request.counter = std::move(counter);
  request.count = count;
  request.floor = floor;
  return request;
}

inline const CounterKey kOrders{.name = "orders"};

inline ReserveRequest orders(int64_t count, std::optional<int64_t> floor = std::nullopt) {
  return ask(kOrders, count, floor);
}

inline CounterKey dated(int64_t prefix, std::string name = "orders") {
  return {.name = std::move(name), .kind = Dated{prefix}};
}

inline CounterKey cyclic(int64_t cycle, std::string name = "serial") {
  return {.name = std::move(name), .kind = Cyclic{cycle}};
}

inline CounterKey timestamped(int digits, std::string name = "trace") {
  return {.name = std::move(name), .kind = Timestamped{digits}};
}

// A clock that stands still, so that only what the file holds keeps slots apart.
inline int64_t stopped_clock() { return 1'700'000'000'000'000; }

// The range, or an empty one and a failed test.
inline Range reserve(Store& store, const ReserveRequest& request) {
  const Result<Range> range = store.reserve(request);
  if (range.ok()) return range.value();
  ADD_FAILURE() << range.error().message;
  return {};
}

template <typename T>
Error error_of(const Result<T>& result) {
  if (!result.ok()) return result.error();
  ADD_FAILURE() << "succeeded, though an error was expected";
  return {};
}

// `part` is a part of the message.
inline void expect_error(const Error& error, ErrorCode code, ErrorClass error_class,
                         const std::string& part) {
  EXPECT_EQ(to_string(error.code), to_string(code)) << error.message;
  EXPECT_EQ(error.error_class, error_class) << error.message;
  EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
}

// The statement that a message tells to run in SQLite's shell, with `n` in place of N (or P).
inline std::string remedy_in(const std::string& message, const std::string& n) {
  const std::string before = "sqlite3 shell: ";
  const size_t begin = message.find(before);
  const size_t end = message.rfind(';');
  if (begin == std::string::npos || end == std::string::npos) {
    ADD_FAILURE() << "no remedy: " << message;
    return "";
  }
  const std::string sql = message.substr(begin + before.size(), end - begin - before.size());
  return std::regex_replace(sql, std::regex("\\b[NP]\\b"), n);
}

// Moves `key` up to `next` with the command that the message has, in which N stands if it does not know how
// far.
inline void mend(Store& store, const std::string& message, const AdvanceRequest& request, bool knows_next) {
  std::optional<int64_t> next;
  if (knows_next) next = request.next;
  const std::string command = advance_remedy(request.counter, next, request.restore);
  EXPECT_NE(message.find("with: " + command), std::string::npos) << message << "\nhas no: " << command;
  const auto stands_at = store.advance(request);
  ASSERT_TRUE(stands_at.ok()) << stands_at.error().message;
}

inline void in_child(const std::function<void()>& body) {
  Child child(body);
  EXPECT_TRUE(child.succeeds());
}

// A store in a folder of its own.
class SqliteStoreTest : public testing::Test {
 protected:
  const TempDir dir_;
  const std::string path_ = dir_ / "ids.db";
  std::unique_ptr<Store> store_ = make_store(path_);

  // Closes the store; returns all that its file holds then.
  std::string content_after_close() {
    store_.reset();
    return read_file(path_);
  }
};

}  // namespace nextid::sqlite
