#include "core/counter_key.h"

#include <tuple>
#include <type_traits>

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
  return std::visit(
      [&](const auto& kind) -> std::string {
        // A name that begins with a dash would look like an option.
        const std::string command = "nextid advance --store URL" + std::string(restore ? " --restore" : "") +
                                    kind.flags() + (key.name.starts_with('-') ? " --" : "") + " " +
                                    (key.name.empty() ? "" : shell_quoted(key.name) + " ");
        if constexpr (std::decay_t<decltype(kind)>::kWrapsAround) {
          return command + "N (N: the id after the last one that was given)";
        } else {
          return command + (least ? std::to_string(*least) + " (or higher" : "N (N") + ": past the largest " +
                 kind.kRemedyNumber + " in use)";
        }
      },
      key.kind);
}

}  // namespace nextid
