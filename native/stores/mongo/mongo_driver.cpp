#include "stores/mongo/mongo_driver.h"

#include <mongoc/mongoc.h>

#include <mutex>
#include <new>

namespace nextid::mongo {

void keep_log_line(DriverLog& log, bool is_error, const char* line) {
  (is_error ? log.errors_ : log.warnings_).emplace_back(line);
}

namespace {

thread_local DriverLog* current_log = nullptr;

void log_handler(mongoc_log_level_t level, const char* /*domain*/, const char* line, void* /*data*/) {
  if (current_log == nullptr || level > MONGOC_LOG_LEVEL_WARNING) return;
  try {
    keep_log_line(*current_log, level < MONGOC_LOG_LEVEL_WARNING, line);
  } catch (const std::bad_alloc&) {
    // C frames lie above: the line is lost, the failure it belongs to is not.
  }
}

}  // namespace

void start_mongo_driver() {
  static std::once_flag once;
  std::call_once(once, [] {
    mongoc_log_set_handler(log_handler, nullptr);
    mongoc_init();
  });
}

DriverLog::DriverLog() { current_log = this; }

DriverLog::~DriverLog() { current_log = nullptr; }

}  // namespace nextid::mongo
