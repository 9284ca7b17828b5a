#!/usr/bin/env bash
# Runs the tests in builds with gcc's sanitizers: the native suites and Jest with those for addresses, leaks
# and undefined behaviour, then the native suites with the one for data races.
#
# Usage: npm run test:sanitizers [-- core]   core: only the suite of the core, under AddressSanitizer
#   $MONGODB_URL   a MongoDB server for the Mongo suites (no database at the end)
#   $NEXTID_REQUIRE_ALL=1   fail instead of skipping
# For Linux. Data races are looked for in the native suites only: Node.js itself is not built for that.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Left out: what takes minutes to show that nothing is lost in a power cut, and what counts on a quick server.
slow='*PowerCut*:*MongoPrune.WhileOthersReserve*'

suites=(core_test sqlite_test contract_test mongo_test)
modules=(nextid nextid_mongo_module)
if [ -z "${MONGODB_URL:-}" ] && [ "${1:-}" != core ]; then
  printf '\n*** SKIPPING ALL MONGODB SUITES: no $MONGODB_URL\n\n' >&2
  [ "${NEXTID_REQUIRE_ALL:-}" != 1 ] || exit 1
  suites=(core_test sqlite_test contract_test)
  modules=(nextid)
fi

# build FOLDER SANITIZERS TARGETS...
build() {
  cmake -S . -B "$1" -DNEXTID_SANITIZE="$2" -DCMAKE_BUILD_TYPE=Debug >/dev/null
  cmake --build "$1" --parallel 2 --target "${@:3}"
}

# run_suites FOLDER WITHOUT: but for the tests whose names match WITHOUT (a list in GoogleTest's way)
run_suites() {
  GTEST_BRIEF=1 GTEST_FILTER=-$2 ctest --test-dir "$1" --parallel 2 --output-on-failure --no-tests=error \
    --tests-regex "^($(IFS='|' && echo "${suites[*]}"))\$"
}

# The Jest files that do most in native code; all would take several times as long. Not those where
# libfaketime is preloaded in place of the sanitizer's library, and not leaks.test.js, where what the sanitizer
# keeps would count.
jest_files=(
  test/js/{abort,bigint,careless-use,close,dated,hung-store,js-store,kinds,lifetime,loading,sequence}.test.js
  test/js/{shared-counter,store-down,uncaught-exceptions}.test.js
)
# In a copy of the package, whose build/ is the sanitized one. What the sanitizer has to say goes to files: it
# may be in a process whose output and death no test looks at.
run_jest() {
  local file status=0
  copy=$(mktemp -d)
  trap 'rm -rf "$copy"' EXIT
  cp -r CMakeLists.txt LICENSE README.md index.d.ts jest.config.js lib native package.json test "$copy"
  ln -s "$PWD/node_modules" "$copy/node_modules"
  ln -s "$PWD/build-address" "$copy/build"
  # Leaks are not for here: Node.js frees not all it has at its end (see leaks.test.js). Freed memory is kept
  # back to see who still uses it, but no more than 16 MB: lifetime.test.js looks for growth.
  (
    cd "$copy"
    LD_PRELOAD=$(gcc -print-file-name=libasan.so) \
      ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:log_path=$copy/report \
      UBSAN_OPTIONS=print_stacktrace=1:log_path=$copy/report \
      node node_modules/jest/bin/jest.js "${jest_files[@]}"
  ) || status=1
  for file in "$copy"/report.*; do
    [ -e "$file" ] || continue
    cat "$file" >&2
    status=1
  done
  return "$status"
}

run_under_asan() {
  build build-address address,undefined "$@"
  ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1 \
    run_suites build-address "$slow"
}

if [ "${1:-}" = core ]; then
  suites=(core_test)
  run_under_asan core_test
  exit
fi
run_under_asan "${suites[@]}" "${modules[@]}"
run_jest

# Left out as well: long tests of one thread. die_after_fork=0: some tests start threads in children.
build build-thread thread "${suites[@]}"
TSAN_OPTIONS=die_after_fork=0:suppressions=$PWD/test/support/tsan.supp \
  run_suites build-thread "$slow:*OutOfMemory*"
