#include "core/sequence.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/sequence_errors.h"

namespace nextid {

namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(50);
// Once the store is back, waiting calls wait for half of this more, on average.
constexpr Duration kLongestPause = std::chrono::milliseconds(500);

// A prefetch that nobody waits for is tried again this often; after that the next call tries.
constexpr int kMostLonelyRetries = 12;

// The number of past periods whose last given number is remembered.
constexpr size_t kMostPeriods = 1000;

}  // namespace

Sequence::Sequence(Options options, SequenceHost& host, uint32_t seed)
    : settings_(options),
      host_(host),
      policy_(options.step),
      backoff_(kFirstPause, kLongestPause, seed),
      holding_(std::move(options.counter), options.given_below),
      given_in_period_(std::move(options.given_in_period)) {
  if (prefix_of(counter()) != 0) holding_ = holding_of(prefix_of(counter()));
}

std::optional<Range> Sequence::take(TimePoint now) {
  holding_.window_used_up();
  if (closing_) return std::nullopt;
  drop_aged(now);
  prefetch_if_low();
  start_refill_if_wanted(now);
  update_timer(now);
  if (holding_.empty() || !waiters_.empty()) return std::nullopt;

  // The window ends at the watermark, so that coming back here is what starts the prefetch.
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
  serve_waiters();  // the one that left may have asked for more than those behind it
  update_timer(now);
  return token;
}

bool Sequence::skip_to(int64_t next, int64_t prefix, TimePoint now) {
  skipped_refill_id_ = refill_id_;
  if (wraps_around(counter())) {
    // No numbers are in memory, and those of later rounds are below `next` too.
    if (refill_ == Refill::kUnderWay) let_go_of_refill();
    start_refill_if_wanted(now);
  } else if (prefix_of(counter()) == prefix) {
    if (!take_back_window()) return false;
    counts_.lost += holding_.skip_to(next);
  } else if (prepared_ && prefix_of(prepared_->counter()) == prefix) {
    counts_.lost += prepared_->skip_to(next);
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

  const bool is_prepared = prepared_ && prefix_of(prepared_->counter()) == prefix;
  std::map<int64_t, int64_t> given = given_in_period();
  Holding next = is_prepared ? std::move(*prepared_) : holding_of(prefix);
  // Nothing below can throw.
  if (refill_ == Refill::kUnderWay) {
    if (is_prepared && asked_to_prepare_) {
      asked_to_prepare_ = false;  // its numbers are for everybody now
      asked_for_memory_ = true;
    } else {
      let_go_of_refill();
    }
  }
  given_in_period_ = std::move(given);
  give_back(holding_);
  if (prepared_ && !is_prepared) give_back(*prepared_);
  holding_ = std::move(next);
  prepared_.reset();
  prepare_due_ = false;
  prefetch_due_ = false;  // that was of the other counter

  serve_waiters();
  start_refill_if_wanted(now);
  update_timer(now);
  return true;
}

void Sequence::prepare(int64_t prefix, TimePoint now) {
  if (closing_ || prefix_of(counter()) == prefix) return;
  if (prepared_ && prefix_of(prepared_->counter()) == prefix) return;
  auto next = std::make_unique<Holding>(holding_of(prefix));
  if (prepared_) {
    if (refill_ == Refill::kUnderWay && asked_to_prepare_) let_go_of_refill();
    give_back(*prepared_);
  }
  prepared_ = std::move(next);
  prepare_due_ = true;
  start_refill_if_wanted(now);
  update_timer(now);
}

std::optional<Sequence::BegunRefill> Sequence::begin_refill(TimePoint now) {
  refill_ = Refill::kNone;
  if (closing_) {
    finish_close();
    return std::nullopt;
  }
  drop_aged(now);  // first: waiters do not get numbers that are too old
  if (!refill_wanted()) return std::nullopt;

  // All blocks and all waiters in one round trip, and at least a step for those who take from memory. Without
  // memory blocks go one by one: each is refused or not on its own account. Who came first is asked for
  // first.
  const bool block_first =
      !blocks_.empty() && (waiters_.empty() || blocks_.front().ticket < waiters_.front().ticket);
  const bool one_block = settings_.exact && block_first;
  int64_t count = 0;
  asked_for_ticket_ = 0;
  if (one_block) {
    count = blocks_.front().count;
    asked_for_ticket_ = blocks_.front().ticket;
  } else if (!settings_.exact && !blocks_.empty()) {
    count = blocks_.numbers();
    asked_for_ticket_ = last_ticket_;
  }
  begun_at_ticket_ = last_ticket_;
  asked_for_memory_ = !one_block && memory_wanted();
  asked_to_prepare_ = !asked_for_memory_ && blocks_.empty();
  Holding& holding = asked_to_prepare_ ? *prepared_ : holding_;
  holding.make_room();  // now: for lack of memory later, the range would be lost
  BegunRefill refill{refill_id_ + 1,
                     {.counter = holding.counter(),
                      .start = settings_.start,
                      .floor = holding.floor(),
                      .limit = settings_.max_number + 1,
                      .unbroken = one_block,
                      .max_skew = settings_.max_skew}};
  if (asked_for_memory_) {
    // Once, however often it is tried: an outage tells nothing of the load.
    if (backoff_.failures() == 0) {
      policy_.refill_started(counts_.handed_out - holding_.window(), waiters_.numbers(), now);
    }
    count += settings_.exact ? shortage() : std::max(policy_.step(), shortage());
  } else if (asked_to_prepare_) {
    count = policy_.step();
  }
  refill.request.count = count;
  refill_ = Refill::kUnderWay;
  refill_id_ = refill.id;
  begun_at_ = now;
  return refill;
}

void Sequence::refill_not_begun(TimePoint now) { fail_refill(out_of_memory(ErrorClass::kPassing), now); }

const Error* Sequence::on_refill(const BegunRefill& refill, const Result<Range>& result, TimePoint now) {
  count_wait_time(now);
  if (refill.id != refill_id_ || refill_ != Refill::kUnderWay) {
    // It was let go; its numbers may still be given back.
    --let_go_;
    ++returns_ended_;
    if (result.ok()) {
      ++counts_.refills;
      if (refill.id > skipped_refill_id_) {
        give_back(refill.request.counter, result.value());
      } else {
        counts_.lost += result.value().count();  // giving it back could undo skip_to()
      }
    } else {
      ++counts_.failures;
      counts_.lost += result.error().lost;
    }
    finish_close();
    return result.ok() ? nullptr : &result.error();
  }
  Holding& holding = asked_to_prepare_ ? *prepared_ : holding_;
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
  policy_.refill_succeeded(now - requested_at_);
  refill_ = Refill::kNone;
  if (asked_for_memory_) prefetch_due_ = false;
  if (asked_to_prepare_) prepare_due_ = false;

  const bool overflows = range.end - 1 > settings_.max_number;
  const int64_t reserved = range.count();
  if (overflows) range.end = std::max(range.first, settings_.max_number + 1);
  range = holding.not_skipped(range);
  counts_.lost += reserved - range.count();
  drop_aged(now);  // first: fresh numbers serve their waiters, however long the refill took
  holding.add(range, settings_.max_age ? begun_at_ + *settings_.max_age : TimePoint::max());

  if (closing_) {
    finish_close();
    return nullptr;
  }
  if (range.empty() && overflows && !asked_to_prepare_) {
    return fail_refill(sequence_errors::overflow(counter(), settings_.max_number), now);
  }
  serve_blocks(asked_for_ticket_);
  // Who came after the refill was begun may know of ids that others were given since, which are larger than
  // what it brings for callers that have left.
  serve_waiters(settings_.exact ? begun_at_ticket_ : UINT64_MAX);
  if (settings_.exact) drop_memory(holding_);
  // Where one range is not enough to be ahead: the next call comes here, and starts the next refill at once.
  if (asked_for_memory_ && holding_.count() <= watermark()) take_back_window();
  start_refill_if_wanted(now);
  update_timer(now);
  return nullptr;
}

// Returns the error as it is kept.
const Error* Sequence::fail_refill(const Error& error, TimePoint now) {
  ++counts_.failures;
  counts_.lost += error.lost;
  remember(error);
  refill_ = Refill::kNone;
  // Others may be given the numbers in memory a second time from such a counter: no use of them, no release.
  if (error.code == ErrorCode::kSequenceMissing || error.code == ErrorCode::kSequenceRewound) {
    if (!asked_to_prepare_) take_back_window();
    drop_memory(asked_to_prepare_ ? *prepared_ : holding_);
  }
  if (closing_) {
    finish_close();
    return last_error_.get();
  }

  if (error.error_class != ErrorClass::kFinal || (error.unconfirmed && !is_confirmed())) {
    refill_ = Refill::kPaused;
    paused_until_ = now + backoff_.next();
  } else if (asked_to_prepare_) {
    prepare_due_ = false;  // the next call in that period reports it
    start_refill_if_wanted(now);
  } else if (error.code == ErrorCode::kAcrossWrap) {
    refuse_block(error);
    start_refill_if_wanted(now);
  } else {
    prefetch_due_ = false;
    refuse_all(error);
  }
  update_timer(now);
  return last_error_.get();
}

// Whether the refill that was under way found the counter as it has been for long.
bool Sequence::is_confirmed() const {
  const std::optional<TimePoint> since = (asked_to_prepare_ ? *prepared_ : holding_).suspect_since();
  return since && begun_at_ - *since >= settings_.confirm_time;
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

void Sequence::close(TimePoint now) {
  closing_ = true;
  count_wait_time(now);
  refuse_all(sequence_errors::closed(counter()));
  take_back_window();
  if (refill_ == Refill::kPaused) refill_ = Refill::kNone;
  host_.set_timer(std::nullopt, false);
  timer_.reset();
  timer_keeps_alive_ = false;
  finish_close();
}

void Sequence::finish_close() {
  if (!closing_ || refill_ != Refill::kNone || let_go_ > 0) return;
  give_back(holding_);
  if (prepared_) give_back(*prepared_);
  if (releases_ > 0 || closed_) return;
  closed_ = true;
  host_.closed();
}

void Sequence::on_release(Range unused, const Result<bool>& result) {
  const bool given_back = result.ok() && result.value();
  (given_back ? counts_.released : counts_.lost) += unused.count();
  in_release_ -= unused.count();
  --releases_;
  ++returns_ended_;
  finish_close();
}

Sequence::Stats Sequence::stats() const {
  Stats stats(counts_);
  stats.in_memory = holding_.count() + (prepared_ ? prepared_->count() : 0) + in_release_;
  stats.waiters = static_cast<int64_t>(waiters_.size() + blocks_.size());
  stats.step = settings_.exact ? 0 : policy_.step();
  stats.rate = policy_.rate();
  stats.refill_time = policy_.refill_time();
  stats.refilling = refill_ == Refill::kRequested || refill_ == Refill::kUnderWay;
  if (!holding_.empty()) stats.front = holding_.front();
  stats.seen_at = holding_.seen_at();
  stats.given_below = holding_.given_below();
  stats.last_error = last_error_.get();
  return stats;
}

// To be called before anybody begins or ends to wait.
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

// Gives the numbers in memory back, as far as that can be.
void Sequence::give_back(Holding& holding) {
  if (holding.empty()) return;
  // Only the last range can end where the counter stands.
  const Range last = holding.back();
  counts_.lost += holding.drop() - last.count();
  give_back(holding.counter(), last);
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

// Keeps `error` as the last one, in few words where there is no memory for its own.
void Sequence::remember(const Error& error) {
  static const Error kNoMemory = out_of_memory(ErrorClass::kPassing);
  try {
    last_error_ = std::make_shared<Error>(error);
  } catch (const std::bad_alloc&) {
    last_error_ = {std::shared_ptr<void>(), &kNoMemory};
  }
}

std::map<int64_t, int64_t> Sequence::given_in_period() const {
  std::map<int64_t, int64_t> given = given_in_period_;
  if (const auto below = holding_.given_below()) given.insert_or_assign(prefix_of(counter()), *below);
  if (given.size() > kMostPeriods) given.erase(given.begin());
  return given;
}

// A holding of the period `prefix`, with nothing in memory.
Holding Sequence::holding_of(int64_t prefix) const {
  CounterKey key = of_period(counter(), prefix);
  const auto given = given_in_period_.find(prefix);
  return given == given_in_period_.end() ? Holding(std::move(key)) : Holding(std::move(key), given->second);
}

void Sequence::let_go_of_refill() {
  ++let_go_;
  refill_ = Refill::kNone;
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

// Refuses the one block that was asked for, if its caller has not left.
void Sequence::refuse_block(const Error& error) {
  if (blocks_.empty() || blocks_.front().ticket != asked_for_ticket_) return;
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
  if (closing_ || refill_ == Refill::kRequested || refill_ == Refill::kUnderWay) return;
  if (refill_ == Refill::kPaused && now < paused_until_) return;
  refill_ = Refill::kNone;
  if (!refill_wanted()) return;
  refill_ = Refill::kRequested;
  requested_at_ = now;
  try {
    host_.request_refill();
  } catch (const std::bad_alloc&) {
    refill_not_begun(now);
  }
}

void Sequence::update_timer(TimePoint now) {
  std::optional<TimePoint> next;
  const auto earliest = [&next](TimePoint at) { next = std::min(next.value_or(at), at); };
  if (refill_ == Refill::kPaused && (somebody_waits() || backoff_.failures() <= kMostLonelyRetries)) {
    earliest(paused_until_);
  }
  if (!waiters_.empty()) earliest(waiters_.front().deadline);
  if (!blocks_.empty()) earliest(blocks_.front().deadline);
  // A timer that comes too early does no harm: setting one for each wait would. A refill under way keeps the
  // process alive by itself.
  const bool in_time = !next || (timer_ && *timer_ <= *next);
  const bool keep_alive = somebody_waits() && refill_ == Refill::kPaused;
  if (in_time && keep_alive == timer_keeps_alive_) return;

  const auto in = next ? std::optional(std::max(*next - now, Duration::zero())) : std::nullopt;
  if (!host_.set_timer(in, keep_alive)) return;
  timer_ = next;
  timer_keeps_alive_ = keep_alive;
}

std::optional<Error> Sequence::refuse_to_queue() const {
  if (closing_) return sequence_errors::closed(counter());
  if (waiters_.size() + blocks_.size() >= settings_.max_waiters) {
    return sequence_errors::too_many_waiters(counter(), settings_.max_waiters);
  }
  return std::nullopt;
}

}  // namespace nextid
