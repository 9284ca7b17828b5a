#include "core/holding.h"

#include <algorithm>
#include <utility>

namespace nextid {

void Holding::make_room() {
  // Two more places: one for the rest of a window, one for a range that a block splits while its window is
  // open.
  const size_t places = memory_.size() + (window_ > 0 ? 1 : 0) + 2;
  memory_.reserve(places);
  pieces_.reserve(places);
}

void Holding::add(Range range, TimePoint until) {
  if (range.empty()) return;
  if (memory_.size() + (window_ > 0 ? 2 : 1) > memory_.capacity()) make_room();
  count_ += range.count();
  if (!memory_.empty() && memory_.back().range.end == range.first && memory_.back().until == until) {
    memory_.back().range.end = range.end;
  } else {
    memory_.push_back({range, until});
  }
}

Range Holding::take_front(int64_t n) {
  Range& front = memory_.front().range;
  const Range taken = front.take_front(n);
  if (front.empty()) memory_.erase(memory_.begin());
  count_ -= taken.count();
  note_given(taken);
  return taken;
}

std::span<const Range> Holding::take_pieces(int64_t n) {
  pieces_.clear();
  for (int64_t missing = n; missing > 0; missing -= pieces_.back().count()) {
    pieces_.push_back(take_front(missing));
  }
  return pieces_;
}

std::optional<Range> Holding::take_block(int64_t n) {
  const auto* cyclic = std::get_if<Cyclic>(&counter_.kind);
  const auto fits = [&](const Held& held) {
    const bool wraps = cyclic != nullptr && n > left_in_round(held.range.first, cyclic->cycle);
    return held.range.count() >= n && !wraps;
  };
  const auto held = std::find_if(memory_.begin(), memory_.end(), fits);
  if (held == memory_.end()) return std::nullopt;
  const Range block = held->range.take_front(n);
  if (held->range.empty()) memory_.erase(held);
  count_ -= n;
  note_given(block);
  return block;
}

int64_t Holding::skip_to(int64_t next) {
  const int64_t before = count_;
  skip_below_ = std::max(skip_below_, next);
  while (!memory_.empty() && memory_.front().range.first < skip_below_) {
    Range& front = memory_.front().range;
    count_ -= front.take_front(skip_below_ - front.first).count();
    if (front.empty()) memory_.erase(memory_.begin());
  }
  return before - count_;
}

int64_t Holding::drop_aged(TimePoint now) {
  const int64_t before = count_;
  while (!memory_.empty() && memory_.front().until <= now) {
    count_ -= memory_.front().range.count();
    memory_.erase(memory_.begin());
  }
  return before - count_;
}

Range Holding::take_last() {
  const Range last = memory_.back().range;
  memory_.pop_back();
  count_ -= last.count();
  return last;
}

int64_t Holding::drop() {
  memory_.clear();
  return std::exchange(count_, 0);
}

Range Holding::not_skipped(Range range) const {
  range.first = std::min(std::max(range.first, skip_below_), std::max(range.first, range.end));
  return range;
}

Range Holding::open_window(int64_t n) {
  given_below_before_window_ = given_below_;
  window_until_ = memory_.front().until;
  const Range window = take_front(n);
  window_ = window.count();
  return window;
}

void Holding::close_window(Range rest) {
  const int64_t window = std::exchange(window_, 0);
  if (rest.empty()) return;
  if (given_below_ == rest.end) {
    given_below_ = given_below_before_window_;
    if (rest.count() < window) note_given({.end = rest.first});
  }
  count_ += rest.count();
  if (!memory_.empty() && memory_.front().range.first == rest.end && memory_.front().until == window_until_) {
    memory_.front().range.first = rest.first;
  } else {
    memory_.insert(memory_.begin(), {rest, window_until_});
  }
}

void Holding::saw_counter(int64_t next) {
  seen_at_ = std::max(seen_at_.value_or(next), next);
  if (!floor_) floor_ = 0;
}

void Holding::note_given(Range range) {
  given_below_ = std::max(given_below_.value_or(range.end), range.end);
}

}  // namespace nextid
