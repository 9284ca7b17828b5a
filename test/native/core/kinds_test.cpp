// The rules of the kinds and the words of their errors, without a store: see also test/native/contract.

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/counter_errors.h"
#include "core/store.h"

namespace nextid {
namespace {

const Place kPlace{"in sqlite:ids.db", ""};
const CounterKey kOrders{.name = "orders"};
const CounterKey kToday{.name = "orders", .kind = Dated{140625}};
const CounterKey kSerial{.name = "serial", .kind = Cyclic{10}};
const CounterKey kTrace{.name = "trace", .kind = Timestamped{2, "+08:00"}};

CounterValue number(int64_t value) { return CounterValue(value); }
CounterValue two(const char* field) { return CounterValue::text({field}, "two"); }

ReserveRequest ask(const CounterKey& key, int64_t count) {
  return {.counter = key, .count = count, .floor = {}, .clock = [] { return int64_t{1'000}; }};
}

template <typename State, typename Request>
std::string refusal_of(const State& state, const Request& request) {
  const std::optional<Error> error = check(state, request, kPlace);
  if (!error) return "";
  EXPECT_EQ(error->error_class, ErrorClass::kFinal);
  EXPECT_FALSE(error->unconfirmed);
  return error->message;
}

TEST(PlainRules, CountUp) {
  Plain::State state = Plain().first_state(5);
  EXPECT_EQ(reserve(state, ask(kOrders, 3), kPlace).value(), (Range{5, 8}));
  EXPECT_EQ(state.next(), 8);
  EXPECT_FALSE(give_back(state, {6, 9}));
  EXPECT_TRUE(give_back(state, {6, 8}));
  EXPECT_EQ(state.next(), 6);
  EXPECT_EQ(advance(state, {.counter = kOrders, .next = 3}), 6);
  EXPECT_EQ(advance(state, {.counter = kOrders, .next = 30}), 30);
}

TEST(PlainRules, SayWhatIsWrong) {
  ReserveRequest request = ask(kOrders, 2);
  request.floor = 101;
  EXPECT_EQ(
      refusal_of(Plain::State{number(50), 0}, request),
      "the counter 'orders' in sqlite:ids.db stands at 50: this process was given ids below 101; it was "
      "set back, perhaps by a restored backup. Stop all processes that use it, then move it up with: "
      "nextid advance --store URL orders 101 (or higher: past the largest id in use)");
  request.floor.reset();
  request.limit = 40;
  EXPECT_EQ(
      refusal_of(Plain::State{number(50), 0}, request),
      "the counter 'orders' in sqlite:ids.db stands at 50: ids of this sequence must be below 40; open it "
      "with bigint: true (encrypted: more digits), or begin another sequence");
  EXPECT_EQ(
      refusal_of(Plain::State{number(kLargestNumber - 1), 0}, ask(kOrders, 2)),
      "the counter 'orders' in sqlite:ids.db stands at 9223372036854775806: there is no room for 2 more "
      "ids up to 9223372036854775807; begin another sequence");
  EXPECT_EQ(
      refusal_of(Plain::State{two("next"), 0}, ask(kOrders, 2)),
      "the counter 'orders' in sqlite:ids.db holds the string 'two' in next: expected an integer from 0 to "
      "9223372036854775807; it was left as it is. Repair it with: nextid advance --store URL --restore "
      "orders N (N: past the largest id in use)");
}

TEST(DatedRules, CountFrom1) {
  Dated::State state = Dated().first_state(500);
  EXPECT_EQ(reserve(state, ask(kToday, 3), kPlace).value(), (Range{1, 4}));
  EXPECT_TRUE(give_back(state, {2, 4}));
  EXPECT_EQ(advance(state, {.counter = kToday, .next = 30}), 30);
  state.value.set(kLargestNumber);
  EXPECT_NE(refusal_of(state, ask(kToday, 0)), "");
  EXPECT_NE(refusal_of(state, AdvanceRequest{.counter = kToday}), "");
}

TEST(CyclicRules, WrapAround) {
  Cyclic::State state = Cyclic{10}.first_state(500);
  EXPECT_EQ(reserve(state, ask(kSerial, 8), kPlace).value(), (Range{1, 9}));
  EXPECT_EQ(reserve(state, ask(kSerial, 14), kPlace).value(), (Range{9, 23}));
  EXPECT_EQ(state.val.number(), 2);
  EXPECT_EQ(advance(state, {.counter = kSerial, .next = 9}), 9);
  ReserveRequest block = ask(kSerial, 3);
  block.unbroken = true;
  EXPECT_EQ(refusal_of(state, block),
            "the counter 'serial' in sqlite:ids.db has 2 ids left before it wraps around from 10 to 1, and "
            "one block of 3 "
            "was asked for; reserve at most 2, or take ids with nextIds(), which wraps around");
}

TEST(CyclicRules, RepairOnlyWithTheRightCycle) {
  const AdvanceRequest request{.counter = kSerial, .next = 4, .restore = true};
  Cyclic::State state{two("val"), number(10)};
  EXPECT_TRUE(repair(state, request));
  EXPECT_EQ(state.val.number(), 3);
  EXPECT_FALSE(repair(state, request)) << "nothing is damaged";
  state = {two("val"), number(11)};
  EXPECT_FALSE(repair(state, request));
  EXPECT_EQ(
      refusal_of(state, request),
      "the counter 'serial' in sqlite:ids.db counts with cycle: 11, and cycle: 10 was asked for; open the "
      "sequence with cycle: 11, or give it another name");
  state = {CounterValue::real(Cyclic::kVal, 7.5), number(10)};
  EXPECT_FALSE(repair(state, request)) << "a larger number";
}

TEST(TimestampedRules, FollowTheClock) {
  Timestamped::State state = Timestamped{2, "+08:00"}.first_state(500);
  EXPECT_EQ(reserve(state, ask(kTrace, 3), kPlace).value(), (Range{100'000, 100'003}));
  EXPECT_EQ(reserve(state, ask(kTrace, 1), kPlace).value(), (Range{100'003, 100'004}));
  state.time_zone = "UTC";
  EXPECT_EQ(
      refusal_of(state, ask(kTrace, 1)),
      "the counter 'trace' in sqlite:ids.db counts with timeZone: 'UTC', and timeZone: '+08:00' was asked "
      "for; open the sequence with timeZone: 'UTC', or give it another name");
  state.time_zone.reset();
  EXPECT_EQ(
      refusal_of(state, ask(kTrace, 1)),
      "the counter 'trace' in sqlite:ids.db has a timeZone that is not a string; it was left as it is. "
      "Repair it with: nextid advance --store URL --restore --timestamp --digits 2 --time-zone +08:00 trace "
      "N (N: past the largest slot in use)");
  EXPECT_TRUE(repair(state, {.counter = kTrace, .next = 5, .restore = true}));
  EXPECT_EQ(refusal_of(state, ask(kTrace, 1)), "");
}

TEST(CounterErrors, OfCountersThatAreNotThere) {
  EXPECT_EQ(
      counter_errors::missing(kSerial, kPlace, 7).message,
      "the counter 'serial' in sqlite:ids.db is gone: this process was given ids of it; stop all processes "
      "that use it, then restore it, or create it again with: nextid advance --store URL --cycle 10 serial "
      "N (N: the id after the last one that was given)");
  EXPECT_EQ(counter_errors::missing({.name = "", .kind = Dated{1406}}, kPlace, 7).message,
            "the counter of 1406 in sqlite:ids.db is gone: this process was given counts below 7; stop all "
            "processes that use it, then restore it, or create it again with: nextid advance --store URL "
            "--prefix 1406 7 (or higher: past the largest count of that period in use)");
  EXPECT_EQ(
      counter_errors::damaged(kSerial, {"here", "; or move it"}, CounterValue(Cyclic::kMaxval)).message,
      "the counter 'serial' here has no field maxval: expected an integer from 1 to 9007199254740991; it "
      "was left as it is. Restore the field; or move it");
  EXPECT_EQ(
      counter_errors::clock_ahead(kTrace, kPlace, 5'000'000, 1'000'000).message,
      "the clock of this machine is 5.000 s ahead of the server's: at most 1.000 s is allowed, else the "
      "counter 'trace' in sqlite:ids.db would run into the future for everybody; nothing was reserved. Set "
      "the clock, or allow more with maxSkew");
}

}  // namespace
}  // namespace nextid
