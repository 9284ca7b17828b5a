// Any bytes as a document with a counter: its number is refused, or is the whole number from 0 to 2^63-1 that
// an independent reading of the BSON finds there.

#include <bson/bson.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "fuzz/fuzz_input.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {
namespace {

constexpr char kField[] = "index";

template <typename T>
T read_as(const std::string& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// The number that a field of this type and content stands for, after BSON's specification; none if a counter
// must not hold it.
std::optional<int64_t> number_in(uint8_t type, const std::string& content) {
  constexpr uint8_t kDouble = 0x01;
  constexpr uint8_t kInt32 = 0x10;
  constexpr uint8_t kInt64 = 0x12;
  std::optional<int64_t> number;
  if (type == kInt32 && content.size() >= 4) number = read_as<int32_t>(content);
  if (type == kInt64 && content.size() >= 8) number = read_as<int64_t>(content);
  if (type == kDouble && content.size() >= 8) {
    const auto value = read_as<double>(content);
    if (value >= 0 && value < std::ldexp(1.0, 53) && value == std::floor(value)) {
      number = static_cast<int64_t>(value);
    }
  }
  if (number && *number < 0) return std::nullopt;
  return number;
}

void check(const CounterValue& value) {
  require(!value.fine() || value.number() >= 0, "a counter is never negative");
  // Copied into a message, and from there into JavaScript.
  const std::string found = value.found();
  require(bson_utf8_validate(found.data(), found.size(), true) || found.empty(),
          "a message is UTF-8: " + found);
}

// A document of one field, of any type and content.
void run_field(FuzzInput input) {
  const uint8_t type = input.byte();
  const std::string content = input.rest();
  std::string bytes(4, '\0');
  bytes += static_cast<char>(type);
  bytes.append(kField, sizeof kField);
  bytes += content;
  bytes += '\0';
  const auto length = static_cast<int32_t>(bytes.size());
  std::memcpy(bytes.data(), &length, sizeof length);
  bson_t document;
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  if (!bson_init_static(&document, data, bytes.size())) return;
  const CounterValue value = read_value(&document, {kField});
  check(value);
  const std::optional<int64_t> expected = number_in(type, content);
  // Where libbson finds no field at all, nothing may come of it either.
  require(!value.fine() || expected == value.number(), "the number is the one that stands there");
  const bool whole = bson_validate(&document, BSON_VALIDATE_NONE, nullptr);
  require(!whole || value.fine() == expected.has_value(), "every whole number is taken");
}

// A document of any bytes.
void run_document(FuzzInput input) {
  const std::string bytes = input.rest();
  bson_t document;
  if (!bson_init_static(&document, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size())) return;
  for (const char* path : {kField, "a.b", "a.0"}) check(read_value(&document, {path}));
}

}  // namespace
}  // namespace nextid::mongo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::FuzzInput input(data, size);
  input.below(2) == 0 ? nextid::mongo::run_field(input) : nextid::mongo::run_document(input);
  return 0;
}
