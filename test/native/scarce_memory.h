#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace nextid {

// In a program that includes new_operators.h:

// How many allocations by operator new are not freed yet.
inline std::atomic<int64_t> allocations{0};

// Memory that runs out: the n-th operator new that this thread calls within() fails. One at a time in a
// thread.
class ScarceMemory {
 public:
  enum class Then {
    kThere,  // only that one fails
    kGone,   // and all after it
  };

  // `n`: 1, 2, 3, …
  ScarceMemory(int64_t n, Then then) : left_(n), then_(then) { current_ = this; }
  ~ScarceMemory() { current_ = nullptr; }
  ScarceMemory(const ScarceMemory&) = delete;
  ScarceMemory& operator=(const ScarceMemory&) = delete;

  // Runs `body`; what it allocates is counted.
  template <typename Body>
  auto within(const Body& body) {
    const Switch on(scarce_, true);
    return body();
  }

  // Whether the n-th allocation has come.
  bool ran_out() const { return left_ <= 0; }

  // From now on nothing fails.
  void comes_back() { is_back_ = true; }

  // There is memory for the tests' own needs while one of these lives.
  class Plenty {
   private:
    friend class ScarceMemory;
    bool before_ = std::exchange(scarce_, false);

   public:
    Plenty() = default;
    ~Plenty() { scarce_ = before_; }
    Plenty(const Plenty&) = delete;
    Plenty& operator=(const Plenty&) = delete;
  };

  // Whether an allocation that is made now fails.
  static bool fails_now() {
    if (!scarce_ || current_ == nullptr || current_->is_back_) return false;
    --current_->left_;
    return current_->left_ == 0 || (current_->left_ < 0 && current_->then_ == Then::kGone);
  }

 private:
  class Switch {
   public:
    Switch(bool& value, bool to) : value_(value), before_(std::exchange(value, to)) {}
    ~Switch() { value_ = before_; }

   private:
    bool& value_;
    const bool before_;
  };

  inline static thread_local ScarceMemory* current_ = nullptr;
  inline static thread_local bool scarce_ = false;

  int64_t left_;  // until it fails
  const Then then_;
  bool is_back_ = false;
};

}  // namespace nextid
