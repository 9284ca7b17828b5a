#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "native/child.h"
#include "native/sqlite/other_program.h"
#include "native/temp_dir.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid {

inline ReserveRequest orders(int64_t count, std::optional<int64_t> floor = std::nullopt) {
  ReserveRequest request;
  request.name = "orders";
  request.count = count;
  request.floor = floor;
  return request;
}

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

inline void in_child(const std::function<void()>& body) {
  Child child(body);
  EXPECT_TRUE(child.succeeds());
}

// A store in a folder of its own.
class SqliteStoreTest : public testing::Test {
 protected:
  const TempDir dir_;
  const std::string path_ = dir_ / "ids.db";
  std::unique_ptr<Store> store_ = make_sqlite_store(path_);

  // Closes the store; returns all that its file holds then.
  std::string content_after_close() {
    store_.reset();
    return read_file(path_);
  }
};

}  // namespace nextid
