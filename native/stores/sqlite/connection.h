#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "stores/sqlite/counter_tables.h"
#include "stores/sqlite/files_in_use.h"
#include "stores/sqlite/open_file.h"
#include "stores/sqlite/statement.h"

namespace nextid::sqlite {

// The open file of a store, and its transactions. May be used by one thread at a time.
class Connection {
 public:
  Connection(Database db, const std::string& path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Begins a write transaction: no other connection can write until it ends. Returns nullopt on success.
  std::optional<Error> begin();
  // Returns nullopt on success. After an error the transaction must still be rolled back.
  std::optional<Error> commit();
  // Undoes the open transaction, if there is one. Returns false if this fails: then close the connection.
  bool roll_back();

  // Whether the path still leads to the files that this connection uses. On POSIX, a process can go on using
  // a deleted or replaced file that it has open: it would count in one file, and all others in another. The
  // same holds for the files -wal, which has commits, and -shm, which has the locks. Also returns false if
  // -shm was truncated, and before the first begin().
  bool in_place() const;

  // Makes closing change no file. Call it if other users could not be locked out.
  void close_without_checkpoint();

  CounterTables& counters() { return counters_; }

 private:
  // The files that the names lead to now; `main` is the name of the database itself.
  StoreFiles files_at(const std::string& main) const;

  const std::string path_;
  std::shared_ptr<const StoreFiles> opened_;  // set by the first transaction; must outlive db_
  bool mounted_alone_ = false;
  Database db_;
  const std::string real_path_;  // of the file, with symbolic links resolved by SQLite
  Statement begin_;
  Statement commit_;
  Statement roll_back_;
  CounterTables counters_;
};

}  // namespace nextid::sqlite
