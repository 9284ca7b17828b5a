#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/store.h"

namespace nextid {

// A store as the JavaScript objects of the addon see it: asynchronous requests, each with a callback.
//
// Thread: the JavaScript thread, for calls and callbacks.
// Callbacks: each is called exactly once, possibly before the request returns. At the teardown of the
// environment it is destroyed instead, on the same thread. So a callback must own everything it needs.
// Memory: a request that throws std::bad_alloc was not made, and its callback is not called. If memory runs
// out later, the callback gets an out-of-memory error of ErrorClass::kPassing. Store documents the requests
// and their results.
class AsyncStore {
 public:
  template <typename T>
  using Done = std::function<void(const Result<T>&)>;

  // A reservation, which may have to wait for its turn. If begin() is called and returns a request, then
  // done() or not_begun() follows. not_begun() may also be called without begin().
  class Reservation {
   public:
    virtual ~Reservation() = default;

    // Its turn has come. Returns what to request now, or nothing if the reservation is no longer needed. May
    // throw std::bad_alloc.
    virtual std::optional<ReserveRequest> begin() = 0;

    // Memory ran out before the request was sent.
    virtual void not_begun() = 0;

    virtual void done(const Result<Range>& result) = 0;
  };

  virtual ~AsyncStore() = default;

  // Returns the place of the reservation, for ahead_of().
  virtual uint64_t reserve(std::shared_ptr<Reservation> reservation) = 0;

  // How many requests are running or queued before the reservation at `place`; 0 once it has begun.
  virtual size_t ahead_of(uint64_t place) const = 0;

  virtual void release(const CounterKey& counter, Range unused, Done<bool> done) = 0;
  virtual void advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) = 0;
  virtual void list(Done<std::vector<CounterInfo>> done) = 0;
  virtual void prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) = 0;

  // Disconnects. No other request may follow.
  virtual void close(Done<bool> done) = 0;

  // The last passing or doubtful error of the store, or null after a success.
  virtual const Error* last_error() const = 0;
};

}  // namespace nextid
