#pragma once

#include <bson/bson.h>

#include <cstdint>
#include <string>

namespace nextid::mongo {

// What a number in a counter's document is. Other programs write it too: as an int32, an int64 or, from a
// shell, a double.
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
  bool is_there = false;
  double roughly = -1;  // a number of any type: about which

  // True if it is a whole number: `number`.
  bool fine() const { return kind == Kind::kInteger || kind == Kind::kDouble; }
  // What is wrong with a counter that holds this: `holds …, where … was expected`. Empty if nothing is.
  std::string problem() const;
  // True if a value that is not fine may be replaced by `number`: it is no larger number up to `most`.
  bool gives_way_to(int64_t number, int64_t most = INT64_MAX) const;
};

// Reads the field at `path` of `document`.
CounterValue read_counter_value(const bson_t* document, const char* path);

}  // namespace nextid::mongo
