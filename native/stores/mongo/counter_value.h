#pragma once

#include <bson/bson.h>

#include <cstdint>
#include <string>

namespace nextid {

// What the field `index` of a counter's document holds. Other programs write it too: as an int32, an int64
// or, from a shell, a double.
struct CounterValue {
  enum class Kind {
    kInteger,   // an int32 or int64 from 0 on: `number`
    kDouble,    // a double that is a whole number from 0 to 2^53-1: `number`
    kTooLarge,  // a double from 2^53 on, where doubles cannot count by one
    kDamaged,   // anything else
  };

  Kind kind = Kind::kDamaged;
  int64_t number = 0;
  std::string text;  // type and value in words: `the double 1.5`, `the string "12"`

  // What is wrong with a counter that holds this: `holds …, where … was expected`. Empty if nothing is.
  std::string problem() const;
};

// Reads the field `index` of `document`.
CounterValue read_counter_value(const bson_t* document);

}  // namespace nextid
