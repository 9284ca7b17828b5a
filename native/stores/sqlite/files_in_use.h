#pragma once

#include <memory>

#include "stores/sqlite/file_facts.h"

namespace nextid::sqlite {

// The three files of an open store.
struct StoreFiles {
  FileId main, wal, shm;

  bool operator==(const StoreFiles&) const = default;
};

// Returns the files that a new connection uses. Call it when its first transaction has begun and the names
// lead to `found`. Returns null if a file is missing. The connection must keep the result while it is open.
//
// All connections of a process to one database share the -shm file that the first of them opened, even if it
// was deleted since: SQLite keeps it until the last connection is closed. So later connections use the files
// that the first one found, even if the names lead to other files by then. May be called on any thread.
std::shared_ptr<const StoreFiles> files_in_use(const StoreFiles& found);

// Whether a connection of this process keeps a result of files_in_use() for `database`. May be called on any
// thread.
bool is_in_use(const FileId& database);

}  // namespace nextid::sqlite
