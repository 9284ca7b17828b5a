#include "core/backoff.h"

#include <algorithm>

namespace nextid {

Duration Backoff::next() {
  Duration ceiling = base_;
  for (int i = 0; i < failures_ && ceiling < cap_; ++i) ceiling *= 2;
  ceiling = std::min(ceiling, cap_);
  ++failures_;
  return Duration(std::uniform_int_distribution<Duration::rep>(0, ceiling.count())(random_));
}

}  // namespace nextid
