#pragma once

#include "stores/mongo/growing_counter.h"

namespace nextid::mongo {

inline constexpr GrowingFields kPlainFields{
    .value = "index", .offset = 0, .returned = "indexReturned", .advanced = "indexAdvanced"};

// `{_id: name, index: N}`: N is the next number nobody has reserved.
class PlainCounter final : public GrowingCounter<Plain, kPlainFields> {
 public:
  using GrowingCounter::GrowingCounter;

  // As Store::release().
  static Result<bool> release(CounterCollection& counters, const CounterKey& key, Range unused) {
    return kPlainFields.release(counters, Document().text("_id", key.name), unused);
  }
};

}  // namespace nextid::mongo
