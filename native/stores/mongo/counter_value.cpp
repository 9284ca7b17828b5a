#include "stores/mongo/counter_value.h"

#include <cstdlib>
#include <string>

#include "stores/mongo/bson_document.h"

namespace nextid::mongo {
namespace {

constexpr size_t kLongestText = 80;  // bytes of a value that an error shows

const char* type_name(bson_type_t type) {
  switch (type) {
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
    case BSON_TYPE_TIMESTAMP:
      return "timestamp";
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

// About which number the value is; -1 if it is not a number.
double roughly(const bson_iter_t& value) {
  bson_decimal128_t decimal;
  if (!BSON_ITER_HOLDS_DECIMAL128(&value) || !bson_iter_decimal128(&value, &decimal)) return -1;
  char text[BSON_DECIMAL128_STRING];
  bson_decimal128_to_string(&decimal, text);
  return std::strtod(text, nullptr);
}

}  // namespace

CounterValue read_value(const bson_t* document, const CounterValue::Expected& expected) {
  const auto field = find_field(document, expected.field);
  if (!field) return CounterValue(expected);
  switch (const bson_type_t type = bson_iter_type(&*field)) {
    case BSON_TYPE_INT32:
    case BSON_TYPE_INT64:
      return CounterValue::integer(expected, bson_iter_as_int64(&*field));
    case BSON_TYPE_DOUBLE:
      return CounterValue::real(expected, bson_iter_double(&*field));
    case BSON_TYPE_UTF8: {
      const std::string text = text_of(*field);
      if (bson_utf8_validate(text.data(), text.size(), true)) return CounterValue::text(expected, text);
      return CounterValue::other(expected, "a string that is not UTF-8");
    }
    default:
      return CounterValue::other(expected, std::string("the ") + type_name(type) + json_of(*field),
                                 roughly(*field));
  }
}

}  // namespace nextid::mongo
