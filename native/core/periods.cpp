#include "core/periods.h"

#include <cstddef>

namespace nextid {

namespace {

// The number of past periods whose last given number is remembered.
constexpr size_t kMostPeriods = 1000;

}  // namespace

Holding Periods::open(CounterKey counter) const {
  const auto given = given_below_.find(prefix_of(counter));
  return given == given_below_.end() ? Holding(std::move(counter))
                                     : Holding(std::move(counter), given->second);
}

Holding Periods::enter(CounterKey next, const Holding& current) {
  GivenBelow given = given_below(current);
  Holding entered = prepared(prefix_of(next)) ? *take_prepared() : open(std::move(next));
  given_below_ = std::move(given);
  return entered;
}

std::optional<Holding> Periods::prepare(CounterKey next) {
  auto prepared = std::make_unique<Prepared>(Prepared{open(std::move(next))});
  std::optional<Holding> before = take_prepared();
  prepared_ = std::move(prepared);
  return before;
}

Holding* Periods::prepared(int64_t prefix) const {
  return prepared_ && prefix_of(prepared_->holding.counter()) == prefix ? &prepared_->holding : nullptr;
}

std::optional<Holding> Periods::take_prepared() {
  if (!prepared_) return std::nullopt;
  std::optional<Holding> holding = std::move(prepared_->holding);
  prepared_.reset();
  return holding;
}

Periods::GivenBelow Periods::given_below(const Holding& current) const {
  GivenBelow given = given_below_;
  if (const auto below = current.given_below()) given.insert_or_assign(prefix_of(current.counter()), *below);
  if (given.size() > kMostPeriods) given.erase(given.begin());
  return given;
}

}  // namespace nextid
