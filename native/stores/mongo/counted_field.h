#pragma once

#include <cstdint>
#include <optional>

#include "stores/mongo/bson_document.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {

// A field that goes up by $inc or $max, as other programs move it too. It may hold an int32, an int64 or a
// double; a step leaves an int64.
class CountedField {
 public:
  enum class Change { kAdd, kRaiseTo };

  // A field that a change by `operand` fits where it stands from `least` to `most`. REQUIRES: no sum that
  // fits overflows, operand >= 0.
  CountedField(const char* name, Change change, int64_t operand, int64_t least, int64_t most)
      : name_(name), change_(change), operand_(operand), least_(least), most_(most) {}

  // Says in `query` what fits, and in `update` what changes.
  void append_step(Document& query, Document& update) const;

  // Where the field stands in the document that a step left; none if a step cannot have left that.
  std::optional<int64_t> after_step(const bson_t* document) const;

  // Makes the next step suit a field that holds `value`.
  void look(const CounterValue& value);

  CounterValue read(const bson_t* document) const { return read_value(document, {name_}); }

 private:
  const char* const name_;
  const Change change_;
  const int64_t operand_;
  const int64_t least_;
  const int64_t most_;
  std::optional<int64_t> seen_double_;
};

// The condition on a number: from `least` to `most`, of a type `a` or `b`.
Document number_between(int64_t least, int64_t most, const Array& types);

}  // namespace nextid::mongo
