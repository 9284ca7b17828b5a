#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "addon/js_values.h"
#include "core/store.h"

namespace nextid {

// The work of one store: at most `limit` of it on libuv's worker threads at a time, the rest in the order it
// came. Files, DNS and crypto of the service share those threads, and a database may hang.
//
// Thread: the JavaScript thread; only what a StoreWorker executes runs elsewhere.
class StoreQueue {
 public:
  // Starts a piece of work and returns true, or returns false if it is no longer wanted or cannot be started.
  // Must not throw: it may be called when another piece has come to its end.
  using Start = std::function<bool()>;

  StoreQueue(std::shared_ptr<Store> store, size_t limit) : store_(std::move(store)), limit_(limit) {}

  // May throw std::bad_alloc; `start` is not called then.
  void enqueue(Start start) {
    waiting_.push_back(std::move(start));
    ++enqueued_;
    start_next();
  }

  // How many pieces of work have come so far: the place of the next one.
  uint64_t enqueued() const { return enqueued_; }

  // How many pieces have to end, or to begin, before the one with that place begins; 0 once it has.
  size_t ahead_of(uint64_t place) const {
    const uint64_t begun = enqueued_ - waiting_.size();
    return place < begun ? 0 : running_ + static_cast<size_t>(place - begun);
  }

  // Call when a piece of work that was started has come to its end.
  void finished() {
    --running_;
    start_next();
  }

  // Call when the environment is on its way down: what waits is never started.
  void stop() {
    --running_;
    waiting_.clear();
  }

  // REQUIRES: give_up_store() was not called
  const std::shared_ptr<Store>& store() const { return store_; }
  std::shared_ptr<Store> give_up_store() { return std::move(store_); }

  template <typename T>
  void note(const Result<T>& result) {
    if (result.ok()) {
      last_error_.reset();
      release_error_.reset();
    } else {
      keep(result.error(), last_error_);
    }
  }

  // What kept the store from answering last, until it answers; null if nothing did.
  const Error* last_error() const { return last_error_ ? &*last_error_ : nullptr; }

  // What kept the store from taking numbers back, until it answers anything. Who closes many sequences must
  // not wait for it once for each.
  const std::optional<Error>& release_error() const { return release_error_; }
  void note_release(const Result<bool>& result) {
    if (!result.ok()) keep(result.error(), release_error_);
  }

 private:
  // What may pass is kept, if there is memory for it: it only explains what comes after.
  static void keep(const Error& error, std::optional<Error>& place) {
    if (error.error_class == ErrorClass::kFinal) return;
    try {
      place = Error(error);
    } catch (const std::bad_alloc&) {
    }
  }

  void start_next() {
    while (running_ < limit_ && !waiting_.empty()) {
      const Start start = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;  // before the start: what it calls may enqueue more
      if (!start()) --running_;
    }
  }

  std::shared_ptr<Store> store_;
  const size_t limit_;
  size_t running_ = 0;
  uint64_t enqueued_ = 0;
  std::deque<Start> waiting_;
  std::optional<Error> last_error_;
  std::optional<Error> release_error_;
};

// One blocking call of a store, on a libuv worker thread. Deletes itself.
template <typename T>
class StoreWorker final : public Napi::AsyncWorker {
 public:
  using Work = std::function<Result<T>()>;  // on the worker thread
  using Done =
      std::function<void(const Result<T>&)>;  // on the JavaScript thread, unless it is being torn down

  // Starts the work. Call from within a StoreQueue::Start.
  static void run(Napi::Env env, std::shared_ptr<StoreQueue> queue, Work work, Done done) {
    auto worker = std::unique_ptr<StoreWorker>(
        new StoreWorker(env, std::move(queue), std::move(work), std::move(done)));
    worker->Queue();
    worker.release();
  }

 private:
  StoreWorker(Napi::Env env, std::shared_ptr<StoreQueue> queue, Work work, Done done)
      : AsyncWorker(env, "nextid"),
        queue_(std::move(queue)),
        work_(std::move(work)),
        done_(std::move(done)) {}

  // Replaces AsyncWorker's own handling of errors, which knows nothing of ErrorClass.
  void OnExecute(Napi::Env) override { Execute(); }

  void Execute() override {
    try {
      result_ = work_();
    } catch (const std::bad_alloc&) {
      // The store may have done its work before memory ran out.
      result_ = out_of_memory(ErrorClass::kDoubtful);
    } catch (const std::exception& e) {
      result_ = Error{ErrorCode::kStoreUnavailable,
                      ErrorClass::kDoubtful,
                      std::string("the store failed: ") + e.what(),
                      {}};
    }
  }

  void OnWorkComplete(Napi::Env env, napi_status status) override {
    const std::unique_ptr<StoreWorker> deleter(this);
    const Napi::HandleScope scope(env);
    if (status != napi_ok || !can_run_javascript(env)) return queue_->stop();
    Napi::details::WrapCallback(env, [this] {
      queue_->note(result_);
      try {
        done_(result_);
      } catch (...) {
        queue_->finished();
        throw;
      }
      queue_->finished();
      return nullptr;
    });
  }

  const std::shared_ptr<StoreQueue> queue_;
  const Work work_;
  const Done done_;
  Result<T> result_ = Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "not executed", {}};
};

}  // namespace nextid
