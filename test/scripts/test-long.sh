#!/usr/bin/env bash
# What npm test leaves out because it takes hours: for nights and releases. On Debian or Ubuntu, as root. Fails if
# anything is skipped.
#
# Usage: npm run test:long
#
# npm test with the full number of repetitions, the model, a soak of all faults together and of each by itself, a
# cluster that fails over, the sanitizers, the fuzzers, and the package on every Node release.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [[ ${1:-} != with-server ]]; then
  bash test/scripts/system-packages.sh
  exec bash test/scripts/with-server.sh bash test/scripts/test-long.sh with-server
fi

export NEXTID_REQUIRE_ALL=1 NEXTID_TEST_LONG=1
npm test
npm run --silent test:model
npm run --silent soak -- --seconds 60
npm run --silent soak -- --each --ids 10000000
npm run --silent test:failover
npm run --silent test:sanitizers
npm run --silent test:fuzz
npm run --silent build:binaries
npm run --silent test:package
