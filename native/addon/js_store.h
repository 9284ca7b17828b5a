#pragma once

#include <napi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "addon/queued_store.h"
#include "core/counter_errors.h"

namespace nextid {

// Makes an AsyncStore of a JavaScript object (lib/stores/ruled-store.js), which loads and saves records. The
// rules of the kinds stay in core. The object has these members:
//   update(key, change, needs)   loads the record of the counter `key`, calls change(record, mark, time), and
//                           saves the record that it returns by compare-and-set. It starts over if the record
//                           has changed meanwhile, and ends without a write if change() returns undefined.
//                           `needs`: { increment, mark, time }. Where it can, the store adds
//                           `increment` ({ by, least, most, from }) to a plain or dated counter in one step
//                           instead, and resolves to the value that this leaves, a BigInt
//   list()                  resolves to [[key, record], …]
//   prune(name, prefixes, raise)   closes periods: saves the mark that raise(mark) returns, or ends if that
//                           is undefined. Then removes counters, and resolves to how many there were
//   nothing()               resolves, and does nothing
//   close()
//   places                  for each kind { in, ifFieldLost }, as in Place
// The methods return a Promise that always resolves; if they failed, with { code, class, message, name, said,
// number, lost }. records.h documents records; a mark is { value, remedy }, a time in microseconds.
class JsStore final : public QueuedStore {
 public:
  JsStore(const Napi::Object& object, size_t limit);

 private:
  // Returns the record to be saved, or undefined, and may be called again.
  using Change =
      std::function<Napi::Value(const Napi::Value& record, const Napi::Value& mark, const Napi::Value& time)>;

  void start_reserve(const ReserveRequest& request, Done<Range> done) override;
  void start_release(const CounterKey& counter, Range unused, const std::optional<Error>& refused,
                     Done<bool> done) override;
  void start_advance(const AdvanceRequest& request, Done<std::optional<int64_t>> done) override;
  void start_list(Done<std::vector<CounterInfo>> done) override;
  void start_prune(const std::string& name, const std::vector<int64_t>& prefixes,
                   Done<int64_t> done) override;
  void start_close(Done<bool> done) override;

  // Calls the method and then `done` with what `read` makes of the value that it resolves to.
  template <typename T, typename Read>
  void call(const char* method, const std::vector<napi_value>& arguments, Done<T> done, Read read);
  Napi::Value to_function(const Change& change) const;
  Place place_of(const CounterKind& kind) const;

  const Napi::Env env_;
  Napi::ObjectReference object_;
};

}  // namespace nextid
