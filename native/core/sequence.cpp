#include "core/sequence.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace nextid {

namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(50);
constexpr Duration kLongestPause = std::chrono::seconds(1);

// A prefetch that nobody waits for is tried again this often; after that the next call tries.
constexpr int kMostLonelyRetries = 8;

std::string milliseconds(Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) + " ms";
}

}  // namespace

Sequence::Sequence(Options options, SequenceHost& host, uint32_t seed)
    : options_(std::move(options)),
      host_(host),
      policy_(options_.step),
      backoff_(kFirstPause, kLongestPause, seed),
      floor_(options_.floor) {}

std::optional<Range> Sequence::take(TimePoint now) {
  window_ = 0;
  if (closing_) return std::nullopt;
  if (in_memory_ <= watermark()) prefetch_due_ = true;
  start_refill_if_wanted(now);
  update_timer(now);
  if (in_memory_ == 0 || !waiters_.empty()) return std::nullopt;

  // The window ends at the watermark, so that coming back here is what starts the prefetch.
  given_below_before_window_ = given_below_;
  const int64_t above = in_memory_ - watermark();
  const Range window = take_front(above > 0 ? above : in_memory_);
  window_ = window.count();
  return window;
}

Result<uint64_t> Sequence::wait(Waiter::Token token, int64_t count, TimePoint now) {
  if (auto error = refuse_to_queue()) return *error;
  if (!take_back_window()) return no_window_error();
  const uint64_t ticket = ++last_ticket_;
  waiters_.push({token, ticket, count, now + options_.timeout});
  serve_waiters();
  if (!waiters_.empty()) ++counts_.waits;
  if (in_memory_ <= watermark()) prefetch_due_ = true;
  start_refill_if_wanted(now);
  update_timer(now);
  return ticket;
}

Result<uint64_t> Sequence::wait_for_block(Waiter::Token token, int64_t count, TimePoint now) {
  if (auto error = refuse_to_queue()) return *error;
  if (!take_back_window()) return no_window_error();
  const uint64_t ticket = ++last_ticket_;
  const bool others_wait = !waiters_.empty() || !blocks_.empty();
  if (const auto block = others_wait ? std::nullopt : take_block(count)) {
    host_.serve(token, std::span(&*block, 1));
    return ticket;
  }
  blocks_.push({token, ticket, count, now + options_.timeout});
  ++counts_.waits;
  start_refill_if_wanted(now);
  update_timer(now);
  return ticket;
}

Waiter::Token Sequence::cancel(uint64_t ticket, TimePoint now) {
  Waiter::Token token = waiters_.remove(ticket);
  if (token == nullptr) token = blocks_.remove(ticket);
  if (token == nullptr) return nullptr;
  serve_waiters();  // the one that left may have asked for more than those behind it
  update_timer(now);
  return token;
}

void Sequence::learn_floor(int64_t next) {
  seen_at_ = std::max(seen_at_.value_or(next), next);
  if (!floor_) floor_ = 0;
}

bool Sequence::skip_to(int64_t next) {
  if (!take_back_window()) return false;
  skip_below_ = std::max(skip_below_, next);
  while (!memory_.empty() && memory_.front().first < skip_below_) {
    const int64_t below = std::min(memory_.front().end, skip_below_) - memory_.front().first;
    counts_.lost += below;
    in_memory_ -= below;
    memory_.front().first += below;
    if (memory_.front().empty()) memory_.pop_front();
  }
  return true;
}

std::optional<ReserveRequest> Sequence::begin_refill(TimePoint now) {
  refill_ = Refill::kNone;
  if (closing_) {
    finish_close();
    return std::nullopt;
  }
  if (!refill_wanted()) return std::nullopt;

  // All blocks and all waiters in one round trip, and at least a step for those who take from memory.
  int64_t count = blocks_.numbers();
  asked_for_memory_ = prefetch_due_ || shortage() > 0;
  if (asked_for_memory_) {
    // Once, however often it is tried: an outage tells nothing of the load.
    if (backoff_.failures() == 0) policy_.refill_started(counts_.handed_out - window_, now);
    count += std::max(policy_.step(), shortage());
  }
  asked_for_ticket_ = last_ticket_;
  refill_ = Refill::kUnderWay;
  return ReserveRequest{options_.name, options_.start, count, floor_, options_.max_number + 1};
}

void Sequence::on_refill(const Result<Range>& result, TimePoint now) {
  if (!result.ok()) return fail_refill(result.error(), now);

  Range range = result.value();
  if (floor_ && range.first < *floor_) return fail_refill(rewound_error(range), now);
  floor_ = range.end;
  learn_floor(range.end);
  ++counts_.refills;
  last_error_.reset();
  backoff_.reset();
  policy_.refill_succeeded(now - requested_at_);
  refill_ = Refill::kNone;
  if (asked_for_memory_) prefetch_due_ = false;

  const bool overflows = range.end - 1 > options_.max_number;
  const int64_t reserved = range.count();
  range.first = std::max(range.first, skip_below_);
  if (overflows) range.end = options_.max_number + 1;
  if (range.empty()) range.end = range.first;
  counts_.lost += reserved - range.count();
  add_to_memory(range);

  if (closing_) return finish_close();
  if (range.empty() && overflows) return fail_refill(overflow_error(), now);
  serve_blocks(asked_for_ticket_);
  serve_waiters();
  start_refill_if_wanted(now);
  update_timer(now);
}

void Sequence::fail_refill(const Error& error, TimePoint now) {
  ++counts_.failures;
  counts_.lost += error.lost;
  last_error_ = error;
  refill_ = Refill::kNone;
  // Others may be given the numbers in memory a second time from such a counter: no use of them, no release.
  if (error.code == ErrorCode::kSequenceMissing || error.code == ErrorCode::kSequenceRewound) drop_memory();
  if (closing_) return finish_close();

  if (error.error_class == ErrorClass::kFinal) {
    prefetch_due_ = false;
    refuse_all(error);
  } else {
    refill_ = Refill::kPaused;
    paused_until_ = now + backoff_.next();
  }
  update_timer(now);
}

void Sequence::on_timer(TimePoint now) {
  timer_.reset();
  refuse_overdue(now);
  serve_waiters();
  start_refill_if_wanted(now);
  update_timer(now);
}

void Sequence::close(TimePoint now) {
  closing_ = true;
  refuse_all(closed_error());
  take_back_window();
  if (refill_ == Refill::kPaused) refill_ = Refill::kNone;
  update_timer(now);
  if (refill_ == Refill::kNone) finish_close();
}

void Sequence::finish_close() {
  if (memory_.empty()) return host_.closed();
  // Only the last range can end where the counter stands.
  releasing_ = memory_.back();
  counts_.lost += in_memory_ - releasing_.count();
  in_memory_ = releasing_.count();
  memory_.clear();
  host_.request_release(releasing_);
}

void Sequence::on_release(const Result<bool>& result) {
  const bool given_back = result.ok() && result.value();
  (given_back ? counts_.released : counts_.lost) += releasing_.count();
  in_memory_ = 0;
  host_.closed();
}

Sequence::Stats Sequence::stats() const {
  Stats stats = counts_;
  stats.in_memory = in_memory_;
  stats.waiters = static_cast<int64_t>(waiters_.size() + blocks_.size());
  stats.step = policy_.step();
  stats.rate = policy_.rate();
  stats.refill_time = policy_.refill_time();
  stats.refilling = refill_ == Refill::kRequested || refill_ == Refill::kUnderWay;
  if (!memory_.empty()) stats.front = memory_.front();
  stats.floor = seen_at_;
  stats.given_below = given_below_;
  if (last_error_) stats.last_error = &*last_error_;
  return stats;
}

// Up to `n` numbers, unbroken. REQUIRES: numbers in memory
Range Sequence::take_front(int64_t n) {
  const Range taken = memory_.front().take_front(n);
  if (memory_.front().empty()) memory_.pop_front();
  in_memory_ -= taken.count();
  note_given(taken);
  return taken;
}

void Sequence::note_given(Range range) {
  counts_.handed_out += range.count();
  given_below_ = std::max(given_below_.value_or(range.end), range.end);
}

void Sequence::add_to_memory(Range range) {
  if (range.empty()) return;
  in_memory_ += range.count();
  if (!memory_.empty() && memory_.back().end == range.first) {
    memory_.back().end = range.end;
  } else {
    memory_.push_back(range);
  }
}

bool Sequence::take_back_window() {
  if (window_ == 0) return true;
  const std::optional<Range> left = host_.take_back_window();
  if (!left) return false;
  const int64_t window = std::exchange(window_, 0);
  const Range rest = *left;
  if (rest.empty()) return true;
  if (given_below_ == rest.end) {
    given_below_ = rest.count() == window ? given_below_before_window_ : rest.first;
  }
  in_memory_ += rest.count();
  counts_.handed_out -= rest.count();
  if (!memory_.empty() && memory_.front().first == rest.end) {
    memory_.front().first = rest.first;
  } else {
    memory_.push_front(rest);
  }
  return true;
}

void Sequence::drop_memory() {
  take_back_window();
  counts_.lost += in_memory_;
  in_memory_ = 0;
  memory_.clear();
}

void Sequence::serve_waiters() {
  std::vector<Range> pieces;
  while (!waiters_.empty() && waiters_.front().needs() <= in_memory_) {
    const Waiter waiter = waiters_.pop();
    pieces.clear();
    for (int64_t missing = waiter.count; missing > 0; missing -= pieces.back().count()) {
      pieces.push_back(take_front(missing));
    }
    host_.serve(waiter.token, pieces);
  }
}

void Sequence::serve_blocks(uint64_t last_ticket) {
  while (!blocks_.empty() && blocks_.front().ticket <= last_ticket) {
    const std::optional<Range> block = take_block(blocks_.front().count);
    if (!block) return;
    host_.serve(blocks_.pop().token, std::span(&*block, 1));
  }
}

// An unbroken block of `count` numbers, if one is in memory.
std::optional<Range> Sequence::take_block(int64_t count) {
  const auto fits = [count](const Range& range) { return range.count() >= count; };
  const auto range = std::find_if(memory_.begin(), memory_.end(), fits);
  if (range == memory_.end()) return std::nullopt;
  const Range block = range->take_front(count);
  if (range->empty()) memory_.erase(range);
  in_memory_ -= count;
  note_given(block);
  return block;
}

void Sequence::refuse_all(const Error& error) {
  while (!waiters_.empty()) host_.refuse(waiters_.pop().token, error);
  while (!blocks_.empty()) host_.refuse(blocks_.pop().token, error);
}

void Sequence::refuse_overdue(TimePoint now) {
  for (WaiterQueue* queue : {&waiters_, &blocks_}) {
    while (!queue->empty() && queue->front().deadline <= now) {
      ++counts_.timeouts;
      host_.refuse(queue->pop().token, timeout_error());
    }
  }
}

void Sequence::start_refill_if_wanted(TimePoint now) {
  if (closing_ || refill_ == Refill::kRequested || refill_ == Refill::kUnderWay) return;
  if (refill_ == Refill::kPaused && now < paused_until_) return;
  refill_ = Refill::kNone;
  if (!refill_wanted()) return;
  refill_ = Refill::kRequested;
  requested_at_ = now;
  host_.request_refill();
}

void Sequence::update_timer(TimePoint now) {
  const bool somebody_waits = !waiters_.empty() || !blocks_.empty();
  std::optional<TimePoint> next;
  const auto earliest = [&next](TimePoint at) { next = std::min(next.value_or(at), at); };
  if (refill_ == Refill::kPaused && (somebody_waits || backoff_.failures() <= kMostLonelyRetries)) {
    earliest(paused_until_);
  }
  if (!waiters_.empty()) earliest(waiters_.front().deadline);
  if (!blocks_.empty()) earliest(blocks_.front().deadline);
  if (next == timer_ && somebody_waits == timer_keeps_alive_) return;

  timer_ = next;
  timer_keeps_alive_ = somebody_waits;
  host_.set_timer(next ? std::optional(std::max(*next - now, Duration::zero())) : std::nullopt,
                  somebody_waits);
}

std::optional<Error> Sequence::refuse_to_queue() const {
  if (closing_) return closed_error();
  if (waiters_.size() + blocks_.size() >= options_.max_waiters) {
    return Error{ErrorCode::kTooManyWaiters,
                 ErrorClass::kPassing,
                 "the sequence '" + options_.name + "' has " + std::to_string(options_.max_waiters) +
                     " callers waiting already, as many as maxWaiters allows; try again later",
                 {}};
  }
  return std::nullopt;
}

Error Sequence::closed_error() const {
  return {ErrorCode::kClosed, ErrorClass::kFinal, "the sequence '" + options_.name + "' is closed", {}};
}

Error Sequence::no_window_error() const {
  return {ErrorCode::kStoreUnavailable,
          ErrorClass::kPassing,
          "the numbers in memory of the sequence '" + options_.name +
              "' cannot be had at this moment (is the call stack nearly full?); try again",
          {}};
}

Error Sequence::timeout_error() const {
  Error error{
      ErrorCode::kTimeout,
      ErrorClass::kPassing,
      "no number of the sequence '" + options_.name + "' came within " + milliseconds(options_.timeout),
      {}};
  const Error* reason = last_error_ ? &*last_error_ : host_.store_error();
  error.message += reason != nullptr ? ": " + reason->message : ": the store has not answered";
  if (reason != nullptr) error.driver = reason->driver;
  return error;
}

Error Sequence::overflow_error() const {
  return {ErrorCode::kIdOverflow,
          ErrorClass::kFinal,
          "the sequence '" + options_.name + "' has passed its largest number, " +
              std::to_string(options_.max_number) +
              "; open it with bigint: true for numbers up to 2^63-2, or begin a new sequence",
          {}};
}

Error Sequence::rewound_error(Range range) const {
  return {ErrorCode::kSequenceRewound,
          ErrorClass::kFinal,
          "the counter of '" + options_.name + "' gave " + std::to_string(range.first) +
              " after this process had been given numbers below " + std::to_string(*floor_) +
              "; move it up with: nextid advance " + options_.name + " " + std::to_string(*floor_),
          {},
          range.count()};
}

}  // namespace nextid
