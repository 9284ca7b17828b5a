#include <napi.h>

#include <memory>
#include <vector>

#include "addon/async_store.h"

// An AsyncStore whose requests end when a test says so: late, in another order, or never. Exports make(),
// which returns
//   store              External<std::shared_ptr<AsyncStore>>, for the addon's Sequence
//   reserves()         how many reservations wait; they are numbered from 0, and keep their numbers
//   begin(i)           their turn: [count], or undefined if it is not wanted any more
//   notBegun(i)        there is no memory for it
//   done(i, first, end)   the end of a reservation that was begun; without numbers it fails
//   releases()         [first, end] of each range that is to be given back
//   released(i, ok)
namespace {

using nextid::AdvanceRequest;
using nextid::AsyncStore;
using nextid::CounterInfo;
using nextid::CounterKey;
using nextid::Error;
using nextid::ErrorClass;
using nextid::ErrorCode;
using nextid::Range;
using nextid::Result;

Error down() { return Error{ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful, "the store is down", {}}; }

class FakeAsyncStore final : public AsyncStore {
 public:
  uint64_t reserve(std::shared_ptr<Reservation> reservation) override {
    reservations.push_back(std::move(reservation));
    return reservations.size() - 1;
  }
  size_t ahead_of(uint64_t) const override { return 0; }
  void release(const CounterKey&, Range unused, Done<bool> done) override {
    releases.push_back({unused, std::move(done)});
  }
  void advance(const AdvanceRequest&, Done<std::optional<int64_t>> done) override { done(down()); }
  void list(Done<std::vector<CounterInfo>> done) override { done(down()); }
  void prune(const std::string&, const std::vector<int64_t>&, Done<int64_t> done) override { done(down()); }
  void close(Done<bool> done) override { done(true); }
  const Error* last_error() const override { return nullptr; }

  struct Release {
    Range unused;
    Done<bool> done;
  };
  std::vector<std::shared_ptr<Reservation>> reservations;  // null once they have ended
  std::vector<Release> releases;
};

Napi::Value make(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto fake = std::make_shared<FakeAsyncStore>();
  Napi::Object result = Napi::Object::New(env);
  result.Set("store", Napi::External<std::shared_ptr<AsyncStore>>::New(
                          env, new std::shared_ptr<AsyncStore>(fake),
                          [](Napi::Env, std::shared_ptr<AsyncStore>* data) { delete data; }));
  const auto add = [&](const char* name, auto method) {
    result.Set(name, Napi::Function::New(env, method, name));
  };
  const auto number = [](const Napi::Value& value) { return value.ToNumber().Int64Value(); };
  add("reserves", [fake](const Napi::CallbackInfo& call) {
    return Napi::Number::New(call.Env(), static_cast<double>(fake->reservations.size()));
  });
  add("begin", [fake, number](const Napi::CallbackInfo& call) -> Napi::Value {
    auto& reservation = fake->reservations.at(static_cast<size_t>(number(call[0])));
    const auto request = reservation->begin();
    if (request) return Napi::Number::New(call.Env(), static_cast<double>(request->count));
    reservation.reset();
    return call.Env().Undefined();
  });
  add("notBegun", [fake, number](const Napi::CallbackInfo& call) {
    const auto reservation = std::move(fake->reservations.at(static_cast<size_t>(number(call[0]))));
    reservation->not_begun();
  });
  add("done", [fake, number](const Napi::CallbackInfo& call) {
    const auto reservation = std::move(fake->reservations.at(static_cast<size_t>(number(call[0]))));
    if (call.Length() == 1) return reservation->done(down());
    reservation->done(Range{number(call[1]), number(call[2])});
  });
  add("releases", [fake](const Napi::CallbackInfo& call) {
    Napi::Array all = Napi::Array::New(call.Env());
    for (const auto& [unused, done] : fake->releases) {
      Napi::Array range = Napi::Array::New(call.Env());
      range.Set(0u, static_cast<double>(unused.first));
      range.Set(1u, static_cast<double>(unused.end));
      all.Set(all.Length(), range);
    }
    return all;
  });
  add("released", [fake, number](const Napi::CallbackInfo& call) {
    const auto done = std::move(fake->releases.at(static_cast<size_t>(number(call[0]))).done);
    done(call[1].ToBoolean().Value());
  });
  return result;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  exports.Set("make", Napi::Function::New(env, make));
  return exports;
}

}  // namespace

NODE_API_MODULE(fake_async_store, init)
