#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <string>
#include <tuple>

namespace nextid::sqlite {

// One SQL statement, prepared on its first run and kept for the next ones. Must be destroyed before its
// connection is closed.
class Statement {
 public:
  Statement(sqlite3* db, const char* sql) : db_(db), sql_(sql) {}
  ~Statement() { sqlite3_finalize(handle_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // One run of a statement. The destructor resets the statement: without this it would keep its snapshot of
  // the file, and the next transaction would read outdated values.
  class Run {
   public:
    // Binds `values` to ?1, ?2, … and makes the first step.
    template <typename... Values>
    explicit Run(Statement& statement, const std::tuple<Values...>& values) : statement_(statement) {
      code_ = statement.prepare();
      int position = 0;
      const auto bind = [&](const auto& value) {
        if (code_ == SQLITE_OK) code_ = statement.bind(++position, value);
      };
      std::apply([&](const auto&... value) { (bind(value), ...); }, values);
      if (code_ == SQLITE_OK) next();
    }
    explicit Run(Statement& statement) : Run(statement, std::tuple<>()) {}
    ~Run() { sqlite3_reset(statement_.handle_); }
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    void next() { code_ = sqlite3_step(statement_.handle_); }
    bool has_row() const { return code_ == SQLITE_ROW; }
    bool done() const { return code_ == SQLITE_DONE; }
    bool failed() const { return !has_row() && !done(); }
    // REQUIRES, for use with sqlite3_column_…: has_row()
    sqlite3_stmt* row() const { return statement_.handle_; }

   private:
    Statement& statement_;
    int code_ = SQLITE_OK;
  };

 private:
  int prepare() {
    if (handle_) return SQLITE_OK;
    return sqlite3_prepare_v3(db_, sql_, -1, SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  }
  int bind(int position, int64_t value) { return sqlite3_bind_int64(handle_, position, value); }
  int bind(int position, const std::string& value) {
    return sqlite3_bind_text64(handle_, position, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  }

  sqlite3* const db_;
  const char* const sql_;
  sqlite3_stmt* handle_ = nullptr;
};

}  // namespace nextid::sqlite
