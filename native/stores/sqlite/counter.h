#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/range.h"
#include "core/store.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {

// One kind of counter in the file `path`, open as `db`: its table, and the rules by which it counts. Every
// method runs within the caller's transaction, but for missing(), which needs no `db`.
//
// The tables' checks keep a hand edit from damaging a counter; SQLite's shell of any age reads them.
class Counters {
 public:
  virtual ~Counters() = default;
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  // As Store::reserve().
  virtual Result<Range> reserve(const ReserveRequest& request) = 0;

  // As Store::release(). Kinds that give nothing back: false.
  virtual Result<bool> release(const CounterKey& counter, Range unused);

  // As Store::advance().
  virtual Result<std::optional<int64_t>> advance(const AdvanceRequest& request) = 0;

  // Appends all counters of this kind, ordered by name and prefix. None on success.
  std::optional<Error> list(std::vector<CounterInfo>& counters);

  // The error where a counter with a floor is not there. REQUIRES: request.floor
  virtual Error missing(const ReserveRequest& request) const = 0;

 protected:
  Counters(sqlite3* db, std::string path, const char* list_sql);

  // The counter in a row of `list_sql`.
  virtual CounterInfo show(sqlite3_stmt* row) const = 0;

  // The range of a counter that stands at `next`; kIdOverflow if there is none below the limit, in words that
  // call its numbers `numbers` and advise `advice`.
  Result<Range> range_from(int64_t next, const ReserveRequest& request, const std::string& numbers,
                           const std::string& advice) const;

  // "the counter 'orders' in sqlite:ids.db"
  std::string place(const CounterKey& counter) const;

  // Errors that several kinds have.
  Error gone(const ReserveRequest& request, const std::string& given) const;
  Error rewound(const ReserveRequest& request, int64_t next) const;
  Error damaged(const CounterKey& counter, const Error& value) const;
  // What SQLite has just said.
  Error failure() const;

  sqlite3* const db_;
  const std::string path_;

 private:
  Statement list_;
};

}  // namespace nextid::sqlite
