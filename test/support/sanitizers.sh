#!/usr/bin/env bash
# Builds the GoogleTest suites with sanitizers and runs them: address and undefined behaviour, then threads.
#
# Usage: npm run test:sanitizers
#
# $MONGODB_URL names the server of the MongoDB suite, which is left out without it.
set -euo pipefail
cd "$(dirname "$0")/../.."

# A thread sanitizer gives up in children of processes with threads unless told otherwise; tests fork.
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=die_after_fork=0:second_deadlock_stack=1

suites=(core_test sqlite_test)
[[ -z ${MONGODB_URL:-} ]] || suites+=(mongo_test)

for sanitizers in address,undefined thread; do
  folder=build-${sanitizers%%,*}
  cmake -S . -B "$folder" -DNEXTID_SANITIZE="$sanitizers" -DCMAKE_BUILD_TYPE=Debug >/dev/null
  cmake --build "$folder" --parallel 2 --target "${suites[@]}"
  for suite in "${suites[@]}"; do
    printf '\n%s under the sanitizers %s\n' "$suite" "$sanitizers"
    "$folder/$suite" --gtest_brief=1
  done
done
