#!/usr/bin/env bash
# Builds the native suites of the core and of SQLite with the sanitizers for addresses and undefined behaviour, and
# runs them.
#
# Usage: npm run test:sanitizers
set -euo pipefail
cd "$(dirname "$0")/../.."

export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1

suites=(core_test sqlite_test)
cmake -S . -B build-address -DNEXTID_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build build-address --parallel 2 --target "${suites[@]}"
for suite in "${suites[@]}"; do
  "build-address/$suite" --gtest_brief=1
done
