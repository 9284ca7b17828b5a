#include "core/counter_key.h"

#include <tuple>

#include "core/quoting.h"

namespace nextid {

bool listed_before(const CounterKey& a, const CounterKey& b) {
  const auto order = [](const CounterKey& key) {
    return std::tuple<const std::string&, size_t, int64_t>(key.name, key.kind.index(), prefix_of(key));
  };
  return order(a) < order(b);
}

std::string describe(const CounterKey& key) {
  const std::string name = key.name.empty() ? "" : "'" + key.name + "'";
  if (!is<Dated>(key)) return "the counter " + name;
  return "the counter of " + std::to_string(prefix_of(key)) + (name.empty() ? "" : " of " + name);
}

std::string advance_remedy(const CounterKey& key, std::optional<int64_t> least, bool restore) {
  std::string command = "nextid advance --store URL";
  if (restore) command += " --restore";
  command += std::visit([](const auto& kind) { return kind.flags(); }, key.kind);
  if (key.name.starts_with('-')) command += " --";  // otherwise the name would be read as an option
  if (!key.name.empty()) command += " " + shell_quoted(key.name);
  if (wraps_around(key)) return command + " N (N: the id after the last one that was given)";
  const char* number = std::visit([](const auto& kind) { return kind.kRemedyNumber; }, key.kind);
  command += least ? " " + std::to_string(*least) + " (or higher" : " N (N";
  return command + ": past the largest " + number + " in use)";
}

}  // namespace nextid
