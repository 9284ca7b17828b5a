#include <sstream>

#include "native/contract/store_under_test.h"
#include "native/mongo/database.h"
#include "stores/mongo/kind_fields.h"

namespace nextid::contract {
namespace {

std::string json(const Raw& raw) {
  if (const auto* integer = std::get_if<int64_t>(&raw)) {
    return R"({"$numberLong": ")" + std::to_string(*integer) + R"("})";
  }
  if (const auto* real = std::get_if<double>(&raw)) {
    return R"({"$numberDouble": ")" + std::to_string(*real) + R"("})";
  }
  const auto* text = std::get_if<std::string>(&raw);
  return text == nullptr ? "null" : '"' + *text + '"';
}

class Mongo final : public StoreUnderTest {
 public:
  std::unique_ptr<Store> open() override { return mongo::open_mongo(database_.url()); }
  const char* place() const override { return R"(in the collection '\w+' of mongodb://[^ ]+/\w+)"; }

  void write(const CounterKey& key, const std::vector<Raw>& values) override {
    static const std::vector<const char*> kFields[] = {
        {"index"}, {"count"}, {"val", "maxval"}, {"slot", "digits"}};
    std::string document = R"({"_id": )" + id(key);
    if (is<Dated>(key)) {
      if (!key.name.empty()) document += R"(, "name": ")" + key.name + '"';
      document += R"(, "prefix": )" + std::to_string(prefix_of(key));
    }
    for (size_t i = 0; i < values.size(); ++i) {
      document += std::string(R"(, ")") + kFields[key.kind.index()][i] + R"(": )" + json(values[i]);
    }
    database_.put(id(key), document + "}", in(key));
  }
  void write_returned(const CounterKey& key, const Raw& value) override {
    std::string array = json(value);
    if (const auto* text = std::get_if<std::string>(&value)) {
      std::istringstream bounds(*text);
      std::string all;
      for (int64_t bound = 0; bounds >> bound;) all += (all.empty() ? "" : ", ") + json(bound);
      array = "[" + all + "]";
    }
    const std::string field = is<Plain>(key) ? "indexReturned" : "countReturned";
    database_.set(id(key), field, array);
  }
  void remove(const CounterKey& key) override { database_.remove(id(key), in(key)); }
  void write_mark(const std::string& name, const Raw& value) override {
    database_.put('"' + name + R"(:pruned")", R"({"_id": ")" + name + R"(:pruned", "name": ")" + name +
                                                  R"(", "pruned": {"day": )" + json(value) + "}}");
  }

 private:
  static const char* in(const CounterKey& key) {
    return mongo::fields_of(key.kind).in_ids ? "ids" : "counters";
  }
  static std::string id(const CounterKey& key) {
    return '"' + key.name + (is<Dated>(key) ? ":" + std::to_string(prefix_of(key)) : "") + '"';
  }

  mongo::MongoDatabase database_;
};

}  // namespace

StoreName mongodb() {
  return {"mongodb", [] { return std::unique_ptr<StoreUnderTest>(std::make_unique<Mongo>()); },
          [] { return !mongo::environment("MONGODB_URL").empty(); }};
}

}  // namespace nextid::contract
