#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "core/store.h"

namespace nextid::contract {

// A value as another program writes it: NULL, an integer, a double, a text.
using Raw = std::variant<std::monostate, int64_t, double, std::string>;

// A store that the contract is tried on, and another program that writes its counters.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;

  // One more connection to the same counters.
  virtual std::unique_ptr<Store> open() = 0;

  // What its messages call the place of a counter, a regular expression.
  virtual const char* place() const = 0;

  // Writes what the counter's State holds, in the order of its members.
  virtual void write(const CounterKey& key, const std::vector<Raw>& values) = 0;
  virtual void remove(const CounterKey& key) = 0;

  // Replaces the returned ranges of a plain or dated counter: by a text such as "300 310", which the store
  // keeps in its own form, or by another value as it is. REQUIRES: the counter is there
  virtual void write_returned(const CounterKey& key, const Raw& value) = 0;

  // Writes the mark up to which each day of `name` was pruned. REQUIRES: there is one
  virtual void write_mark(const std::string& name, const Raw& value) = 0;
};

struct StoreName {
  const char* name;
  std::unique_ptr<StoreUnderTest> (*make)();
  bool (*is_here)() = [] { return true; };  // else it is skipped
};
inline void PrintTo(const StoreName& store, std::ostream* out) { *out << store.name; }

// All stores that this program was built with.
const std::vector<StoreName>& all_stores();

// One of each.
StoreName memory();
StoreName sqlite();
StoreName mongodb();

}  // namespace nextid::contract
