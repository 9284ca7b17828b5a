// A script of what happens to the Sequences of two processes and to the store between them: calls, replies in
// any order, lost and late messages, crashes, restored backups. No number may come out twice, and every call
// must end. ScriptedHost checks after each step what must hold at any moment.

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "native/core/scripted_host.h"

namespace nextid {
namespace {

using std::chrono::milliseconds;

class Script {
 public:
  explicit Script(FuzzInput input) : input_(input) {}

  void run() {
    const uint32_t kind = input_.below(4);
    exact_ = kind >= 2 && input_.below(2) == 0;
    kind_ =
        std::array<CounterKind, 4>{Plain{}, Dated{kToday}, Cyclic{1 + input_.byte()}, Timestamped{}}[kind];
    for (Process& process : processes_) open(process, nullptr);
    while (!input_.empty()) step(processes_[input_.below(processes_.size())]);
    for (Process& process : processes_) finish(process);
  }

 private:
  struct Reply {
    Result<Range> result;
    int64_t next = 0;  // where the counter stood then
  };

  struct Process {
    std::unique_ptr<ScriptedHost> host;
    int life = 0;                // numbers processes that share no memory: grows with each crash
    std::vector<Call*> calls{};  // all that were made
    size_t seen = 0;             // of host->ended
    Places places{};
    std::map<uint64_t, Reply> done{};  // by the store, with the reply on its way; by id of the refill
    std::vector<std::optional<bool>> released{};  // the same, in the order of host->releases
    bool closing = false;
  };

  // A message that arrives after its sender has given it up.
  struct Late {
    std::optional<ReserveRequest> reserve;
    std::optional<ScriptedHost::Release> release;
  };

  void step(Process& process) {
    ScriptedHost& host = *process.host;
    switch (input_.below(12)) {
      case 0:
      case 1:
        for (uint32_t i = 1 + input_.below(8); i > 0; --i) process.calls.push_back(&host.next_id());
        break;
      case 2:
        process.calls.push_back(&host.wait(input_.below(40) + (exact_ ? 1 : 0)));
        break;
      case 3:
        process.calls.push_back(&host.wait_for_block(input_.below(60) + (exact_ ? 0 : 1)));
        break;
      case 4:
        if (!process.calls.empty()) host.cancel(*process.calls[input_.byte() % process.calls.size()]);
        break;
      case 5:
      case 6:
      case 7:
        move_message(process);
        break;
      case 8:
        host.move_clock(milliseconds(10 * input_.byte()));
        break;
      case 9:
        if (!late_.empty()) arrive(input_.byte() % late_.size());
        break;
      case 10:
        meddle(host);
        break;
      case 11:
        end(process);
        break;
    }
    collect(process);
    if (process.host->is_closed) open(process, &process.host->sequence);
  }

  // --- the life of a process

  void open(Process& process, const Sequence* before) {
    static constexpr StepPolicy::Options kSteps[] = {{1, 1}, {7, 7}, {30, 30}, {10, 1000}};
    Sequence::Options options;
    options.counter = {.name = "orders", .kind = kind_};
    options.step = kSteps[input_.below(4)];
    options.timeout = milliseconds(500);
    options.max_waiters = input_.below(4) == 0 ? 3 : 1000;
    options.exact = exact_;
    if (is<Plain>(kind_) && input_.below(4) == 0) options.max_number = 100;
    const bool ages = (is<Cyclic>(kind_) || is<Timestamped>(kind_)) && !exact_;
    if (ages) options.max_age = milliseconds(1 + input_.byte());
    if (before != nullptr) options.given_below = before->stats().given_below;
    if (before != nullptr && is<Dated>(kind_)) {
      options.given_in_period = before->given_in_period();
      options.given_below.reset();
    }
    const bool begins_at_once = input_.below(2) == 0;
    // The sequence before lives until its options are read.
    auto host = std::make_unique<ScriptedHost>(options, counters_, input_.byte());
    process = Process{.host = std::move(host), .life = before != nullptr ? process.life : ++lives_};
    process.host->begins_at_once = begins_at_once;
  }

  void end(Process& process) {
    if (input_.below(4) == 0) return crash(process);
    if (process.closing) return;
    process.closing = true;
    process.host->close();
  }

  // What it had sent arrives, now or later, or is lost.
  void crash(Process& process) {
    collect(process);
    const ScriptedHost& host = *process.host;
    std::vector<Sequence::BegunRefill> refills = host.abandoned;
    if (host.under_way) refills.push_back(*host.under_way);
    for (const Sequence::BegunRefill& refill : refills) {
      if (!process.done.contains(refill.id)) late_.push_back({refill.request, std::nullopt});
    }
    process.released.resize(host.releases.size());
    for (size_t i = 0; i < host.releases.size(); ++i) {
      if (!process.released[i]) late_.push_back({std::nullopt, host.releases[i]});
    }
    open(process, nullptr);
  }

  // Nothing fails any more, so every call must end, and so must closing.
  void finish(Process& process) {
    ScriptedHost& host = *process.host;
    host.keeps_window = false;
    for (int i = 0; i < 100 && host.sequence.stats().waiters > 0; ++i) {
      move_all(process);
      host.move_clock(std::chrono::seconds(1));
    }
    if (!process.closing) host.close();
    process.closing = true;
    move_all(process);
    require(host.is_closed, "close() comes to its end");
    collect(process);
    for (const Call* call : process.calls) require(!call->waiting, "every call ends");
  }

  // --- messages between process and store

  void move_all(Process& process) {
    const FuzzInput none(nullptr, 0);
    input_ = none;  // whatever is chosen: that it works
    while (move_message(process)) collect(process);
  }

  // Moves one of the messages of the process on. False if there is none.
  bool move_message(Process& process) {
    ScriptedHost& host = *process.host;
    process.released.resize(host.releases.size());
    const size_t current = host.refill_requested || host.under_way ? 1 : 0;
    const size_t all = current + host.abandoned.size() + host.releases.size();
    if (all == 0) return false;
    size_t which = input_.byte() % all;
    if (which < current) {
      host.refill_requested ? host.begin() : move_refill(process, *host.under_way, std::nullopt);
    } else if ((which -= current) < host.abandoned.size()) {
      move_refill(process, host.abandoned[which], which);
    } else {
      move_release(process, which - host.abandoned.size());
    }
    return true;
  }

  void move_refill(Process& process, Sequence::BegunRefill refill, std::optional<size_t> abandoned) {
    const auto answer = [&](const Result<Range>& result) {
      abandoned ? process.host->answer_abandoned(result, *abandoned) : process.host->answer(result);
    };
    if (const auto found = process.done.find(refill.id); found != process.done.end()) {
      const Reply reply = found->second;
      process.done.erase(found);
      if (input_.below(8) == 7) return answer(doubtful_error());
      if (!abandoned && reply.result.ok() && is<Cyclic>(kind_)) {
        process.places.add(reply.result.value(), reply.next);
      }
      return answer(reply.result);
    }
    switch (input_.below(8)) {
      default:
        process.done.emplace(refill.id, reserve(refill.request));
        break;
      case 5:
        answer(passing_error());
        break;
      case 6:
        answer(final_error());
        break;
      case 7:
        late_.push_back({refill.request, std::nullopt});
        answer(doubtful_error(input_.below(2) == 0 ? refill.request.count : 0));
        break;
    }
  }

  void move_release(Process& process, size_t which) {
    const ScriptedHost::Release release = process.host->releases[which];
    const std::optional<bool> done = process.released[which];
    const auto answer = [&](const Result<bool>& result) {
      process.released.erase(process.released.begin() + static_cast<std::ptrdiff_t>(which));
      process.host->answer_release(result, which);
    };
    const uint32_t fate = input_.below(4);
    if (done) return answer(fate == 3 ? Result<bool>(doubtful_error()) : Result<bool>(*done));
    if (fate != 3) {
      process.released[which] = counters_->release(release.counter, release.unused);
      return;
    }
    late_.push_back({std::nullopt, release});
    answer(doubtful_error());
  }

  void arrive(size_t which) {
    const Late late = late_[which];
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(which));
    if (late.reserve) reserve(*late.reserve);
    if (late.release) counters_->release(late.release->counter, late.release->unused);
  }

  Reply reserve(const ReserveRequest& request) {
    const Result<Range> range = counters_->reserve(request);
    return {range, counters_->of(prefix_of(request.counter)).next.value_or(0)};
  }

  // --- what others do

  void meddle(ScriptedHost& host) {
    const uint32_t what = input_.below(8);
    if (what == 0) {
      host.keeps_window = !host.keeps_window;
      return;
    }
    if (what == 1) return void(host.return_if_idle());
    const int64_t by = input_.byte();
    CounterStore& store = *host.store;
    if (is<Plain>(kind_)) {
      if (input_.below(4) == 0) return restore(store, by);
      store.advance(std::max<int64_t>(1, store.next.value_or(1) + by - 100));
      if (input_.below(2) == 0) host.sequence.saw_counter(*store.next);
      if (input_.below(2) == 0 && !host.keeps_window) host.skip_to(*store.next - input_.byte() % 20);
    } else if (is<Dated>(kind_)) {
      const int64_t prefix = prefix_of(host.sequence.counter()) + by % 4 - 1;
      if (input_.below(2) == 0) {
        host.prepare(prefix);
      } else if (!host.keeps_window) {
        host.switch_to(prefix);
      }
    } else if (is<Cyclic>(kind_) && !host.keeps_window) {
      store.advance(store.next.value_or(1) + by);
      host.skip_to(1);
    } else if (is<Timestamped>(kind_)) {
      store.now = store.next.value_or(1) + by - 100;
      host.drop_aged();
    }
  }

  // A backup is put back, and nobody is told. What other processes were given may come again, what this one
  // was given may not.
  void restore(CounterStore& store, int64_t by) {
    if (!store.next) return;
    store.next = std::max<int64_t>(1, *store.next - by);
    // Stores refuse a list that does not lie below the counter.
    std::erase_if(store.returned, [&](const Range& range) { return range.end > *store.next; });
    restored_ = true;
  }

  // --- what must be true

  void collect(Process& process) {
    const std::vector<Call*>& ended = process.host->ended;
    for (; process.seen < ended.size(); ++process.seen) {
      const Call& call = *ended[process.seen];
      const bool false_alarm =
          call.error && !restored_ &&
          (call.code() == ErrorCode::kSequenceRewound || call.code() == ErrorCode::kSequenceMissing);
      require(!false_alarm, "a counter that was not set back is not called rewound");
      for (const Range& piece : call.pieces) {
        for (int64_t id = piece.first; id < piece.end; ++id) {
          require(id >= 1 && id <= process.host->sequence.settings().max_number, "ids are in their bounds");
          check_new(process.life, call.prefix, process.places.take(id));
        }
      }
    }
  }

  void check_new(int life, int64_t prefix, int64_t place) {
    require(given_by_life_.emplace(life, prefix, place).second, "no process is given a number twice");
    require(given_.emplace(prefix, place).second || restored_, "no number is given twice");
  }

  FuzzInput input_;
  CounterKind kind_;
  bool exact_ = false;
  std::shared_ptr<Counters> counters_ = std::make_shared<Counters>();
  std::array<Process, 2> processes_;
  int lives_ = 0;
  std::vector<Late> late_;
  bool restored_ = false;
  std::set<std::pair<int64_t, int64_t>> given_;
  std::set<std::tuple<int, int64_t, int64_t>> given_by_life_;
};

}  // namespace
}  // namespace nextid

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  testing::InitGoogleTest();
  GTEST_FLAG_SET(throw_on_failure, true);  // nobody catches it, so that it ends the run
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::Script(nextid::FuzzInput(data, size)).run();
  return 0;
}
