#include "stores/mongo/mongo_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "stores/mongo/counter_classes.h"
#include "stores/mongo/counter_list.h"
#include "stores/mongo/prefix_index.h"

namespace nextid::mongo {
namespace {

// Calls `operation` with a counter of the class for the kind of `request`.
template <typename Request, typename Operation>
auto with_counter(CounterCollection& counters, const Request& request, const Operation& operation) {
  const auto visit = [&](const auto& kind) {
    CounterClass<std::decay_t<decltype(kind)>> counter(counters, request);
    return operation(static_cast<Counter&>(counter));
  };
  return std::visit(visit, request.counter.kind);
}

class MongoStore final : public Store {
 public:
  MongoStore(std::unique_ptr<const MongoUri> uri, const std::string& collection,
             const std::string& counters_collection)
      : uri_(std::move(uri)), ids_(*uri_, collection), counters_(*uri_, counters_collection), pool_(*uri_) {}

  Result<Range> reserve(const ReserveRequest& request) override;
  Result<bool> release(const CounterKey& counter, Range unused) override;
  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override;
  Result<std::vector<CounterInfo>> list() override;
  Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes) override;

 private:
  // Calls `operation` with the counters of a place and a client that nothing else uses meanwhile. After an
  // error of the driver, no idle client is used again.
  template <typename T, typename Operation>
  Result<T> with_counters(const CounterPlace& place, Operation operation);

  const CounterPlace& place_of(const CounterKey& key) const {
    return fields_of(key.kind).in_ids ? ids_ : counters_;
  }
  std::optional<Error> make_ready_for(const CounterKey& key, CounterCollection& counters);

  const std::unique_ptr<const MongoUri> uri_;
  const CounterPlace ids_;
  const CounterPlace counters_;
  ClientPool pool_;
  std::atomic<bool> has_prefix_index_{false};  // in ids_
};

Result<Range> MongoStore::reserve(const ReserveRequest& request) {
  return with_counters<Range>(place_of(request.counter), [&](CounterCollection& counters) -> Result<Range> {
    if (auto error = make_ready_for(request.counter, counters)) return *error;
    return with_counter(counters, request, carry_out);
  });
}

// Dated counters without a name need their index.
std::optional<Error> MongoStore::make_ready_for(const CounterKey& key, CounterCollection& counters) {
  const bool needs_index = is<Dated>(key) && key.name.empty();
  if (!needs_index || has_prefix_index_) return std::nullopt;
  if (auto error = ensure_prefix_index(counters)) return error;
  has_prefix_index_ = true;
  return std::nullopt;
}

Result<bool> MongoStore::release(const CounterKey& counter, Range unused) {
  return with_counters<bool>(place_of(counter), [&](CounterCollection& counters) -> Result<bool> {
    const auto give_back = [&](const auto& kind) -> Result<bool> {
      if constexpr (std::decay_t<decltype(kind)>::kGivesBack) {
        return CounterClass<std::decay_t<decltype(kind)>>::release(counters, counter, unused);
      } else {
        return false;
      }
    };
    return std::visit(give_back, counter.kind);
  });
}

Result<std::optional<int64_t>> MongoStore::advance(const AdvanceRequest& request) {
  using Next = std::optional<int64_t>;
  const auto move_up = [&](Counter& counter) -> Result<Next> {
    if (!request.make) {
      const Result<std::optional<Document>> seen = counter.counters().find(counter.identity());
      if (!seen.ok()) return seen.error();
      if (!seen.value() || !counter.is_in(seen.value()->get())) return Next();
    }
    const Result<Range> moved = carry_out(counter);
    if (!moved.ok()) return moved.error();
    return Next(moved.value().end);
  };
  return with_counters<Next>(place_of(request.counter), [&](CounterCollection& counters) -> Result<Next> {
    if (auto error = make_ready_for(request.counter, counters)) return *error;
    return with_counter(counters, request, move_up);
  });
}

Result<std::vector<CounterInfo>> MongoStore::list() {
  using List = std::vector<CounterInfo>;
  List list;
  const auto add = [&](const CounterPlace& place, CollectionUse use) {
    return with_counters<bool>(place, [&](CounterCollection& counters) -> Result<bool> {
      if (auto error = list_counters(counters, use, list)) return *error;
      return true;
    });
  };
  const bool is_one = ids_.collection == counters_.collection;
  if (const auto done = add(ids_, {.ids = true, .others = is_one}); !done.ok()) return done.error();
  if (!is_one) {
    if (const auto done = add(counters_, {.ids = false, .others = true}); !done.ok()) return done.error();
  }
  std::sort(list.begin(), list.end(),
            [](const CounterInfo& a, const CounterInfo& b) { return listed_before(a.key, b.key); });
  return list;
}

Result<int64_t> MongoStore::prune(const std::string& name, const std::vector<int64_t>& prefixes) {
  return with_counters<int64_t>(
      ids_, [&](CounterCollection& counters) { return prune_dated(counters, name, prefixes); });
}

template <typename T, typename Operation>
Result<T> MongoStore::with_counters(const CounterPlace& place, Operation operation) {
  const DriverLog log;
  bson_error_t error{};
  std::unique_ptr<Client> client = pool_.take(error);
  if (client == nullptr) return place.errors.of_no_client(error, log.last_error());
  CounterCollection counters(*client, *uri_, place, log);
  Result<T> result = operation(counters);
  if (result.ok() || !result.error().driver) {
    pool_.give_back(std::move(client));
  } else {
    pool_.clear();
  }
  return result;
}

}  // namespace

Result<std::unique_ptr<Store>> make_store(CheckedUrl url, const std::string& collection,
                                          const std::string& counters_collection) {
  for (const std::string& name : {collection, counters_collection}) {
    if (name.empty() || name.find('\0') != std::string::npos) {
      return refusal(
          ErrorCode::kStoreInvalid,
          "the name of the collection for the counters is empty or holds a NUL character; expected a name "
          "such as ids, the default");
    }
  }
  auto uri = std::make_unique<MongoUri>();
  if (auto error = uri->parse(std::move(url))) return *error;
  return std::unique_ptr<Store>(
      std::make_unique<MongoStore>(std::move(uri), collection, counters_collection));
}

}  // namespace nextid::mongo
