#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>
#include <string>

namespace nextid::sqlite {

// Another program's connection to the file `path`.
class OtherProgram {
 public:
  explicit OtherProgram(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &db_), SQLITE_OK);
    // Outside WAL mode even the COMMIT of a lock is in the way of a store that reads at this moment.
    sqlite3_busy_timeout(db_, kLongestWaitMs);
  }
  ~OtherProgram() { sqlite3_close(db_); }
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;

  // Runs `sql`; returns the values of the last row, separated by |.
  std::string run(const std::string& sql) {
    const auto keep = [](void* out, int columns, char** values, char**) {
      std::string& row = *static_cast<std::string*>(out);
      row.clear();
      for (int i = 0; i < columns; ++i) {
        if (i > 0) row += '|';
        row += values[i] ? values[i] : "NULL";
      }
      return 0;
    };
    std::string row;
    char* said = nullptr;
    EXPECT_EQ(sqlite3_exec(db_, sql.c_str(), keep, &row, &said), SQLITE_OK)
        << sql << ": " << (said ? said : "");
    sqlite3_free(said);
    return row;
  }

 private:
  static constexpr int kLongestWaitMs = 60'000;

  sqlite3* db_ = nullptr;
};

inline std::string run_sql(const std::string& path, const std::string& sql) {
  return OtherProgram(path).run(sql);
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// Writes into the file that is there, as cp does: it stays the same file.
inline void write_file(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
}

}  // namespace nextid::sqlite
