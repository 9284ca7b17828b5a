#pragma once

#include <string>
#include <vector>

namespace nextid::mongo {

// Starts libmongoc, once in a process, and stops it from writing to the user's stderr. Any thread.
// It is never cleaned up again: other threads of the process may be inside it until the very end.
void start_mongo_driver();

// Keeps the warnings and errors that libmongoc logs on this thread while the capture lives: now and then only
// they say why something failed. Captures of one thread must not overlap.
class DriverLog {
 public:
  DriverLog();
  ~DriverLog();
  DriverLog(const DriverLog&) = delete;
  DriverLog& operator=(const DriverLog&) = delete;

  const std::vector<std::string>& warnings() const { return warnings_; }
  const std::vector<std::string>& errors() const { return errors_; }
  // Empty if there was none.
  std::string last_error() const { return errors_.empty() ? "" : errors_.back(); }

 private:
  friend void keep_log_line(DriverLog& log, bool is_error, const char* line);
  std::vector<std::string> warnings_;
  std::vector<std::string> errors_;
};

}  // namespace nextid::mongo
