#include "native/contract/store_under_test.h"
#include "native/memory_store.h"

namespace nextid::contract {
namespace {

CounterValue value_of(const Raw& raw, const CounterValue::Expected& expected) {
  if (const auto* integer = std::get_if<int64_t>(&raw)) return CounterValue::integer(expected, *integer);
  if (const auto* real = std::get_if<double>(&raw)) return CounterValue::real(expected, *real);
  if (const auto* text = std::get_if<std::string>(&raw)) return CounterValue::text(expected, *text);
  return CounterValue::other(expected, "NULL");
}

Plain::State state_of(const Plain&, const std::vector<Raw>& values) {
  return {value_of(values.at(0), {"next"}), 0};
}
Dated::State state_of(const Dated&, const std::vector<Raw>& values) {
  return {value_of(values.at(0), {"count"}), 1};
}
Cyclic::State state_of(const Cyclic&, const std::vector<Raw>& values) {
  return {value_of(values.at(0), Cyclic::kVal), value_of(values.at(1), Cyclic::kMaxval)};
}
Timestamped::State state_of(const Timestamped&, const std::vector<Raw>& values) {
  return {{value_of(values.at(0), Timestamped::kSlot), 1}, value_of(values.at(1), Timestamped::kDigits),
          Timestamped::kUtc};
}

class Memory final : public StoreUnderTest {
 public:
  std::unique_ptr<Store> open() override { return std::make_unique<MemoryStore>(counters_); }
  const char* place() const override { return "in memory"; }

  void write(const CounterKey& key, const std::vector<Raw>& values) override {
    std::visit([&](const auto& kind) { counters_->of(kind).insert_or_assign(key, state_of(kind, values)); },
               key.kind);
  }
  void remove(const CounterKey& key) override {
    std::visit([&](const auto& kind) { counters_->of(kind).erase(key); }, key.kind);
  }
  void write_mark(const std::string& name, const Raw& value) override {
    counters_->closed.insert_or_assign({name, "day"},
                                       value_of(value, {"day", kSmallestPrefix, kLargestPrefix}));
  }

 private:
  const std::shared_ptr<MemoryStore::Counters> counters_ = std::make_shared<MemoryStore::Counters>();
};

}  // namespace

StoreName memory() {
  return {"memory", [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<Memory>()); }};
}

}  // namespace nextid::contract
