#include "addon/queued_store.h"

#include <new>
#include <utility>

namespace nextid {
namespace {

// Keeps passing and doubtful errors, if there is memory: they only explain later failures.
void keep(const Error& error, std::optional<Error>& place) {
  if (error.error_class == ErrorClass::kFinal) return;
  try {
    place = Error(error);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

uint64_t QueuedStore::reserve(std::shared_ptr<Reservation> reservation) {
  const uint64_t place = enqueued_;
  enqueue([this, reservation = std::move(reservation)] {
    try {
      const auto request = reservation->begin();
      if (!request) return false;
      const Done<Range> done = [reservation](const Result<Range>& result) { reservation->done(result); };
      start_reserve(*request, finishing(done));
      return true;
    } catch (...) {
      reservation->not_begun();
      return false;
    }
  });
  return place;
}

size_t QueuedStore::ahead_of(uint64_t place) const {
  const uint64_t begun = enqueued_ - waiting_.size();
  return place < begun ? 0 : running_ + static_cast<size_t>(place - begun);
}

// Closing many sequences must not wait once per sequence for a store that is down. So after an error,
// release() fails at once until any request succeeds.
void QueuedStore::release(const CounterKey& counter, Range unused, Done<bool> done) {
  const Done<bool> noting = [this, done = std::move(done)](const Result<bool>& result) {
    if (!result.ok()) keep(result.error(), release_error_);
    done(result);
  };
  enqueue(noting, [this, counter, unused](Done<bool> finish) {
    start_release(counter, unused, release_error_, std::move(finish));
  });
}

void QueuedStore::advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) {
  enqueue(std::move(done), [this, request](Done<std::optional<int64_t>> finish) {
    start_advance(request, std::move(finish));
  });
}

void QueuedStore::list(Done<std::vector<CounterInfo>> done) {
  enqueue(std::move(done), [this](Done<std::vector<CounterInfo>> finish) { start_list(std::move(finish)); });
}

void QueuedStore::prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) {
  enqueue(std::move(done),
          [this, name, prefixes](Done<int64_t> finish) { start_prune(name, prefixes, std::move(finish)); });
}

void QueuedStore::close(Done<bool> done) {
  enqueue(std::move(done), [this](Done<bool> finish) { start_close(std::move(finish)); });
}

const Error* QueuedStore::last_error() const { return last_error_ ? &*last_error_ : nullptr; }

void QueuedStore::stop() {
  --running_;
  waiting_.clear();
}

void QueuedStore::enqueue(Start start) {
  waiting_.push_back(std::move(start));
  ++enqueued_;
  start_next();
}

template <typename T, typename Begin>
void QueuedStore::enqueue(Done<T> done, Begin begin) {
  enqueue([this, done = std::move(done), begin = std::move(begin)] {
    try {
      begin(finishing(done));
      return true;
    } catch (...) {
      done(out_of_memory(ErrorClass::kPassing));
      return false;
    }
  });
}

void QueuedStore::start_next() {
  while (running_ < limit_ && !waiting_.empty()) {
    const Start start = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;  // before start(), which may enqueue more
    if (!start()) --running_;
  }
}

template <typename T>
AsyncStore::Done<T> QueuedStore::finishing(Done<T> done) {
  return [self = shared_from_this(), done = std::move(done)](const Result<T>& result) {
    self->note(result);
    const auto finish = [&] {
      --self->running_;
      self->start_next();
    };
    try {
      done(result);
    } catch (...) {
      finish();
      throw;
    }
    finish();
  };
}

template <typename T>
void QueuedStore::note(const Result<T>& result) {
  if (result.ok()) {
    last_error_.reset();
    release_error_.reset();
  } else {
    keep(result.error(), last_error_);
  }
}

}  // namespace nextid
