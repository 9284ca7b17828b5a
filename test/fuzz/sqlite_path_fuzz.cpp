// Any bytes as the path of a SQLite store: they name the very file of that name, whatever SQLite may take
// them for, and whoever opens it anew goes on counting there.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "fuzz/fuzz_input.h"
#include "native/temp_dir.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 240;  // bytes; leaves room for -wal

// A folder of its own for each run, where names without a folder lead to.
class WorkingFolder {
 public:
  WorkingFolder() { fs::current_path(dir_.path()); }
  ~WorkingFolder() { fs::current_path(before_); }

 private:
  const fs::path before_ = fs::current_path();
  const TempDir dir_;
};

bool names_a_file(const std::string& path) {
  return !path.empty() && path.size() <= kLongestName && path != "." && path != ".." &&
         path.find('\0') == std::string::npos;
}

void run(FuzzInput input) {
  std::string path = input.rest();
  // Stay in the folder: no path leads out of it.
  std::replace(path.begin(), path.end(), '/', '_');
  const WorkingFolder folder;
  const ReserveRequest request{.counter = {.name = "orders"}, .count = 10, .floor = std::nullopt};
  const auto reserve = [&] { return make_store(path)->reserve(request); };

  const Result<Range> first = reserve();
  if (!first.ok()) {
    require(!names_a_file(path), "every name of a file is taken");
    require(!first.error().message.empty(), "an error says what is wrong");
    return;
  }
  require(first.value() == Range{1, 11}, "a new file counts from the start");
  std::error_code error;
  require(fs::is_regular_file(path, error), "the file has its name");
  const Result<Range> second = reserve();
  require(second.ok() && second.value() == Range{11, 21}, "whoever opens the file anew goes on counting");
}

}  // namespace
}  // namespace nextid::sqlite

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::sqlite::run(nextid::FuzzInput(data, size));
  return 0;
}
