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

// The open file of a store, and its transactions. For one thread at a time.
class Connection {
 public:
  Connection(Database db, const std::string& path);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Begins a transaction that writes: from here to its end no other connection can. None on success.
  std::optional<Error> begin();
  // None on success. After an error the transaction is still to be rolled back.
  std::optional<Error> commit();
  // Undoes an open transaction; does nothing if there is none. False if that cannot be done: closing will.
  bool roll_back();

  // Whether the path still leads to the files that this connection writes to. On POSIX a file that was
  // deleted or replaced goes on living for those who have it open: they would count in one file, and
  // everybody else in another. The same goes for the files -wal, which holds commits, and -shm, which holds
  // the locks. False too where -shm was cut off, and before the first begin().
  bool in_place() const;

  // Closing will change no file. For whoever could not keep others out.
  void close_without_checkpoint();

  CounterTables& counters() { return counters_; }

 private:
  // What the names lead to now, `main` being the name of the database itself.
  StoreFiles files_at(const std::string& main) const;

  const std::string path_;
  std::shared_ptr<const StoreFiles> opened_;  // from the first transaction on. Outlives db_
  bool mounted_alone_ = false;
  Database db_;
  const std::string real_path_;  // where SQLite found the file, symbolic links followed
  Statement begin_;
  Statement commit_;
  Statement roll_back_;
  CounterTables counters_;
};

}  // namespace nextid::sqlite
