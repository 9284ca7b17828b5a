#include "stores/mongo/counted_field.h"

#include <algorithm>

namespace nextid::mongo {

Document number_between(int64_t least, int64_t most, const Array& types) {
  Document condition;
  condition.number("$gte", least)
      .number("$lte", most)
      .array("$type", types)
      .document("$not", Document().text("$type", "array"));  // the others look into arrays
  return condition;
}

void CountedField::append_step(Document& query, Document& update) const {
  const bool adds = change_ == Change::kAdd;
  if (seen_double_) {
    // $inc would leave it a double, and inexact one day.
    query.document(name_, number_between(*seen_double_, *seen_double_, {"double"}));
    const int64_t to = adds ? *seen_double_ + operand_ : std::max(*seen_double_, operand_);
    update.document("$set", Document().number(name_, to));
  } else {
    // With an int64, so that the field becomes or stays one.
    query.document(name_, number_between(least_, most_, {"int", "long"}));
    update.document(adds ? "$inc" : "$max", Document().number(name_, operand_));
  }
}

std::optional<int64_t> CountedField::after_step(const bson_t* document) const {
  const CounterValue value = read(document);
  if (!value.fine()) return std::nullopt;
  const int64_t now = value.number();
  if (change_ == Change::kRaiseTo) {
    return now >= operand_ ? std::optional(now) : std::nullopt;
  }
  const int64_t before = now - operand_;
  const bool can_be = seen_double_ ? before == *seen_double_ : before >= least_ && before <= most_;
  return can_be ? std::optional(now) : std::nullopt;
}

void CountedField::look(const CounterValue& value) {
  seen_double_.reset();
  if (value.fine() && value.is_double()) seen_double_ = value.number();
}

}  // namespace nextid::mongo
