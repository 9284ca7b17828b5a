#include "stores/mongo/counter_list.h"

#include <utility>

#include "stores/mongo/counter.h"
#include "stores/mongo/counter_value.h"

namespace nextid::mongo {
namespace {

// The counter whose last number is `value`.
CounterInfo after_last(CounterKey key, const CounterValue& value) {
  CounterInfo counter{.key = std::move(key), .next = std::nullopt, .problem = value.problem()};
  if (!counter.problem.empty()) return counter;
  if (value.number < INT64_MAX) {
    counter.next = value.number + 1;
  } else {
    counter.problem = "has given the last number there is";
  }
  return counter;
}

CounterInfo plain(const std::string& id, const bson_t* document) {
  const CounterValue value = read_counter_value(document, "index");
  CounterInfo counter{.key = {.name = id}, .next = std::nullopt, .problem = value.problem()};
  if (counter.problem.empty()) counter.next = value.number;
  return counter;
}

bool names_a_period(int64_t prefix) {
  const auto has_digits = [prefix](int64_t least) { return prefix >= least && prefix < least * 10; };
  return has_digits(10) || has_digits(1'000) || has_digits(100'000) || has_digits(10'000'000);
}

std::optional<CounterInfo> dated(const std::optional<std::string>& id, const bson_t* document) {
  if (bson_has_field(document, "making")) return std::nullopt;
  const CounterValue prefix = read_counter_value(document, "prefix");
  if (!prefix.fine() || !names_a_period(prefix.number)) return std::nullopt;
  CounterKey key{.kind = CounterKind::kDated, .name = "", .prefix = prefix.number};
  if (bson_has_field(document, "name")) {
    const auto name = find_text(document, "name");
    if (!name || name->empty() || id != *name + ":" + std::to_string(prefix.number)) return std::nullopt;
    key.name = *name;
  } else if (!bson_has_field(document, "count")) {
    return std::nullopt;
  }
  return after_last(std::move(key), read_counter_value(document, "count"));
}

CounterInfo cyclic(const std::string& id, const bson_t* document) {
  const CounterValue maxval = read_counter_value(document, "maxval");
  const CounterValue val = read_counter_value(document, "val");
  CounterInfo counter;
  counter.key = {.kind = CounterKind::kCyclic, .name = id, .cycle = maxval.number};
  if (!maxval.fine() || maxval.number < 1) {
    counter.problem = "holds in maxval " + maxval.text + ", where a whole number from 1 was expected";
  } else if (!val.fine()) {
    counter.problem = "holds in val " + val.text + ", where an integer from 0 to " +
                      std::to_string(maxval.number) + " was expected";
  } else {
    counter.next = val.number >= maxval.number ? 1 : val.number + 1;
  }
  return counter;
}

CounterInfo timestamped(const std::string& id, const bson_t* document) {
  const CounterValue digits = read_counter_value(document, "digits");
  CounterKey key{.kind = CounterKind::kTimestamped, .name = id};
  if (!digits.fine() || digits.number > 4) {
    return {.key = std::move(key),
            .next = std::nullopt,
            .problem = "holds in digits " + digits.text + ", where an integer from 0 to 4 was expected"};
  }
  key.digits = static_cast<int>(digits.number);
  const std::optional<std::string> zone = time_zone_of(document);
  if (!zone) {
    return {.key = std::move(key), .next = std::nullopt, .problem = "holds in timeZone what is no text"};
  }
  key.time_zone = *zone;
  return after_last(std::move(key), read_counter_value(document, "slot"));
}

// A document that is a plain counter, be it a damaged one.
bool is_plain(const bson_t* document) {
  if (holds_plain(document)) return true;
  return !bson_has_field(document, "count") && !holds_cyclic(document) && !holds_timestamped(document) &&
         !bson_has_field(document, "pruned") && !bson_has_field(document, "prefix");
}

}  // namespace

std::optional<Error> list_counters(CounterCollection& counters, Kinds kinds, std::vector<CounterInfo>& list) {
  const auto add = [&](const Document& visited) {
    const bson_t* document = visited.get();
    const std::optional<std::string> id = find_text(document, "_id");
    if (kinds != Kinds::kCyclicAndTimestamped) {
      if (bson_has_field(document, "prefix")) {
        if (auto counter = dated(id, document)) list.push_back(*std::move(counter));
      }
      if (id && is_plain(document)) list.push_back(plain(*id, document));
    }
    if (kinds != Kinds::kPlainAndDated && id) {
      if (holds_cyclic(document)) list.push_back(cyclic(*id, document));
      if (holds_timestamped(document)) list.push_back(timestamped(*id, document));
    }
  };
  const auto exists = [](const char* field) {
    Document query;
    query.document(field, Document().flag("$exists", true));
    return query;
  };
  Array any;
  if (kinds == Kinds::kCyclicAndTimestamped) {
    any.document(exists("val")).document(exists("maxval")).document(exists("slot"));
  } else {
    any.document(Document().document("_id", Document().text("$type", "string"))).document(exists("prefix"));
  }
  return counters.find_all(Document().array("$or", any), add);
}

}  // namespace nextid::mongo
