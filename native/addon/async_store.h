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

// What the JavaScript objects of the addon know of a store: requests that end later, each with a callback.
//
// Thread: the JavaScript thread, for calls and callbacks.
// Callbacks: each is called exactly once, possibly before the request returns. At the teardown of the
// environment it is destroyed instead, on the same thread. So whatever a callback needs, it must own. Memory:
// a request that throws std::bad_alloc was not made, and its callback is not called. Where memory is short
// later, the callback is called with an out-of-memory error of ErrorClass::kPassing.
// For the meaning of requests and results see Store.
class AsyncStore {
 public:
  template <typename T>
  using Done = std::function<void(const Result<T>&)>;

  // A reservation, which may have to wait for its turn. Either begin() returns nothing, or done() or
  // not_begun() is called after it; or not_begun() alone.
  class Reservation {
   public:
    virtual ~Reservation() = default;

    // Its turn has come: what to ask for, as of now, or nothing if it is not wanted any more. May throw
    // std::bad_alloc.
    virtual std::optional<ReserveRequest> begin() = 0;

    // There was no memory to begin, or to send what begin() returned.
    virtual void not_begun() = 0;

    virtual void done(const Result<Range>& result) = 0;
  };

  virtual ~AsyncStore() = default;

  // Returns the place of the reservation, for ahead_of().
  virtual uint64_t reserve(std::shared_ptr<Reservation> reservation) = 0;

  // How many requests must end, or begin, before the reservation at `place` begins; 0 once it has begun.
  virtual size_t ahead_of(uint64_t place) const = 0;

  virtual void release(const CounterKey& counter, Range unused, Done<bool> done) = 0;
  virtual void advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) = 0;
  virtual void list(Done<std::vector<CounterInfo>> done) = 0;
  virtual void prune(const std::string& name, const std::vector<int64_t>& prefixes, Done<int64_t> done) = 0;

  // Disconnects. No other request may follow.
  virtual void close(Done<bool> done) = 0;

  // The passing or doubtful error that the store answered last, or null once it has answered without one.
  virtual const Error* last_error() const = 0;
};

}  // namespace nextid
