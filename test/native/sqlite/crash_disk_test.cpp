#include <gtest/gtest.h>
#include <sqlite3.h>

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "native/sqlite/crash_disk.h"
#include "native/temp_dir.h"

// The simulated disk loses what SQLite's documentation says a power cut may lose
// (https://sqlite.org/pragma.html#pragma_synchronous), and nothing else.

namespace nextid::sqlite {
namespace {

struct Settings {
  const char* name;
  const char* pragmas;
  bool loses;    // commits that had returned
  bool damages;  // the file
};

void PrintTo(const Settings& settings, std::ostream* out) { *out << settings.name; }

// Empty where the file is damaged.
std::string first_value(sqlite3* db, const char* sql) {
  const auto keep = [](void* out, int, char** values, char**) {
    *static_cast<std::string*>(out) = values[0];
    return 1;  // no more rows
  };
  std::string value;
  sqlite3_exec(db, sql, keep, &value, nullptr);
  return value;
}

class CrashDiskTest : public testing::TestWithParam<Settings> {
 protected:
  // Looks at what a cut left of a file with `commits` rows, each committed by itself.
  void look(const Files& left, int commits) {
    const TempDir folder(TempDir::fast());
    for (const auto& [name, content] : left) write_file(folder / name, content);
    sqlite3* db = nullptr;
    sqlite3_open((folder / "test.db").c_str(), &db);
    const std::string rows = first_value(db, "SELECT count(*) FROM numbers");
    const bool sound = first_value(db, "PRAGMA integrity_check") == "ok";
    sqlite3_close(db);
    if (!sound) {
      ++damaged_;
    } else if (std::stoi(rows) < commits) {
      ++lost_;
    }
  }

  CrashDisk::Random random_{1};
  int lost_ = 0;
  int damaged_ = 0;
};

TEST_P(CrashDiskTest, LosesWhatItMay) {
  for (int round = 0; round < 5; ++round) {
    const TempDir folder(TempDir::fast());
    const std::string path = folder / "test.db";
    run_sql(path, "CREATE TABLE numbers (number)");
    std::vector<std::pair<Files, int>> cuts;  // with the commits that had returned
    {
      CrashDisk disk(folder.path().string());
      OtherProgram program(path);
      program.run(GetParam().pragmas);
      int commits = 0;
      disk.at_each_change = [&] { cuts.emplace_back(disk.cut(random_), commits); };
      for (; commits < 10; ++commits) program.run("INSERT INTO numbers VALUES (1)");
    }
    for (const auto& [left, commits] : cuts) look(left, commits);
  }
  EXPECT_EQ(lost_ > 0, GetParam().loses) << lost_ << " times";
  EXPECT_EQ(damaged_ > 0, GetParam().damages) << damaged_ << " times";
}

INSTANTIATE_TEST_SUITE_P(
    , CrashDiskTest,
    testing::Values(
        Settings{"WalFull", "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", false, false},
        Settings{"WalNormal", "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", true, false},
        Settings{"JournalExtra", "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA", false, false},
        Settings{"JournalFull", "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL", true, false},
        Settings{"NoSync", "PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF", true, true},
        Settings{"NoJournal", "PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL", false, true}),
    [](const auto& test) { return test.param.name; });

int (*open_directory)(const char*, int*);
int opened_directories = 0;

// What VfsShim supposes of the real VFS: it syncs the folder with the first sync of a journal, and not again.
TEST(VfsShimTest, KnowsWhenTheFolderIsSynced) {
  sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
  open_directory = reinterpret_cast<decltype(open_directory)>(real->xGetSystemCall(real, "openDirectory"));
  const decltype(open_directory) counting = [](const char* name, int* handle) {
    ++opened_directories;
    return open_directory(name, handle);
  };
  real->xSetSystemCall(real, "openDirectory", reinterpret_cast<sqlite3_syscall_ptr>(counting));

  const TempDir folder;
  OtherProgram program(folder / "test.db");
  program.run("CREATE TABLE numbers (number)");
  EXPECT_EQ(opened_directories, 1);  // for the new -journal, and so for the name of the file itself too
  program.run("PRAGMA journal_mode = WAL");
  opened_directories = 0;
  program.run("INSERT INTO numbers VALUES (1)");
  EXPECT_EQ(opened_directories, 1);
  program.run("INSERT INTO numbers VALUES (2)");
  EXPECT_EQ(opened_directories, 1);

  real->xSetSystemCall(real, "openDirectory", reinterpret_cast<sqlite3_syscall_ptr>(open_directory));
}

}  // namespace
}  // namespace nextid::sqlite
