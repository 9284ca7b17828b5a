#include "addon/threaded_store.h"

#include <exception>
#include <new>
#include <utility>

#include "addon/js_values.h"

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

Error failure(const char* what) noexcept {
  try {
    return Error{
        ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, std::string("the store failed: ") + what, {}};
  } catch (const std::bad_alloc&) {
    return out_of_memory(ErrorClass::kDoubtful);
  }
}

}  // namespace

// One blocking call, on a worker thread. Deletes itself.
template <typename T>
class ThreadedStore::Worker final : public Napi::AsyncWorker {
 public:
  using Work = std::function<Result<T>()>;  // on the worker thread

  static void start(Napi::Env env, std::shared_ptr<ThreadedStore> store, Work work, Done<T> done) {
    auto worker =
        std::unique_ptr<Worker>(new Worker(env, std::move(store), std::move(work), std::move(done)));
    worker->Queue();
    worker.release();
  }

 private:
  Worker(Napi::Env env, std::shared_ptr<ThreadedStore> store, Work work, Done<T> done)
      : AsyncWorker(env, "nextid"),
        store_(std::move(store)),
        work_(std::move(work)),
        done_(std::move(done)) {}

  void Execute() override {
    try {
      result_ = work_();
    } catch (const std::bad_alloc&) {
      // The store may have done its work before memory ran out.
      result_ = out_of_memory(ErrorClass::kDoubtful);
    } catch (const std::exception& e) {
      result_ = failure(e.what());
    } catch (...) {
      result_ = failure("an unknown exception");
    }
  }

  void OnWorkComplete(Napi::Env env, napi_status status) override {
    if (status == napi_ok && can_run_javascript(env)) return AsyncWorker::OnWorkComplete(env, status);
    store_->stop();
    Destroy();
  }

  void OnOK() override {
    store_->note(result_);
    try {
      done_(result_);
    } catch (...) {
      store_->finished();
      throw;
    }
    store_->finished();
  }

  const std::shared_ptr<ThreadedStore> store_;
  const Work work_;
  const Done<T> done_;
  Result<T> result_ = Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "not executed", {}};
};

ThreadedStore::ThreadedStore(Napi::Env env, std::shared_ptr<Store> store, size_t limit)
    : env_(env), store_(std::move(store)), limit_(limit) {}

uint64_t ThreadedStore::reserve(std::shared_ptr<Reservation> reservation) {
  const uint64_t place = enqueued_;
  enqueue([this, store = store_, reservation = std::move(reservation)] {
    try {
      auto request = reservation->begin();
      if (!request) return false;
      Worker<Range>::start(
          env_, shared_from_this(),
          [store, request = *std::move(request)] { return store->reserve(request); },
          [reservation](const Result<Range>& result) { reservation->done(result); });
      return true;
    } catch (...) {
      reservation->not_begun();
      return false;
    }
  });
  return place;
}

size_t ThreadedStore::ahead_of(uint64_t place) const {
  const uint64_t begun = enqueued_ - waiting_.size();
  return place < begun ? 0 : running_ + static_cast<size_t>(place - begun);
}

// Closing many sequences must not wait once per sequence for a store that is down. So after an error,
// release() fails at once until any request succeeds.
void ThreadedStore::release(const CounterKey& counter, Range unused, Done<bool> done) {
  enqueue([this, store = store_, counter, unused, done = std::move(done)] {
    return start_work<bool>(
        [store, counter, unused, error = release_error_]() -> Result<bool> {
          if (error) return *error;
          return store->release(counter, unused);
        },
        [this, done](const Result<bool>& result) {
          if (!result.ok()) keep(result.error(), release_error_);
          done(result);
        });
  });
}

void ThreadedStore::advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) {
  enqueue_work<std::optional<int64_t>>([store = store_, request] { return store->advance(request); },
                                       std::move(done));
}

void ThreadedStore::list(Done<std::vector<CounterInfo>> done) {
  enqueue_work<std::vector<CounterInfo>>([store = store_] { return store->list(); }, std::move(done));
}

void ThreadedStore::prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) {
  enqueue_work<int64_t>([store = store_, name, prefixes] { return store->prune(name, prefixes); },
                        std::move(done));
}

// Disconnecting and destroying the store may block, so both happen on a worker thread.
void ThreadedStore::close(Done<bool> done) {
  auto store = std::make_shared<std::shared_ptr<Store>>(std::move(store_));
  enqueue_work<bool>(
      [store]() -> Result<bool> {
        (*store)->disconnect();
        store->reset();
        return true;
      },
      std::move(done));
}

const Error* ThreadedStore::last_error() const { return last_error_ ? &*last_error_ : nullptr; }

void ThreadedStore::enqueue(Start start) {
  waiting_.push_back(std::move(start));
  ++enqueued_;
  start_next();
}

void ThreadedStore::start_next() {
  while (running_ < limit_ && !waiting_.empty()) {
    const Start start = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;  // before start(), which may enqueue more
    if (!start()) --running_;
  }
}

void ThreadedStore::finished() {
  --running_;
  start_next();
}

void ThreadedStore::stop() {
  --running_;
  waiting_.clear();
}

template <typename T>
void ThreadedStore::note(const Result<T>& result) {
  if (result.ok()) {
    last_error_.reset();
    release_error_.reset();
  } else {
    keep(result.error(), last_error_);
  }
}

template <typename T, typename Work>
void ThreadedStore::enqueue_work(Work work, Done<T> done) {
  enqueue([this, work = std::move(work), done = std::move(done)] { return start_work<T>(work, done); });
}

template <typename T, typename Work>
bool ThreadedStore::start_work(Work work, const Done<T>& done) {
  try {
    Worker<T>::start(env_, shared_from_this(), std::move(work), done);
    return true;
  } catch (...) {
    done(out_of_memory(ErrorClass::kPassing));
    return false;
  }
}

}  // namespace nextid
