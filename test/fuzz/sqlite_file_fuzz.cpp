// A store's file, and its -wal, with bytes flipped or cut off: whatever is done with it then ends in a result
// or an Error, never in a crash or a hang, and no number is given twice.
//
// What cannot be promised: that numbers given before the damage do not come again. SQLite keeps no checksums
// of its pages, so a flip within the value of a counter looks like any other value.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "native/temp_dir.h"
#include "stores/sqlite/sqlite_store.h"

namespace nextid::sqlite {
namespace {

namespace fs = std::filesystem;

const std::vector<CounterKey>& counters() {
  static const std::vector<CounterKey> keys = {
      {.name = "orders"},
      {.name = "parts"},
      {.name = "orders", .kind = Dated{140625}},
      {.name = "", .kind = Dated{140626}},
      {.name = "serial", .kind = Cyclic{1'000'000}},
      {.name = "trace", .kind = Timestamped{2}},
  };
  return keys;
}

ReserveRequest ask(const CounterKey& key, int64_t count) {
  return {.counter = key, .count = count, .floor = std::nullopt};
}

// The bytes of a store: of the file itself, and of its -wal if there is one.
struct Image {
  std::string main;
  std::string wal;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

const TempDir& folder() {
  static const TempDir dir;
  return dir;
}

// A store with counters of all kinds: as it is after it was closed, and as a crash leaves it.
const std::vector<Image>& images() {
  static const std::vector<Image> made = [] {
    const std::string path = folder() / "made.db";
    std::vector<Image> images;
    const std::unique_ptr<Store> other = make_store(path);
    {
      const std::unique_ptr<Store> store = make_store(path);
      for (const CounterKey& key : counters())
        require(store->reserve(ask(key, 1000)).ok(), "counters are made");
      for (int64_t i = 0; i < 100; ++i) store->advance("filler " + std::to_string(i), i);
      require(store->prune("orders", {140601, 140602}).ok(), "periods are pruned");
      images.push_back({read_file(path), read_file(path + "-wal")});
    }
    images.push_back({read_file(path), ""});
    return images;
  }();
  return made;
}

void damage(FuzzInput& input, std::string& bytes) {
  if (bytes.empty()) return;
  const size_t place = static_cast<uint32_t>(input.number()) % bytes.size();
  switch (input.below(4)) {
    case 0:
      bytes.resize(place);
      break;
    case 1: {
      const std::string other = input.text();
      bytes.replace(place, std::min(other.size(), bytes.size() - place), other);
      break;
    }
    default:
      bytes[place] = static_cast<char>(bytes[place] ^ static_cast<char>(1 + input.below(255)));
  }
}

// The numbers that were given since the damage.
class Given {
 public:
  void add(const CounterKey& key, Range range) {
    if (range.empty()) return;
    require(range.first >= 0, "numbers are not negative");
    if (is<Cyclic>(key)) return;  // comes round again: what a flip made of it is allowed
    std::vector<Range>& ranges = ranges_[{key.kind.index(), key.name}];
    for (const Range& before : ranges) {
      const bool apart = range.first >= before.end || before.first >= range.end;
      require(apart, "no number is given twice: " + describe(key) + " at " + std::to_string(range.first));
    }
    ranges.push_back(range);
  }

 private:
  std::map<std::pair<size_t, std::string>, std::vector<Range>> ranges_;
};

template <typename T>
void check(const Result<T>& result) {
  require(result.ok() || !result.error().message.empty(), "an error says what is wrong");
}

void use(Store& store, FuzzInput& input, Given& given) {
  for (int i = 0; i < 4; ++i) {
    const CounterKey& key = counters()[input.below(counters().size())];
    switch (input.below(6)) {
      default: {
        const Result<Range> range = store.reserve(ask(key, 1 + input.below(100)));
        check(range);
        if (range.ok()) given.add(key, range.value());
        break;
      }
      case 3:
        check(store.list());
        break;
      case 4:
        check(store.advance("orders", input.byte() * 100));
        break;
      case 5:
        check(store.prune("orders", {140603, 140604}));
        break;
    }
  }
}

void run(FuzzInput input) {
  Image image = images()[input.below(images().size())];
  for (uint32_t i = 1 + input.below(8); i > 0; --i)
    damage(input, input.below(4) == 0 ? image.wal : image.main);
  const std::string path = folder() / "damaged.db";
  fs::remove(path + "-shm");
  write_file(path, image.main);
  if (image.wal.empty()) {
    fs::remove(path + "-wal");
  } else {
    write_file(path + "-wal", image.wal);
  }
  Given given;
  const std::unique_ptr<Store> other = make_store(path);
  {
    const std::unique_ptr<Store> store = make_store(path);
    use(*store, input, given);
    use(*other, input, given);
  }
  use(*other, input, given);
}

}  // namespace
}  // namespace nextid::sqlite

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  nextid::sqlite::images();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::sqlite::run(nextid::FuzzInput(data, size));
  return 0;
}
