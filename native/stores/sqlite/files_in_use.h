#pragma once

#include <memory>

#include "stores/sqlite/file_facts.h"

namespace nextid::sqlite {

// The three files of a store that is open.
struct StoreFiles {
  FileId main, wal, shm;

  bool operator==(const StoreFiles&) const = default;
};

// The files that a connection uses whose first transaction just began, when the names led to `found`. Null if
// one of them is missing. The connection must keep the result for as long as it is open.
//
// All connections of a process to one database share what the first of them opened as -shm, also when that
// was deleted since: SQLite keeps it until the last of them is closed. So what the first one found is what
// all later ones use, whatever the names lead to by then. From any thread.
std::shared_ptr<const StoreFiles> files_in_use(const StoreFiles& found);

// Whether a connection of this process keeps the result of files_in_use() for `database`. From any thread.
bool is_in_use(const FileId& database);

}  // namespace nextid::sqlite
