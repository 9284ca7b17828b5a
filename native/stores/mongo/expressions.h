#pragma once

#include <cstdint>

#include "core/limits.h"
#include "stores/mongo/bson_document.h"

namespace nextid::mongo {

// Aggregation expressions, as a pipeline and $expr take them. A field is written `$name`.

inline Document call(const char* op, const Array& arguments) {
  Document expression;
  expression.array(op, arguments);
  return expression;
}

inline Document call(const char* op, const char* field) {
  Document expression;
  expression.text(op, field);
  return expression;
}

// Whether the field is an int32, an int64, or a double that is whole and exact. CounterValue::fine() says the
// same.
inline Document is_whole(const char* field) {
  const Document type = call("$type", field);
  const Document exact = call(
      "$and",
      Array()
          .document(call("$lt", Array().text(field).number(kLargestSafeInteger + 1)))
          .document(call("$eq", Array().document(call("$mod", Array().text(field).number(1))).number(0))));
  return call("$cond", Array()
                           .document(call("$eq", Array().document(type).text("double")))
                           .document(exact)
                           .document(call("$in", Array().document(type).array({"int", "long"}))));
}

// The condition on a field that it holds a number, `value`, of any type; for a query.
inline Document equals_number(int64_t value) {
  Document condition;
  condition.number("$eq", value).document("$not", Document().text("$type", "array"));
  return condition;
}

}  // namespace nextid::mongo
