#include "core/sequence.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/sequence_errors.h"

namespace nextid {

namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(50);
// Once the store is back, waiting calls wait for another half of this, on average.
constexpr Duration kLongestPause = std::chrono::milliseconds(500);

// How often the timer repeats a prefetch that nobody waits for; after that the next call repeats it.
constexpr int kMaxIdleRetries = 12;

}  // namespace

Sequence::Sequence(Options options, SequenceHost& host, uint32_t seed)
    : settings_(options),
      host_(host),
      policy_(options.step),
      backoff_(kFirstPause, kLongestPause, seed),
      holding_(std::move(options.counter), options.given_below),
      periods_(std::move(options.given_in_period)) {
  if (prefix_of(counter()) != 0) holding_ = periods_.open(counter());
}

std::optional<Range> Sequence::take(TimePoint now) {
  holding_.window_used_up();
  if (closing_) return std::nullopt;
  drop_aged(now);
  prefetch_if_low();
  start_refill_if_wanted(now);
  update_timer(now);
  if (holding_.empty() || !waiters_.empty()) return std::nullopt;

  // The window ends at the watermark, so that the call after it starts the prefetch.
  const int64_t above = holding_.count() - watermark();
  return hand_out(holding_.open_window(above > 0 ? above : holding_.count()));
}

Result<uint64_t> Sequence::wait(Waiter::Token token, int64_t count, TimePoint now) {
  if (auto error = refuse_to_queue()) return *error;
  if (!take_back_window()) return sequence_errors::no_window(counter());
  drop_aged(now);
  count_wait_time(now);
  const uint64_t ticket = ++last_ticket_;
  waiters_.push({token, ticket, count, now + settings_.timeout});
  serve_waiters();
  const bool waits = !waiters_.empty();
  if (waits) ++counts_.waits;
  prefetch_if_low();
  start_refill_if_wanted(now);
  update_timer(now);
  return waits ? ticket : 0;
}

Result<uint64_t> Sequence::wait_for_block(Waiter::Token token, int64_t count, TimePoint now) {
  if (auto error = refuse_to_queue()) return *error;
  if (!take_back_window()) return sequence_errors::no_window(counter());
  drop_aged(now);
  count_wait_time(now);
  const bool others_wait = !waiters_.empty() || !blocks_.empty();
  if (const auto block = others_wait ? std::nullopt : holding_.take_block(count)) {
    const Range served = hand_out(*block);
    host_.serve(token, std::span(&served, 1));
    return 0;
  }
  const uint64_t ticket = ++last_ticket_;
  blocks_.push({token, ticket, count, now + settings_.timeout});
  ++counts_.waits;
  start_refill_if_wanted(now);
  update_timer(now);
  return ticket;
}

Result<uint64_t> Sequence::wait_for_counter(Waiter::Token token, TimePoint now) {
  if (!take_back_window()) return sequence_errors::no_window(counter());
  drop_memory(holding_);
  return wait(token, 0, now);
}

Waiter::Token Sequence::cancel(uint64_t ticket, TimePoint now) {
  count_wait_time(now);
  Waiter::Token token = waiters_.remove(ticket);
  if (token == nullptr) token = blocks_.remove(ticket);
  if (token == nullptr) return nullptr;
  drop_aged(now);
  serve_waiters();  // those behind it may need fewer numbers
  update_timer(now);
  return token;
}

bool Sequence::skip_to(int64_t next, int64_t prefix, TimePoint now) {
  skipped_refill_id_ = last_refill_id_;
  if (wraps_around(counter())) {
    // Later rounds have ids below `next` too.
    if (!take_back_window()) return false;
    drop_memory(holding_);
    if (under_way()) abandon_refill();
    start_refill_if_wanted(now);
  } else if (prefix_of(counter()) == prefix) {
    if (!take_back_window()) return false;
    counts_.lost += holding_.skip_to(next);
  } else if (Holding* prepared = periods_.prepared(prefix)) {
    counts_.lost += prepared->skip_to(next);
  }
  return true;
}

void Sequence::drop_aged(TimePoint now) {
  if (settings_.max_age && take_back_window()) counts_.lost += holding_.drop_aged(now);
}

bool Sequence::switch_to(int64_t prefix, TimePoint now) {
  if (closing_ || prefix_of(counter()) == prefix) return true;
  if (!take_back_window()) return false;
  count_wait_time(now);

  const bool is_prepared = periods_.prepared(prefix) != nullptr;
  Holding next = periods_.enter(of_period(counter(), prefix), holding_);
  // Nothing below can throw.
  if (UnderWay* refill = under_way()) {
    if (is_prepared && refill->to_prepare) {
      refill->to_prepare = false;  // its period is the current one now
      refill->for_memory = true;
    } else {
      abandon_refill();
    }
  }
  give_back(holding_);
  if (std::optional<Holding> other = periods_.take_prepared()) give_back(*other);
  holding_ = std::move(next);
  prefetch_due_ = false;  // it was for the other counter

  serve_waiters();
  start_refill_if_wanted(now);
  update_timer(now);
  return true;
}

void Sequence::prepare(int64_t prefix, TimePoint now) {
  if (closing_ || prefix_of(counter()) == prefix || periods_.prepared(prefix)) return;
  std::optional<Holding> before = periods_.prepare(of_period(counter(), prefix));
  // Nothing below can throw.
  if (before) {
    if (const UnderWay* refill = under_way(); refill && refill->to_prepare) abandon_refill();
    give_back(*before);
  }
  start_refill_if_wanted(now);
  update_timer(now);
}

std::optional<Sequence::BegunRefill> Sequence::begin_refill(TimePoint now) {
  const TimePoint requested_at = std::get<Requested>(refill_).at;
  refill_ = Idle();
  if (closing_) {
    finish_close();
    return std::nullopt;
  }
  drop_aged(now);  // before counting what waiters lack: they do not get numbers that are too old
  if (!refill_wanted()) return std::nullopt;

  // One round trip serves all blocks and all waiters, and brings at least a step for calls that take from
  // memory. With `exact` or in a cycle, each block is a refill of its own, because it may fail on its own.
  // The order is that of the calls.
  const bool block_first =
      !blocks_.empty() && (waiters_.empty() || blocks_.front().ticket < waiters_.front().ticket);
  const bool one_by_one = settings_.exact || wraps_around(counter());
  const bool one_block = one_by_one && block_first;
  UnderWay refill{
      .id = last_refill_id_ + 1, .requested_at = requested_at, .begun_at = now, .last_ticket = last_ticket_};
  int64_t count = 0;
  if (one_block) {
    count = blocks_.front().count;
    refill.block_ticket = blocks_.front().ticket;
  } else if (!one_by_one && !blocks_.empty()) {
    count = blocks_.numbers();
    refill.block_ticket = last_ticket_;
  }
  refill.for_memory = !one_block && memory_wanted();
  refill.to_prepare = !refill.for_memory && blocks_.empty();
  Holding& holding = holding_of(refill);
  holding.make_room();  // before the range is reserved: it would be lost if memory ran out later
  BegunRefill begun{refill.id,
                    {.counter = holding.counter(),
                     .start = settings_.start,
                     .floor = holding.floor(),
                     .limit = settings_.max_number + 1,
                     .unbroken = one_block,
                     .max_skew = settings_.max_skew}};
  if (refill.for_memory) {
    // Only the first attempt counts: retries during an outage say nothing about the load.
    if (backoff_.failures() == 0) {
      policy_.refill_started(counts_.handed_out - holding_.window(), waiters_.numbers(), now);
    }
    count += settings_.exact ? shortage() : std::max(policy_.step(), shortage());
  } else if (refill.to_prepare) {
    count = policy_.step();
  }
  begun.request.count = count;
  // A block needs its numbers in one range.
  if (!settings_.exact && blocks_.empty()) begun.request.returned_from = holding.takes_returned_from();
  last_refill_id_ = refill.id;
  refill_ = refill;
  return begun;
}

void Sequence::refill_not_begun(TimePoint now) { fail_refill(out_of_memory(ErrorClass::kPassing), now); }

const Error* Sequence::on_refill(const BegunRefill& begun, const Result<Range>& result, TimePoint now) {
  count_wait_time(now);
  if (!under_way() || under_way()->id != begun.id) {
    // It was abandoned; its numbers may still be given back.
    --abandoned_refills_;
    ++returns_ended_;
    if (result.ok()) {
      ++counts_.refills;
      if (begun.id > skipped_refill_id_) {
        give_back(begun.request.counter, result.value());
      } else {
        counts_.lost += result.value().count();  // giving the range back could undo skip_to()
      }
    } else {
      ++counts_.failures;
      counts_.lost += result.error().lost;
    }
    finish_close();
    return result.ok() ? nullptr : &result.error();
  }
  const UnderWay refill = *under_way();
  Holding& holding = holding_of(refill);
  if (!result.ok()) {
    if (result.error().unconfirmed) {
      holding.suspect(now);
    } else {
      holding.trust();
    }
    return fail_refill(result.error(), now);
  }
  holding.trust();

  Range range = result.value();
  if (const auto floor = holding.floor(); floor && range.first < *floor && !range.empty()) {
    return fail_refill(sequence_errors::rewound(holding.counter(), range, *floor), now);
  }
  if (!range.empty()) holding.set_floor(range.end);
  holding.saw_counter(range.end);
  ++counts_.refills;
  last_error_.reset();
  backoff_.reset();
  policy_.refill_succeeded(now - refill.requested_at);
  refill_ = Idle();
  if (refill.for_memory) prefetch_due_ = false;
  if (refill.to_prepare) periods_.refill_done();

  const bool overflows = range.end - 1 > settings_.max_number;
  const int64_t reserved = range.count();
  if (overflows) range.end = std::max(range.first, settings_.max_number + 1);
  range = holding.not_skipped(range);
  counts_.lost += reserved - range.count();
  drop_aged(now);  // before adding: new numbers serve their waiters, even after a refill longer than max_age
  holding.add(range, settings_.max_age ? refill.begun_at + *settings_.max_age : TimePoint::max());

  if (closing_) {
    finish_close();
    return nullptr;
  }
  if (range.empty() && overflows && !refill.to_prepare) {
    return fail_refill(sequence_errors::overflow(counter(), settings_.max_number), now);
  }
  serve_blocks(refill.block_ticket);
  // A caller that came after the refill was begun may have seen larger ids of other processes since. It must
  // not get the smaller numbers of a caller that has left.
  serve_waiters(settings_.exact ? refill.last_ticket : UINT64_MAX);
  // Callers that left may leave so many numbers that others wrap around before these are used.
  const bool too_many = wraps_around(counter()) && holding_.count() > policy_.most_kept();
  if (settings_.exact || too_many) drop_memory(holding_);
  // If one range is not enough to stay ahead, the next call must come here to start the next refill.
  if (refill.for_memory && holding_.count() <= watermark()) take_back_window();
  start_refill_if_wanted(now);
  update_timer(now);
  return nullptr;
}

// Handles a refill that failed or was not begun. Returns the error as it is kept.
const Error* Sequence::fail_refill(const Error& error, TimePoint now) {
  ++counts_.failures;
  counts_.lost += error.lost;
  remember(error);
  const UnderWay refill = under_way() ? *under_way() : UnderWay();
  refill_ = Idle();
  // Such a counter may give the numbers in memory to others: neither use them nor give them back.
  if (error.code == ErrorCode::kSequenceMissing || error.code == ErrorCode::kSequenceRewound) {
    if (!refill.to_prepare) take_back_window();
    drop_memory(holding_of(refill));
  }
  if (closing_) {
    finish_close();
    return last_error_.get();
  }

  if (error.error_class != ErrorClass::kFinal || (error.unconfirmed && !is_confirmed(refill))) {
    refill_ = Paused{now + backoff_.next()};
  } else if (refill.to_prepare) {
    periods_.refill_done();  // the next call in that period reports the error
    start_refill_if_wanted(now);
  } else if (error.code == ErrorCode::kAcrossWrap) {
    refuse_block(refill.block_ticket, error);
    start_refill_if_wanted(now);
  } else {
    prefetch_due_ = false;
    refuse_all(error);
  }
  update_timer(now);
  return last_error_.get();
}

// Whether the unconfirmed error of `refill` is final: see "missing or rewound" above the class.
bool Sequence::is_confirmed(const UnderWay& refill) {
  const std::optional<TimePoint> since = holding_of(refill).suspect_since();
  return since && refill.begun_at - *since >= settings_.confirm_time;
}

void Sequence::on_timer(TimePoint now) {
  timer_.reset();
  count_wait_time(now);
  refuse_overdue(now);
  drop_aged(now);
  serve_waiters();
  start_refill_if_wanted(now);
  update_timer(now);
}

bool Sequence::return_if_idle(int64_t in_window, TimePoint now) {
  const int64_t given = counts_.handed_out - in_window;
  const bool is_used = std::exchange(given_at_idle_check_, given) != given;
  const bool is_busy = somebody_waits() || refill_is<Requested>() || refill_is<UnderWay>() || releases_ > 0 ||
                       abandoned_refills_ > 0;
  if (closing_ || is_used || is_busy) return false;
  const Holding* prepared = periods_.prepared();
  const bool has_numbers = in_window > 0 || !holding_.empty() || (prepared != nullptr && !prepared->empty());
  if (has_numbers && host_.store_error() != nullptr) return false;
  if (!take_back_window()) return false;

  count_wait_time(now);
  refill_ = Idle();
  prefetch_due_ = false;
  give_back(holding_);
  holding_.lower_floor();
  if (std::optional<Holding> other = periods_.take_prepared()) give_back(*other);
  stop_timer();
  return true;
}

void Sequence::close(TimePoint now) {
  closing_ = true;
  count_wait_time(now);
  refuse_all(sequence_errors::closed(counter()));
  take_back_window();
  if (refill_is<Paused>()) refill_ = Idle();
  stop_timer();
  finish_close();
}

void Sequence::finish_close() {
  if (!closing_ || !refill_is<Idle>() || abandoned_refills_ > 0) return;
  give_back(holding_);
  if (Holding* prepared = periods_.prepared()) give_back(*prepared);
  if (releases_ > 0 || closed_) return;
  closed_ = true;
  host_.closed();
}

void Sequence::on_release(Range unused, const Result<bool>& result) {
  const bool given_back = result.ok() && result.value();
  (given_back ? counts_.returned : counts_.lost) += unused.count();
  in_release_ -= unused.count();
  --releases_;
  ++returns_ended_;
  finish_close();
}

Sequence::Stats Sequence::stats() const {
  Stats stats(counts_);
  stats.in_memory = holding_.count() + in_release_;
  if (const Holding* prepared = periods_.prepared()) stats.in_memory += prepared->count();
  stats.waiters = static_cast<int64_t>(waiters_.size() + blocks_.size());
  stats.step = settings_.exact ? 0 : policy_.step();
  stats.rate = policy_.rate();
  stats.refill_time = policy_.refill_time();
  stats.refilling = refill_is<Requested>() || refill_is<UnderWay>();
  if (!holding_.empty()) stats.front = holding_.front();
  stats.seen_at = holding_.seen_at();
  stats.given_below = holding_.given_below();
  stats.last_error = last_error_.get();
  return stats;
}

// Call before a wait begins or ends.
void Sequence::count_wait_time(TimePoint now) {
  counts_.wait_time += static_cast<double>(waiters_.size() + blocks_.size()) * (now - wait_time_counted_);
  wait_time_counted_ = now;
}

void Sequence::prefetch_if_low() {
  if (!settings_.exact && holding_.count() <= watermark()) prefetch_due_ = true;
}

// Counts `range` as handed out.
Range Sequence::hand_out(Range range) {
  counts_.handed_out += range.count();
  return range;
}

bool Sequence::take_back_window() {
  if (holding_.window() == 0) return true;
  const std::optional<Range> rest = host_.take_back_window();
  if (!rest) return false;
  holding_.close_window(*rest);
  counts_.handed_out -= rest->count();
  return true;
}

void Sequence::drop_memory(Holding& holding) { counts_.lost += holding.drop(); }

// Gives all numbers in memory back. The last range goes first: it may lower the counter.
void Sequence::give_back(Holding& holding) {
  while (!holding.empty()) give_back(holding.counter(), holding.take_last());
}

void Sequence::give_back(const CounterKey& counter, Range unused) {
  if (unused.empty()) return;
  if (!gives_back(counter)) {
    counts_.lost += unused.count();
    return;
  }
  in_release_ += unused.count();
  ++releases_;
  try {
    host_.request_release(counter, unused);
  } catch (const std::bad_alloc&) {
    counts_.lost += unused.count();
    in_release_ -= unused.count();
    --releases_;
  }
}

// Keeps `error` as the last one; without its text if memory is short.
void Sequence::remember(const Error& error) {
  static const Error kNoMemory = out_of_memory(ErrorClass::kPassing);
  try {
    last_error_ = std::make_shared<Error>(error);
  } catch (const std::bad_alloc&) {
    last_error_ = {std::shared_ptr<void>(), &kNoMemory};
  }
}

void Sequence::abandon_refill() {
  ++abandoned_refills_;
  refill_ = Idle();
}

void Sequence::serve_waiters(uint64_t last_ticket) {
  while (!waiters_.empty() && waiters_.front().ticket <= last_ticket &&
         waiters_.front().needs() <= holding_.count()) {
    const Waiter waiter = waiters_.pop();
    counts_.handed_out += waiter.count;
    host_.serve(waiter.token, holding_.take_pieces(waiter.count));
  }
}

void Sequence::serve_blocks(uint64_t last_ticket) {
  while (!blocks_.empty() && blocks_.front().ticket <= last_ticket) {
    const int64_t count = blocks_.front().count;
    if (count == 0) {
      host_.serve(blocks_.pop().token, {});
      continue;
    }
    const std::optional<Range> block = holding_.take_block(count);
    if (!block) return;
    const Range served = hand_out(*block);
    host_.serve(blocks_.pop().token, std::span(&served, 1));
  }
}

void Sequence::refuse_all(const Error& error) {
  while (!waiters_.empty()) host_.refuse(waiters_.pop().token, error);
  while (!blocks_.empty()) host_.refuse(blocks_.pop().token, error);
}

// Rejects the block with `ticket`, which is the first one unless its caller has left.
void Sequence::refuse_block(uint64_t ticket, const Error& error) {
  if (blocks_.empty() || blocks_.front().ticket != ticket) return;
  host_.refuse(blocks_.pop().token, error);
}

void Sequence::refuse_overdue(TimePoint now) {
  for (WaiterQueue* queue : {&waiters_, &blocks_}) {
    while (!queue->empty() && queue->front().deadline <= now) {
      ++counts_.timeouts;
      const Error* reason = last_error_ ? last_error_.get() : host_.store_error();
      const Error error = sequence_errors::timeout(counter(), settings_.timeout, reason);
      host_.refuse(queue->pop().token, error);
    }
  }
}

void Sequence::start_refill_if_wanted(TimePoint now) {
  if (closing_ || refill_is<Requested>() || refill_is<UnderWay>()) return;
  if (const Paused* paused = std::get_if<Paused>(&refill_); paused && now < paused->until) return;
  refill_ = Idle();
  if (!refill_wanted()) return;
  refill_ = Requested{now};
  try {
    host_.request_refill();
  } catch (const std::bad_alloc&) {
    refill_not_begun(now);
  }
}

void Sequence::update_timer(TimePoint now) {
  std::optional<TimePoint> next;
  const auto earliest = [&next](TimePoint at) { next = std::min(next.value_or(at), at); };
  const Paused* paused = std::get_if<Paused>(&refill_);
  if (paused && (somebody_waits() || backoff_.failures() <= kMaxIdleRetries)) {
    earliest(paused->until);
  }
  if (!waiters_.empty()) earliest(waiters_.front().deadline);
  if (!blocks_.empty()) earliest(blocks_.front().deadline);
  // A timer that fires too early does no harm; setting one for each wait would be slow. A refill under way
  // keeps the process alive by itself.
  const bool in_time = !next || (timer_ && *timer_ <= *next);
  const bool keep_alive = somebody_waits() && paused;
  if (in_time && keep_alive == timer_keeps_alive_) return;

  const auto in = next ? std::optional(std::max(*next - now, Duration::zero())) : std::nullopt;
  if (!host_.set_timer(in, keep_alive)) return;
  timer_ = next;
  timer_keeps_alive_ = keep_alive;
}

void Sequence::stop_timer() {
  host_.set_timer(std::nullopt, false);
  timer_.reset();
  timer_keeps_alive_ = false;
}

std::optional<Error> Sequence::refuse_to_queue() const {
  if (closing_) return sequence_errors::closed(counter());
  if (waiters_.size() + blocks_.size() >= settings_.max_waiters) {
    return sequence_errors::too_many_waiters(counter(), settings_.max_waiters);
  }
  return std::nullopt;
}

}  // namespace nextid
