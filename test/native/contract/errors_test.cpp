// Every error about counters reads alike in all stores, but for the place, what the store calls its fields,
// and the commands of its shell.

#include <map>
#include <regex>

#include "native/contract/fixture.h"

namespace nextid::contract {
namespace {

using Messages = std::vector<std::pair<std::string, std::string>>;  // what was done, and what came of it

class Errors : public StoreTest {
 public:
  void TestBody() override {}

  // All errors in the words of the store.
  Messages of(const StoreName& name) {
    begin(name);
    missing_and_rewound();
    past_the_end();
    damaged();
    with_other_options();
    of_one_kind();
    pruned();
    begin(name);  // MongoDB keeps counters without a name in a collection of their own
    note("missing, without a name", store_->reserve(ask(dated(140625, ""), 1, 50)));
    return std::move(messages_);
  }

 private:
  template <typename T>
  void note(const std::string& what, const Result<T>& result) {
    const Error error = error_of(result);
    std::string message = std::string(to_string(error.code)) + ": " + error.message;
    message = std::regex_replace(message, std::regex(under_test_->place()), "PLACE");
    message =
        std::regex_replace(message, std::regex("in (next|index|count|up_to|day|pruned.day):"), "in FIELD:");
    message = std::regex_replace(message, std::regex("in (index|count)Returned "), "in returned ");
    // SQLite keeps the next count of a period, which is 1 at least, MongoDB the last.
    message = std::regex_replace(message, std::regex("in FIELD: expected an integer from 1 to"),
                                 "in FIELD: expected an integer from 0 to");
    message = std::regex_replace(message, std::regex("run in .*"), "run in SHELL");
    messages_.emplace_back(what, message);
  }
  void note_all(const std::string& what, const CounterKey& key) {
    note(what + ", reserve " + describe(key), store_->reserve(ask(key, 1)));
    note(what + ", advance " + describe(key), store_->advance({.counter = key, .next = 9}));
  }

  void missing_and_rewound() {
    for (const CounterKey& key : {plain(), dated(), cyclic(), timestamped(), timestamped(4, "+08:00")}) {
      note("missing", store_->reserve(ask(key, 1, 50)));
    }
    for (const CounterKey& key : {plain(), dated(), timestamped()}) {
      put(key, 49);
      note("rewound", store_->reserve(ask(key, 1, 50)));
    }
  }

  void past_the_end() {
    for (const CounterKey& key : {plain(), dated(), timestamped()}) {
      ReserveRequest request = ask(key, 1);
      request.limit = first_of(key) + 40;
      put(key, first_of(key) + 49);
      note("past the limit", store_->reserve(request));
      put(key, kLargestNumber - 2);
      note("no room", store_->reserve(ask(key, 5)));
      put(key, kLargestNumber);
      for (const int64_t count : {0, 1}) note("no more", store_->reserve(ask(key, count)));
    }
    under_test_->write(timestamped(), {kLargestNumber, int64_t{2}});
    note_all("the last slot", timestamped());
  }

  void damaged() {
    const std::vector<Raw> damage{std::string("two"), std::string(100, 'x'), int64_t{-5}, 1.5, -1.0, 1e17};
    for (const Raw& value : damage) {
      for (const CounterKey& key : {plain(), dated()}) {
        if (is<Dated>(key) && !std::holds_alternative<std::string>(value) && value != Raw(1e17)) continue;
        under_test_->write(key, {value});
        note_all("damaged", key);
      }
      under_test_->write(cyclic(), {value, int64_t{1000}});
      note_all("damaged val", cyclic());
      under_test_->write(cyclic(), {int64_t{5}, value});
      note_all("damaged maxval", cyclic());
      under_test_->write(timestamped(), {value, int64_t{2}});
      note_all("damaged slot", timestamped());
      under_test_->write(timestamped(), {int64_t{5}, value});
      note_all("damaged digits", timestamped());
    }
    for (const int64_t maxval : {int64_t{0}, kLargestSafeInteger + 1}) {
      under_test_->write(cyclic(), {int64_t{5}, maxval});
      note_all("maxval out of range", cyclic());
    }
    for (const CounterKey& key : {plain(), dated()}) {
      put(key, 500);
      for (const Raw& list : {Raw("1 2 3"), Raw("5 501"), Raw("20 20"), Raw("9 12 10 11"), Raw(int64_t{7})}) {
        under_test_->write_returned(key, list);
        ReserveRequest request = ask(key, 1);
        request.returned_from = 0;
        note("damaged list", store_->reserve(request));
      }
    }
    for (const CounterInfo& info : list())
      messages_.emplace_back(describe(info.key), info.problem.substr(0, 20));
  }

  void with_other_options() {
    put(cyclic(), 5);
    note_all("another cycle", cyclic(7));
    put(timestamped(), 5);
    note_all("other digits", timestamped(3));
    note_all("another time zone", timestamped(2, "+08:00"));
  }

  void of_one_kind() {
    put(cyclic(), 998);
    ReserveRequest block = ask(cyclic(), 4);
    block.unbroken = true;
    note("across the wrap", store_->reserve(block));
    note("too many", store_->reserve(ask(cyclic(), kLargestNumber)));
    ReserveRequest early = ask(timestamped(), 1);
    early.clock = [] { return int64_t{-3}; };
    note("clock too early", store_->reserve(early));
    early.clock = [] { return kLargestNumber; };
    note("clock too late", store_->reserve(early));
  }

  void pruned() {
    EXPECT_TRUE(store_->prune("bills", {140601}).ok());
    note_all("pruned", dated(140601, "bills"));
    for (const Raw& mark : {Raw("today"), Raw(1.5), Raw(int64_t{-1}), Raw(1e17), Raw(int64_t{5})}) {
      under_test_->write_mark("bills", mark);
      note_all("damaged mark", dated(140601, "bills"));
      note("damaged mark, prune", store_->prune("bills", {140601}));
    }
  }

  Messages messages_;
};

class EachError : public EachStore {};

TEST_P(EachError, ReadsAsInMemory) {
  const Messages expected = Errors().of(memory());
  const Messages messages = Errors().of(GetParam());
  EXPECT_GT(messages.size(), 90u);
  ASSERT_EQ(messages.size(), expected.size());
  for (size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(messages[i].second, expected[i].second) << messages[i].first;
  }
}

// `<what is wrong>: <what was expected>; <what to do>`, in lower case and without a full stop.
TEST(Error, HasOneForm) {
  for (const auto& [what, message] : Errors().of(memory())) {
    if (message.find("ERR_") != 0) continue;
    EXPECT_TRUE(std::regex_search(message, std::regex("^\\w+: (the|a) .*; .*[^.]$")))
        << what << ": " << message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EachError, testing::ValuesIn(all_stores()), name_of);

}  // namespace
}  // namespace nextid::contract
