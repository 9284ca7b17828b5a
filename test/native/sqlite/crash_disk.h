#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "native/sqlite/other_program.h"
#include "native/sqlite/vfs_shim.h"

namespace nextid::sqlite {

// The files of a folder by name.
using Files = std::map<std::string, std::string>;

// A disk that tells what a power cut would leave of the SQLite files in one folder.
//
// What it supposes of the disk is what SQLite does (https://sqlite.org/atomiccommit.html, and the crash tests
// of https://sqlite.org/testing.html). Only a sync makes what was written before it durable. Any of the
// writes and truncations since then may have been done, in any order, of a write any of its sectors, and a
// sector that the cut interrupts may hold anything. A name of a file, or its absence, is durable once the
// folder is synced. Bytes beside those that were written are safe ("powersafe overwrite", which SQLite takes
// for granted). -shm, which is memory that processes share, is lost.
class CrashDisk final : public VfsShim {
 public:
  using Random = std::mt19937_64;

  // What stands in `folder` already counts as durable.
  explicit CrashDisk(const std::string& folder) : folder_(folder) {
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const std::string name = file.path().filename().string();
      names_[name] = {std::make_shared<File>(File{read_file(file.path().string()), {}})};
    }
  }

  // Called in the midst of each call that changes the disk, and of each sync. It may not use the disk itself.
  std::function<void()> at_each_change;

  // What a cut at this moment may leave; each time something else. Only from within at_each_change, or while
  // nobody uses the disk.
  Files cut(Random& random) const {
    Files left;
    const Fate fate = any_fate(random);
    for (const auto& [name, owners] : names_) {
      const size_t last = owners.size() - 1;
      const auto& file = owners[fate == kAll ? last : fate == kNone ? 0 : random() % owners.size()];
      if (file) left[name] = remains(*file, fate, random);
    }
    return left;
  }

  // What everybody reads now, power not being cut.
  Files now() const {
    Files files;
    for (const auto& [name, owners] : names_) {
      if (!owners.back()) continue;
      std::string content = owners.back()->durable;
      for (const Change& change : owners.back()->pending) apply(change, content);
      files[name] = content;
    }
    return files;
  }

 private:
  // Bytes from `offset` on; none: `offset` is the size that the file is cut off or extended to.
  struct Change {
    size_t offset;
    std::optional<std::string> bytes;
  };
  struct File {
    std::string durable;
    std::vector<Change> pending;  // since the last sync
  };
  enum Fate { kNone, kAll, kSome };
  static constexpr size_t kSector = 512;

  int before(const DiskCall& call) override {
    const std::filesystem::path path(call.path);
    if (call.kind == DiskCall::kRead || call.kind == DiskCall::kShmMap || path.parent_path() != folder_) {
      return SQLITE_OK;
    }
    const std::string name = path.filename().string();
    auto& owners = names_.try_emplace(name, 1).first->second;  // one that is not there
    if (call.kind == DiskCall::kOpen) {
      if (!call.creates || owners.back()) return SQLITE_OK;
      owners.push_back(std::make_shared<File>());
    } else if (call.kind == DiskCall::kWrite) {
      owners.back()->pending.push_back({static_cast<size_t>(call.offset), std::string(call.bytes)});
    } else if (call.kind == DiskCall::kTruncate) {
      owners.back()->pending.push_back({static_cast<size_t>(call.offset), std::nullopt});
    } else if (call.kind == DiskCall::kDelete) {
      owners.push_back(nullptr);
    }
    if (at_each_change) at_each_change();
    if (call.kind == DiskCall::kSync) sync(*owners.back());
    if (call.syncs_folder) sync_folder();
    return SQLITE_OK;
  }

  static void sync(File& file) {
    for (const Change& change : file.pending) apply(change, file.durable);
    file.pending.clear();
  }

  void sync_folder() {
    for (auto& [name, owners] : names_) owners = {owners.back()};
  }

  static void apply(const Change& change, std::string& content) {
    if (change.bytes) {
      content.resize(std::max(content.size(), change.offset + change.bytes->size()));
      content.replace(change.offset, change.bytes->size(), *change.bytes);
    } else {
      content.resize(change.offset);
    }
  }

  static std::string remains(const File& file, Fate fate, Random& random) {
    std::string content = file.durable;
    for (const Change& change : file.pending) {
      switch (fate == kSome ? any_fate(random) : fate) {
        case kNone:
          break;
        case kAll:
          apply(change, content);
          break;
        case kSome:
          if (change.bytes) apply_in_part(change, content, random);
      }
    }
    return content;
  }

  // Of each sector: what was written, or what was there before, or garbage.
  static void apply_in_part(const Change& change, std::string& content, Random& random) {
    const size_t end = change.offset + change.bytes->size();
    for (size_t at = change.offset; at < end;) {
      const size_t next = std::min(end, (at / kSector + 1) * kSector);
      Change part{at, change.bytes->substr(at - change.offset, next - at)};
      const auto luck = random() % 5;
      if (luck == 0)
        std::generate(part.bytes->begin(), part.bytes->end(), [&] { return static_cast<char>(random()); });
      if (luck < 3) apply(part, content);
      at = next;
    }
  }

  static Fate any_fate(Random& random) { return static_cast<Fate>(random() % 3); }

  const std::filesystem::path folder_;
  // Which file each name has led to since the folder was last synced, null where to none: from the one that a
  // cut certainly leaves to the present one.
  std::map<std::string, std::vector<std::shared_ptr<File>>> names_;
};

}  // namespace nextid::sqlite
