#include "stores/mongo/counter_value.h"

#include <cmath>
#include <cstdlib>

#include "stores/mongo/bson_document.h"

namespace nextid::mongo {
namespace {

constexpr double kDoublesCountByOneBelow = 9007199254740992.0;  // 2^53
constexpr size_t kLongestText = 80;                             // bytes of a value that an error shows

const char* type_name(bson_type_t type) {
  switch (type) {
    case BSON_TYPE_DOUBLE:
      return "double";
    case BSON_TYPE_UTF8:
      return "string";
    case BSON_TYPE_DOCUMENT:
      return "object";
    case BSON_TYPE_ARRAY:
      return "array";
    case BSON_TYPE_BINARY:
      return "binary data";
    case BSON_TYPE_OID:
      return "ObjectId";
    case BSON_TYPE_BOOL:
      return "boolean";
    case BSON_TYPE_DATE_TIME:
      return "date";
    case BSON_TYPE_NULL:
      return "value";
    case BSON_TYPE_REGEX:
      return "regular expression";
    case BSON_TYPE_INT32:
      return "int32";
    case BSON_TYPE_TIMESTAMP:
      return "timestamp";
    case BSON_TYPE_INT64:
      return "int64";
    case BSON_TYPE_DECIMAL128:
      return "decimal128";
    default:
      return "value";
  }
}

// The value alone, as relaxed extended JSON, cut where it grows long.
std::string json_of(const bson_iter_t& value) {
  Document wrapper;
  bson_append_iter(wrapper.get(), "v", 1, &value);
  size_t length = 0;
  char* json = bson_as_relaxed_extended_json(wrapper.get(), &length);
  if (json == nullptr) return "";
  std::string text(json, length);
  bson_free(json);

  const size_t colon = text.find(':');
  const size_t brace = text.rfind('}');
  text = text.substr(colon + 1, brace - colon - 1);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  if (text.size() > kLongestText) {
    text.resize(kLongestText);
    while (!text.empty() && (text.back() & 0xC0) == 0x80) text.pop_back();  // no half of a UTF-8 character
    if (!text.empty() && (text.back() & 0xC0) == 0xC0) text.pop_back();
    text += "…";
  }
  return text;
}

// About which number the value is; -1 if it is none.
double roughly(const bson_iter_t& value) {
  if (BSON_ITER_HOLDS_NUMBER(&value)) return bson_iter_as_double(&value);
  bson_decimal128_t decimal;
  if (!BSON_ITER_HOLDS_DECIMAL128(&value) || !bson_iter_decimal128(&value, &decimal)) return -1;
  char text[BSON_DECIMAL128_STRING];
  bson_decimal128_to_string(&decimal, text);
  return std::strtod(text, nullptr);
}

}  // namespace

std::string CounterValue::problem() const {
  if (fine()) return "";
  const char* inexact = kind == Kind::kTooLarge ? " (not exact from 2^53 on)" : "";
  return "holds " + text + inexact + ", where an integer from 0 to 9223372036854775807 was expected";
}

bool CounterValue::gives_way_to(int64_t number, int64_t most) const {
  const bool is_larger = roughly >= static_cast<double>(number) && roughly <= static_cast<double>(most);
  return is_there && !fine() && !is_larger;
}

CounterValue read_counter_value(const bson_t* document, const char* path) {
  CounterValue value;
  const auto field = find_field(document, path);
  if (!field) {
    value.text = std::string("no field ") + path;
    return value;
  }
  const bson_type_t type = bson_iter_type(&*field);
  value.text = std::string("the ") + type_name(type) + json_of(*field);
  value.is_there = true;
  value.roughly = roughly(*field);

  if (type == BSON_TYPE_INT32 || type == BSON_TYPE_INT64) {
    value.number = bson_iter_as_int64(&*field);
    if (value.number >= 0) value.kind = CounterValue::Kind::kInteger;
  } else if (type == BSON_TYPE_DOUBLE) {
    const double number = bson_iter_double(&*field);
    if (std::isfinite(number) && number >= kDoublesCountByOneBelow) {
      value.kind = CounterValue::Kind::kTooLarge;
    } else if (number >= 0 && std::trunc(number) == number && std::isfinite(number)) {
      value.kind = CounterValue::Kind::kDouble;
      value.number = static_cast<int64_t>(number);
    }
  }
  return value;
}

}  // namespace nextid::mongo
