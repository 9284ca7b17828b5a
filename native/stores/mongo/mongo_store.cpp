#include "stores/mongo/mongo_store.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "stores/mongo/counter_list.h"
#include "stores/mongo/cyclic_counter.h"
#include "stores/mongo/dated_counter.h"
#include "stores/mongo/plain_counter.h"
#include "stores/mongo/prefix_index.h"
#include "stores/mongo/refusals.h"
#include "stores/mongo/timestamped_counter.h"

namespace nextid::mongo {
namespace {

template <typename Kind>
Result<Range> reserve_of(CounterCollection& counters, const ReserveRequest& request) {
  Kind counter(counters, request);
  return carry_out(counter);
}

template <typename Kind>
Result<std::optional<int64_t>> advance_of(CounterCollection& counters, const AdvanceRequest& request) {
  Kind counter(counters, request);
  if (!request.make) {
    const Result<std::optional<Document>> seen = counters.find(counter.identity());
    if (!seen.ok()) return seen.error();
    if (!seen.value() || !counter.is_in(seen.value()->get())) return std::optional<int64_t>();
  }
  const Result<Range> moved = carry_out(counter);
  if (!moved.ok()) return moved.error();
  return std::optional(moved.value().end);
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
  // Lends `operation` the counters of a place, through a client of its own. One that the driver complained of
  // is not used again.
  template <typename T, typename Operation>
  Result<T> with_counters(const CounterPlace& place, Operation operation);

  const CounterPlace& place_of(CounterKind kind) const {
    return kind == CounterKind::kPlain || kind == CounterKind::kDated ? ids_ : counters_;
  }
  std::optional<Error> make_ready_for(const CounterKey& key, CounterCollection& counters);

  const std::unique_ptr<const MongoUri> uri_;
  const CounterPlace ids_;
  const CounterPlace counters_;
  ClientPool pool_;
  std::atomic<bool> has_prefix_index_{false};  // in ids_; it was seen or made
};

Result<Range> MongoStore::reserve(const ReserveRequest& request) {
  const CounterKind kind = request.counter.kind;
  return with_counters<Range>(place_of(kind), [&](CounterCollection& counters) -> Result<Range> {
    if (auto error = make_ready_for(request.counter, counters)) return *error;
    switch (kind) {
      case CounterKind::kPlain:
        return reserve_of<PlainCounter>(counters, request);
      case CounterKind::kDated:
        return reserve_of<DatedCounter>(counters, request);
      case CounterKind::kCyclic:
        return reserve_of<CyclicCounter>(counters, request);
      case CounterKind::kTimestamped:
        break;
    }
    return reserve_of<TimestampedCounter>(counters, request);
  });
}

// Dated counters without a name need their index.
std::optional<Error> MongoStore::make_ready_for(const CounterKey& key, CounterCollection& counters) {
  const bool needs_index = key.kind == CounterKind::kDated && key.name.empty();
  if (!needs_index || has_prefix_index_) return std::nullopt;
  if (auto error = ensure_prefix_index(counters)) return error;
  has_prefix_index_ = true;
  return std::nullopt;
}

Result<bool> MongoStore::release(const CounterKey& counter, Range unused) {
  return with_counters<bool>(ids_, [&](CounterCollection& counters) {
    return counter.kind == CounterKind::kDated ? release_dated(counters, counter, unused)
                                               : release_plain(counters, counter.name, unused);
  });
}

Result<std::optional<int64_t>> MongoStore::advance(const AdvanceRequest& request) {
  using Next = std::optional<int64_t>;
  const CounterKind kind = request.counter.kind;
  return with_counters<Next>(place_of(kind), [&](CounterCollection& counters) -> Result<Next> {
    if (auto error = make_ready_for(request.counter, counters)) return *error;
    switch (kind) {
      case CounterKind::kPlain:
        return advance_of<PlainCounter>(counters, request);
      case CounterKind::kDated:
        return advance_of<DatedCounter>(counters, request);
      case CounterKind::kCyclic:
        return advance_of<CyclicCounter>(counters, request);
      case CounterKind::kTimestamped:
        break;
    }
    return advance_of<TimestampedCounter>(counters, request);
  });
}

Result<std::vector<CounterInfo>> MongoStore::list() {
  using List = std::vector<CounterInfo>;
  List list;
  const auto add = [&](const CounterPlace& place, Kinds kinds) {
    const auto add_those = [&](CounterCollection& counters) -> Result<bool> {
      if (auto error = list_counters(counters, kinds, list)) return *error;
      return true;
    };
    return with_counters<bool>(place, add_those);
  };
  if (ids_.collection == counters_.collection) {
    if (const auto done = add(ids_, Kinds::kAll); !done.ok()) return done.error();
  } else {
    if (const auto done = add(ids_, Kinds::kPlainAndDated); !done.ok()) return done.error();
    if (const auto done = add(counters_, Kinds::kCyclicAndTimestamped); !done.ok()) return done.error();
  }
  std::sort(list.begin(), list.end(), [](const CounterInfo& a, const CounterInfo& b) {
    return std::tie(a.key.name, a.key.kind, a.key.prefix) < std::tie(b.key.name, b.key.kind, b.key.prefix);
  });
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

Result<std::unique_ptr<Store>> make_store(const std::string& url, const std::string& collection,
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
  if (auto error = uri->parse(url)) return *error;
  return std::unique_ptr<Store>(
      std::make_unique<MongoStore>(std::move(uri), collection, counters_collection));
}

}  // namespace nextid::mongo
