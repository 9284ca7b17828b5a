#include "addon/threaded_store.h"

#include <exception>
#include <new>
#include <utility>

#include "addon/js_values.h"

namespace nextid {

namespace {

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

  static void start(std::shared_ptr<ThreadedStore> store, Work work, Done<T> done) {
    auto worker = std::unique_ptr<Worker>(new Worker(std::move(store), std::move(work), std::move(done)));
    worker->Queue();
    worker.release();
  }

 private:
  Worker(std::shared_ptr<ThreadedStore> store, Work work, Done<T> done)
      : AsyncWorker(store->env_, "nextid"),
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

  void OnOK() override { done_(result_); }

  const std::shared_ptr<ThreadedStore> store_;
  const Work work_;
  const Done<T> done_;
  Result<T> result_ = Error{ErrorCode::kStoreUnavailable, ErrorClass::kPassing, "not executed", {}};
};

ThreadedStore::ThreadedStore(Napi::Env env, std::shared_ptr<Store> store, size_t limit)
    : QueuedStore(limit), env_(env), store_(std::move(store)) {}

void ThreadedStore::start_reserve(const ReserveRequest& request, Done<Range> done) {
  start<Range>(std::move(done), [store = store_, request] { return store->reserve(request); });
}

void ThreadedStore::start_release(const CounterKey& counter, Range unused,
                                  const std::optional<Error>& refused, Done<bool> done) {
  start<bool>(std::move(done), [store = store_, counter, unused, refused]() -> Result<bool> {
    if (refused) return *refused;
    return store->release(counter, unused);
  });
}

void ThreadedStore::start_advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) {
  start<std::optional<int64_t>>(std::move(done),
                                [store = store_, request] { return store->advance(request); });
}

void ThreadedStore::start_list(Done<std::vector<CounterInfo>> done) {
  start<std::vector<CounterInfo>>(std::move(done), [store = store_] { return store->list(); });
}

void ThreadedStore::start_prune(const std::string& name, const std::vector<int64_t>& prefixes,
                                Done<int64_t> done) {
  start<int64_t>(std::move(done), [store = store_, name, prefixes] { return store->prune(name, prefixes); });
}

// Disconnecting and destroying the store may block, so both happen on a worker thread.
void ThreadedStore::start_close(Done<bool> done) {
  const auto store = std::make_shared<std::shared_ptr<Store>>(std::move(store_));
  start<bool>(std::move(done), [store]() -> Result<bool> {
    (*store)->disconnect();
    store->reset();
    return true;
  });
}

template <typename T, typename Work>
void ThreadedStore::start(Done<T> done, Work work) {
  Worker<T>::start(std::static_pointer_cast<ThreadedStore>(shared_from_this()), std::move(work),
                   std::move(done));
}

}  // namespace nextid
