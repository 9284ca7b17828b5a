#!/usr/bin/env bash
# Builds the fuzz targets of this folder with clang and the sanitizers, and runs each for a while, two at a time.
#
# Usage: npm run test:fuzz [TARGET…]     as in: npm run test:fuzz -- sequence_fuzz
#
# Prints for each target how many inputs it tried and how many edges of the code they reached. Fails if one
# crashes, hangs, leaks or breaks what its target says must be true, and then prints where the input that does
# so lies: build-fuzz/TARGET FILE repeats it.
# Environment:
#   NEXTID_FUZZ_SECONDS   how long each target runs, 60 by default
#   NEXTID_FUZZ_BUILD     the build folder, build-fuzz by default
#   CC, CXX               a clang with its runtime libraries; clang and clang++ on the PATH, else of a version
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
cd "$here/../.."

build=${NEXTID_FUZZ_BUILD:-build-fuzz}
seconds=${NEXTID_FUZZ_SECONDS:-60}
longest_input=1000 # bytes
longest_run=25     # seconds for one input: longer than SQLite's wait for a lock

# The first of clang, clang-20, … clang-14 that is installed.
newest() {
  local name
  for name in "$1" "$1"-{20,19,18,17,16,15,14}; do
    if command -v "$name"; then return; fi
  done
  echo "test/fuzz: $1 is missing (Debian, Ubuntu: apt install clang libclang-rt-dev)" >&2
  exit 1
}
CC=${CC:-$(newest clang)}
CXX=${CXX:-$(newest clang++)}

# Stores are made for each input: in memory where that can be, since nothing is tested of the disk.
memory=/dev/shm
[[ -d $memory && -w $memory ]] || memory=${TMPDIR:-/tmp}
stores=$(mktemp -d --tmpdir="$memory")
artifacts=$(mktemp -d)
corpora=$(mktemp -d)
trap 'rm -rf "$corpora" "$stores"; rmdir --ignore-fail-on-non-empty "$artifacts"' EXIT

build_targets() {
  cmake -S . -B "$build" -DNEXTID_FUZZ=ON -DNEXTID_TESTS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX"
  cmake --build "$build" --parallel 2 --target "$@"
}

# Runs the target NAME, prints one line about it, and keeps its output if it failed.
run() {
  local name=$1 log="$artifacts/$1.log" status=0
  mkdir "$corpora/$name"
  MONGOC_DISABLE_SHM=1 TMPDIR=$stores "$build/$name" -seed=1 -max_total_time="$seconds" \
    -max_len="$longest_input" -timeout="$longest_run" -artifact_prefix="$artifacts/$name-" -print_final_stats=1 \
    "$corpora/$name" "$here/corpus/$name" >"$log" 2>&1 || status=$?
  local runs edges
  # Of a target that failed at once there may be neither.
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1) || true
  printf '%-20s %10s runs  %12s  %s\n' "$name" "${runs:-?}" "${edges:-cov: ?}" \
    "$( ((status == 0)) && echo passed || echo "FAILED: $log")"
  if ((status == 0)); then rm "$log"; fi
  return "$status"
}

targets=("$@")
if ((${#targets[@]} == 0)); then
  for file in "$here"/*_fuzz.cpp; do
    targets+=("$(basename "$file" .cpp)")
  done
fi

if ! build_targets "${targets[@]}" >"$artifacts/build.log" 2>&1; then
  cat "$artifacts/build.log" >&2
  exit 1
fi
rm "$artifacts/build.log"

failed=0
running=0
for target in "${targets[@]}"; do
  if ((running == 2)); then
    wait -n || failed=1
    running=$((running - 1))
  fi
  run "$target" &
  running=$((running + 1))
done
while ((running > 0)); do
  wait -n || failed=1
  running=$((running - 1))
done

if ((failed)); then
  for log in "$artifacts"/*.log; do
    printf '\n--- %s\n' "$log"
    grep -E -A 30 'broken:|Failure$|ERROR:|runtime error' "$log" | head -n 60 || tail -n 20 "$log"
  done
  printf '\nThe inputs and logs are in %s\n' "$artifacts"
fi
exit "$failed"
