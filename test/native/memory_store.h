#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/counter_errors.h"
#include "core/store.h"

namespace nextid {

// A store in memory, which has nothing but core's rules. Stores with the same `Counters` share them, as two
// connections to one database do.
class MemoryStore final : public Store {
 public:
  struct ListedBefore {
    bool operator()(const CounterKey& a, const CounterKey& b) const { return listed_before(a, b); }
  };
  template <typename Kind>
  struct Table : std::map<CounterKey, typename Kind::State, ListedBefore> {};

  struct Counters {
    std::mutex mutex;
    std::tuple<Table<Plain>, Table<Dated>, Table<Cyclic>, Table<Timestamped>> tables;
    std::map<std::pair<std::string, std::string>, CounterValue> closed;  // by name and kind of period

    template <typename Kind>
    Table<Kind>& of(const Kind&) {
      return std::get<Table<Kind>>(tables);
    }
  };

 private:
  template <typename Body>
  auto with(const CounterKey& key, const Body& body) {
    const std::lock_guard lock(counters_->mutex);
    return std::visit([&](const auto& kind) { return body(kind, counters_->of(kind)); }, key.kind);
  }

 public:
  explicit MemoryStore(std::shared_ptr<Counters> counters = std::make_shared<Counters>())
      : counters_(std::move(counters)) {}

  Result<Range> reserve(const ReserveRequest& request) override {
    return with(request.counter, [&](const auto& kind, auto& table) -> Result<Range> {
      const auto found = table.find(request.counter);
      if (found != table.end()) return save(request, table, found->second);
      if (auto error = refuse_closed(request.counter)) return *error;
      if (request.floor) return counter_errors::missing(request.counter, place_, *request.floor);
      return save(request, table, kind.first_state(request.start));
    });
  }

  Result<bool> release(const CounterKey& counter, Range unused) override {
    return with(counter, [&](const auto& kind, auto& table) -> Result<bool> {
      if constexpr (std::decay_t<decltype(kind)>::kGivesBack) {
        const auto found = table.find(counter);
        return found != table.end() && give_back(found->second, unused);
      } else {
        return false;
      }
    });
  }

  Result<std::optional<int64_t>> advance(const AdvanceRequest& request) override {
    using Next = std::optional<int64_t>;
    return with(request.counter, [&](const auto& kind, auto& table) -> Result<Next> {
      const auto found = table.find(request.counter);
      if (found == table.end() && !request.make) return Next();
      if (found == table.end() && !request.restore) {
        if (auto error = refuse_closed(request.counter)) return *error;
      }
      auto state = found == table.end() ? kind.first_state(0) : found->second;
      if (request.restore) repair(state, request);
      if (auto error = check(state, request, place_)) return *error;
      const int64_t next = nextid::advance(state, request);
      table.insert_or_assign(request.counter, state);
      return Next(next);
    });
  }

  Result<std::vector<CounterInfo>> list() override {
    std::map<CounterKey, CounterInfo, ListedBefore> sorted;
    for_each_kind([&](const auto& kind) {
      for (const auto& [key, state] : counters_->of(kind)) {
        CounterInfo info{.key = key, .next = {}, .problem = {}};
        show(state, info);
        sorted.emplace(key, info);
      }
    });
    std::vector<CounterInfo> list;
    for (const auto& [key, info] : sorted) list.push_back(info);
    return list;
  }

  Result<int64_t> prune(const std::string& name, const std::vector<int64_t>& prefixes) override {
    const std::lock_guard lock(counters_->mutex);
    if (prefixes.empty()) return int64_t{0};
    const CounterKey last{.name = name, .kind = Dated{prefixes.back()}};
    CounterValue& mark = mark_of(last);
    if (!mark.fine()) return damaged_mark(last, mark);
    mark.set(std::max(mark.number(), prefixes.back()));
    int64_t removed = 0;
    for (const int64_t prefix : prefixes) {
      removed += static_cast<int64_t>(counters_->of(Dated()).erase({.name = name, .kind = Dated{prefix}}));
    }
    return removed;
  }

 private:
  template <typename Table, typename State>
  Result<Range> save(const ReserveRequest& request, Table& table, State state) {
    const Result<Range> range = nextid::reserve(state, request, place_);
    if (range.ok() && (request.count > 0 || !table.contains(request.counter))) {
      table.insert_or_assign(request.counter, state);
    }
    return range;
  }

  CounterValue& mark_of(const CounterKey& key) {
    return counters_->closed.try_emplace({key.name, period_of(prefix_of(key))}, CounterValue(0))
        .first->second;
  }

  Error damaged_mark(const CounterKey& key, const CounterValue& mark) const {
    return counter_errors::mark_damaged(key.name, prefix_of(key), place_, mark, "in no shell");
  }

  std::optional<Error> refuse_closed(const CounterKey& key) {
    if (!is<Dated>(key)) return std::nullopt;
    const CounterValue& mark = mark_of(key);
    if (!mark.fine()) return damaged_mark(key, mark);
    if (prefix_of(key) > mark.number()) return std::nullopt;
    return counter_errors::pruned(key, place_, mark.number());
  }

  const std::shared_ptr<Counters> counters_;
  const Place place_{"in memory", ""};
};

}  // namespace nextid
