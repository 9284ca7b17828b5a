#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <utility>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nextid {

// A process of its own that runs `body`. Expectations that fail in it are printed and make it fail.
//
// REQUIRES: no SQLite file is open in this process and no thread runs: the child would inherit what SQLite
// believes of its locks, but not the locks. One that is needed later is started early, and held at a Gate.
class Child {
 public:
  explicit Child(const std::function<void()>& body) {
    std::fflush(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("cannot fork");
    if (pid_ == 0) {
      body();
      std::fflush(nullptr);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
  }
  ~Child() { kill(); }
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  Child& operator=(Child&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }

  // True if the body came to its end and nothing in it failed.
  bool succeeds() {
    int status = -1;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  // kill -9. False if it had come to its end before.
  bool kill() {
    if (pid_ == 0) return false;
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t pid_ = 0;
};

// Holds any number of processes until it is opened, so that they go on at the same moment.
class Gate {
 public:
  Gate() {
    if (::pipe(ends_) != 0) throw std::runtime_error("cannot make a pipe");
  }
  ~Gate() {
    open();
    ::close(ends_[0]);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  // In the child.
  void wait() {
    open();  // the child's own copy of the end that holds the gate shut
    char byte;
    while (::read(ends_[0], &byte, 1) > 0) {
    }
  }
  // In the parent.
  void open() {
    if (ends_[1] >= 0) ::close(std::exchange(ends_[1], -1));
  }

 private:
  int ends_[2];
};

}  // namespace nextid
