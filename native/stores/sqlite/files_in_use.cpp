#include "stores/sqlite/files_in_use.h"

#include <map>
#include <mutex>

namespace nextid::sqlite {

namespace {

std::mutex mutex;
std::map<FileId, std::weak_ptr<const StoreFiles>> in_use;  // by database

}  // namespace

std::shared_ptr<const StoreFiles> files_in_use(const StoreFiles& found) {
  if (!found.main.inode || !found.wal.inode || !found.shm.inode) return nullptr;
  const std::lock_guard lock(mutex);
  std::erase_if(in_use, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<const StoreFiles>& of_first = in_use[found.main];
  std::shared_ptr<const StoreFiles> files = of_first.lock();
  if (!files) of_first = files = std::make_shared<const StoreFiles>(found);
  return files;
}

bool is_in_use(const FileId& database) {
  const std::lock_guard lock(mutex);
  const auto entry = in_use.find(database);
  return entry != in_use.end() && !entry->second.expired();
}

}  // namespace nextid::sqlite
