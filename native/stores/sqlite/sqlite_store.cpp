#include "stores/sqlite/sqlite_store.h"

#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <utility>

#include "stores/sqlite/connection.h"
#include "stores/sqlite/file_facts.h"
#include "stores/sqlite/folder_lock.h"
#include "stores/sqlite/lock_wait.h"
#include "stores/sqlite/open_file.h"
#include "stores/sqlite/sqlite_errors.h"

namespace nextid::sqlite {
namespace {

// An absolute path names the same file after the process changes its working directory, and has no special
// meaning to SQLite (":memory:"). Returns "" if there is no absolute path.
std::string absolute(const std::string& path) {
  std::error_code error;
  const std::filesystem::path result = std::filesystem::absolute(to_path(path), error);
  return path.empty() || error ? std::string() : to_utf8(result);
}

class SqliteStore final : public Store {
 public:
  explicit SqliteStore(const std::string& path) : path_(absolute(path)) {
    const std::lock_guard lock(stores_mutex_);
    stores_.insert(this);
  }

  ~SqliteStore() override {
    {
      const std::lock_guard lock(stores_mutex_);
      stores_.erase(this);
    }
    close(LockWait::Clock::now());  // without waiting for the lock
  }

  void disconnect() override {
    const std::lock_guard lock(mutex_);
    close(LockWait::Clock::now() + kBusyTimeout);
  }

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<bool> release(const CounterKey& counter, Range unused) override;
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override;
  Result<std::vector<CounterInfo>> list() override;
  Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes) override;

 private:
  enum class IfAbsent { kMake, kLeave };

  // Runs `body` in a transaction and returns its result after the commit.
  //   1. Locks the folder, connects if necessary, and begins a transaction in the file of this path. If there
  //      is no store, it is created; with kLeave, `body` gets null instead.
  //   2. Runs `body` and commits. After an error or exception, rolls back.
  //   3. Checks that the path still leads to this file. If not, the result is discarded with a doubtful
  //      error, and `at_stake` numbers are lost.
  template <typename T>
  Result<T> transact(IfAbsent if_absent, int64_t at_stake,
                     const std::function<Result<T>(CounterTables*)>& body);
  // Begins a transaction in the file that the path leads to now. If there is no store, with kLeave, it
  // returns no error and leaves connection_ null.
  std::optional<Error> begin(IfAbsent if_absent);
  std::optional<Error> connect(IfAbsent if_absent);
  // Makes SQLite rebuild a truncated -shm file. All connections of a process share its memory mapping, and
  // access beyond the end of the file would kill the process (SIGBUS).
  std::optional<Error> replace_truncated_shm();
  // Closes the connection, and the connections of idle stores that have lost their files: SQLite would keep
  // using the deleted -shm file that they share.
  void close_lost_connections();
  // Closes the connection. This copies the -wal file into the database, unless others have the folder locked
  // until `deadline`.
  void close(LockWait::Clock::time_point deadline);
  // Returns `error`, and closes a connection that cannot be used after it.
  Error failed(const Error& error);

  Error gone() const;
  Error moved(ErrorClass error_class) const;

  const std::string path_;
  std::mutex mutex_;  // guards the members below
  LockWait wait_;
  std::unique_ptr<Connection> connection_;
  bool was_open_ = false;  // the file existed; it is not created again

  inline static std::mutex stores_mutex_;  // lock order: mutex_ first
  inline static std::set<SqliteStore*> stores_;
};

Result<Range> SqliteStore::reserve(const ReserveRequest& request) {
  const IfAbsent if_absent = request.floor ? IfAbsent::kLeave : IfAbsent::kMake;
  return transact<Range>(if_absent, request.count, [&](CounterTables* counters) -> Result<Range> {
    // Without the file, the counter is missing.
    if (!counters) return counter_errors::missing(request.counter, place_of(path_), *request.floor);
    return std::visit([&](const auto& kind) { return counters->of(kind).reserve(request); },
                      request.counter.kind);
  });
}

Result<bool> SqliteStore::release(const CounterKey& counter, Range unused) {
  return transact<bool>(IfAbsent::kLeave, 0, [&](CounterTables* counters) -> Result<bool> {
    if (!counters) return false;
    return std::visit([&](const auto& kind) { return counters->of(kind).release(counter, unused); },
                      counter.kind);
  });
}

Result<std::optional<int64_t>> SqliteStore::advance(const AdvanceRequest& request) {
  using Next = std::optional<int64_t>;
  const IfAbsent if_absent = request.make ? IfAbsent::kMake : IfAbsent::kLeave;
  return transact<Next>(if_absent, 0, [&](CounterTables* counters) -> Result<Next> {
    if (!counters) return Next();
    return std::visit([&](const auto& kind) { return counters->of(kind).advance(request); },
                      request.counter.kind);
  });
}

Result<std::vector<CounterInfo>> SqliteStore::list() {
  using Infos = std::vector<CounterInfo>;
  return transact<Infos>(IfAbsent::kLeave, 0, [](CounterTables* counters) -> Result<Infos> {
    if (!counters) return Infos();
    return counters->list();
  });
}

Result<int64_t> SqliteStore::prune(const std::string& name, const std::vector<int64_t>& prefixes) {
  if (prefixes.empty()) return 0;
  return transact<int64_t>(IfAbsent::kMake, 0, [&](CounterTables* counters) {
    return counters->of(Dated()).prune(name, prefixes);
  });
}

template <typename T>
Result<T> SqliteStore::transact(IfAbsent if_absent, int64_t at_stake,
                                const std::function<Result<T>(CounterTables*)>& body) {
  // Taken before the mutex, so that waiting for other threads counts too.
  const auto deadline = LockWait::Clock::now() + kBusyTimeout;
  const std::lock_guard lock(mutex_);
  wait_.set_deadline(deadline);
  const FolderLock folder_lock(path_, wait_);
  if (folder_lock.timed_out()) return busy_error(path_);
  if (const int system_errno = folder_lock.system_errno()) return folder_error(path_, system_errno);

  // However this call ends, it leaves no open transaction, which would block others. An exception closes the
  // connection, which rolls back.
  struct CleanUp {
    std::unique_ptr<Connection>& connection;
    const int exceptions = std::uncaught_exceptions();
    ~CleanUp() {
      if (!connection) return;
      if (std::uncaught_exceptions() > exceptions || !connection->roll_back()) connection.reset();
    }
  } const clean_up{connection_};

  if (auto error = begin(if_absent)) return failed(*error);
  if (!connection_) return body(nullptr);
  Result<T> result = body(&connection_->counters());
  if (!result.ok()) return failed(result.error());
  if (auto error = connection_->commit()) return failed(*error);
  if (connection_->in_place()) return result;
  close_lost_connections();
  Error error = moved(ErrorClass::kDoubtful);
  error.lost = at_stake;
  return error;
}

std::optional<Error> SqliteStore::begin(IfAbsent if_absent) {
  for (bool reopened = false;; reopened = true) {
    if (auto error = replace_truncated_shm()) return error;
    if (auto error = connect(if_absent)) return error;
    if (!connection_) return std::nullopt;
    if (auto error = connection_->begin()) return error;
    if (connection_->in_place()) return std::nullopt;
    close_lost_connections();
    if (reopened) return moved(ErrorClass::kPassing);
  }
}

std::optional<Error> SqliteStore::connect(IfAbsent if_absent) {
  if (connection_) return std::nullopt;
  if (was_open_) {
    std::error_code error;
    const auto type = std::filesystem::status(to_path(path_), error).type();
    if (type == std::filesystem::file_type::not_found) return gone();
  }
  Database db;
  if (auto error = open_file(path_, if_absent == IfAbsent::kMake && !was_open_, wait_, db)) return error;
  if (db) {
    connection_ = std::make_unique<Connection>(std::move(db), path_);
    was_open_ = true;
  } else if (was_open_) {
    return gone();
  }
  return std::nullopt;
}

std::optional<Error> SqliteStore::replace_truncated_shm() {
  const FileId database = file_id(path_);
  const std::string shm = real_path(path_) + "-shm";
  if (!is_truncated_shm(shm)) return std::nullopt;
  // Otherwise another process would trust what is left of its header.
  std::error_code error;
  std::filesystem::resize_file(to_path(shm), 0, error);
  close_lost_connections();
  if (error || is_in_use(database)) return moved(ErrorClass::kPassing);
  return std::nullopt;
}

void SqliteStore::close_lost_connections() {
  connection_.reset();
  const std::lock_guard lock(stores_mutex_);
  for (SqliteStore* store : stores_) {
    if (store == this) continue;
    // A busy store checks its own files.
    const std::unique_lock idle(store->mutex_, std::try_to_lock);
    if (idle && store->connection_ && !store->connection_->in_place()) store->connection_.reset();
  }
}

void SqliteStore::close(LockWait::Clock::time_point deadline) {
  if (!connection_) return;
  wait_.set_deadline(deadline);
  try {
    const FolderLock folder_lock(path_, wait_);
    if (!folder_lock.held()) connection_->close_without_checkpoint();
    connection_.reset();
  } catch (const std::bad_alloc&) {
    connection_->close_without_checkpoint();
    connection_.reset();
  }
}

Error SqliteStore::failed(const Error& error) {
  if (!connection_survives(error)) connection_.reset();
  return error;
}

Error SqliteStore::gone() const {
  return refusal(ErrorCode::kSequenceMissing,
                 "the file of " + store_name(path_) +
                     ", which this process had open, is gone or empty; put it back. "
                     "To begin with a new one, stop all processes that use it first");
}

Error SqliteStore::moved(ErrorClass error_class) const {
  return Error{ErrorCode::kStoreUnavailable,
               error_class,
               "the file of " + store_name(path_) +
                   ", or its -wal or -shm file, was deleted or replaced, or cut off, "
                   "while it was in use; leave the three alone while processes use them",
               {}};
}

}  // namespace

std::unique_ptr<Store> make_store(std::string path) { return std::make_unique<SqliteStore>(path); }

}  // namespace nextid::sqlite
