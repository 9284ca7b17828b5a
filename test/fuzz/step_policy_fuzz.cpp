// Any loads and refill times: the step stays within its bounds, changes at most by half or double, and the
// watermark is never more than two steps.

#include <algorithm>
#include <cstdlib>

#include "core/step_policy.h"
#include "fuzz/fuzz_input.h"

namespace nextid {
namespace {

constexpr int64_t kLargestStep = 1'000'000'000;  // as options allow
constexpr int64_t kLongestMicroseconds = 3'600'000'000;

int64_t up_to(int64_t most, int64_t number) { return std::abs(number % (most + 1)); }

void run(FuzzInput input) {
  StepPolicy::Options options;
  options.min = 1 + up_to(kLargestStep - 1, input.number());
  options.max = options.min + up_to(kLargestStep - options.min, input.number());
  options.target = std::chrono::microseconds(1 + up_to(kLongestMicroseconds - 1, input.number()));
  StepPolicy policy(options);

  TimePoint now{};
  int64_t handed_out = 0;
  int64_t step = policy.step();
  while (!input.empty()) {
    now += std::chrono::microseconds(up_to(kLongestMicroseconds, input.number()));
    handed_out = up_to(INT64_MAX / 2, input.number());  // may fall: a window was taken back
    const int64_t waiting = up_to(kLargestStep, input.number());
    policy.refill_started(handed_out, waiting, now);
    policy.refill_succeeded(std::chrono::microseconds(up_to(kLongestMicroseconds, input.number())));

    require(policy.step() >= options.min && policy.step() <= options.max, "the step is within its bounds");
    require(policy.step() >= step / 2 || policy.step() == options.max, "the step falls by half at most");
    require(policy.step() <= 2 * std::max(step, waiting) || policy.step() == options.min,
            "the step doubles at most");
    require(policy.rate() >= 0, "nobody asks for less than nothing");
    require(policy.watermark() >= 1, "the prefetch begins before the last number");
    require(policy.watermark() <= 2 * policy.step(), "two ranges are ahead at most");
    step = policy.step();
  }
}

}  // namespace
}  // namespace nextid

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::run(nextid::FuzzInput(data, size));
  return 0;
}
