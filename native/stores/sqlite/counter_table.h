#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/counter_errors.h"
#include "core/store.h"
#include "stores/sqlite/counter_value.h"
#include "stores/sqlite/sqlite_errors.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {

// How core's error messages name the file `path`.
inline Place place_of(const std::string& path) { return {"in " + store_name(path), ""}; }

// The counters of one kind in the file `path`, open as `db`. Each operation loads, checks, advances and saves
// a counter; core/kinds has the rules. REQUIRES, for all methods: an open transaction.
//
// `Rows` defines how the kind is stored:
//   Kind                   the kind
//   kSchema                SQL that creates the table. Its checks keep manual edits from damaging a counter
//   kRead, kList, kWrite   SQL that finds a counter by key(), finds all counters, saves row()
//   state_of(row)          the state of the counter in a row
//   kind_of(row)           how the counter in a row counts, apart from what is in its state
//   key(counter)           the values that identify a counter
//   row(counter, state)    the values of its row
template <typename Rows>
class CounterTable {
 public:
  using State = typename Rows::Kind::State;

  CounterTable(sqlite3* db, const std::string& path) : db_(db), path_(path), place_(place_of(path)) {}
  virtual ~CounterTable() = default;
  CounterTable(const CounterTable&) = delete;
  CounterTable& operator=(const CounterTable&) = delete;

  // See Store::reserve().
  Result<Range> reserve(const ReserveRequest& request) {
    Result<std::optional<State>> found = load(request.counter);
    if (!found.ok()) return found.error();
    std::optional<State> state = found.take();
    const bool is_there = state.has_value();
    if (!is_there) {
      if (auto error = refuse_to_make(request.counter)) return *error;
      if (request.floor) return counter_errors::missing(request.counter, place_, *request.floor);
      state = first_state(request.counter, request.start);
    }
    const Result<Range> range = nextid::reserve(*state, request, place_);
    if (!range.ok() || (is_there && request.count == 0)) return range;
    if (auto error = save(request.counter, *state)) return *error;
    return range;
  }

  // See Store::release(). Returns false for kinds that give nothing back.
  Result<bool> release(const CounterKey& counter, Range unused) {
    if constexpr (Rows::Kind::kGivesBack) {
      Result<std::optional<State>> found = load(counter);
      if (!found.ok()) return found.error();
      std::optional<State> state = found.take();
      if (!state || !give_back(*state, unused)) return false;
      if (auto error = save(counter, *state)) return *error;
      return true;
    }
    return false;
  }

  // See Store::advance().
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) {
    Result<std::optional<State>> found = load(request.counter);
    if (!found.ok()) return found.error();
    std::optional<State> state = found.take();
    if (!state) {
      if (!request.make) return std::optional<int64_t>();
      if (!request.restore) {
        if (auto error = refuse_to_make(request.counter)) return *error;
      }
      state = first_state(request.counter, 0);
    }
    if (request.restore) repair(*state, request);
    if (auto error = check(*state, request, place_)) return *error;
    const int64_t next = nextid::advance(*state, request);
    if (auto error = save(request.counter, *state)) return *error;
    return std::optional(next);
  }

  // Appends all counters of this kind, ordered by name and prefix. Returns nullopt on success.
  std::optional<Error> list(std::vector<CounterInfo>& counters) {
    Statement::Run run(list_);
    for (; run.has_row(); run.next()) {
      CounterInfo info{.key = {.name = read_text(run.row(), 0), .kind = Rows::kind_of(run.row())},
                       .next = {},
                       .problem = {}};
      show(Rows::state_of(run.row()), info);
      counters.push_back(std::move(info));
    }
    if (run.failed()) return failure();
    return std::nullopt;
  }

 protected:
  // Returns why a missing counter must not be created, or nullopt if it may be.
  virtual std::optional<Error> refuse_to_make(const CounterKey&) { return std::nullopt; }

  // The last error of SQLite.
  Error failure() const { return sqlite_error(db_, path_); }

  sqlite3* const db_;
  const std::string path_;
  const Place place_;

 private:
  static State first_state(const CounterKey& key, int64_t start) {
    return std::get<typename Rows::Kind>(key.kind).first_state(start);
  }

  // Returns nullopt if there is no such counter.
  Result<std::optional<State>> load(const CounterKey& counter) {
    const Statement::Run run(read_, Rows::key(counter));
    if (run.failed()) return failure();
    if (run.done()) return std::optional<State>();
    return std::optional(Rows::state_of(run.row()));
  }

  std::optional<Error> save(const CounterKey& counter, const State& state) {
    const Statement::Run run(write_, Rows::row(counter, state));
    if (run.failed()) return failure();
    return std::nullopt;
  }

  Statement read_{db_, Rows::kRead};
  Statement list_{db_, Rows::kList};
  Statement write_{db_, Rows::kWrite};
};

}  // namespace nextid::sqlite
