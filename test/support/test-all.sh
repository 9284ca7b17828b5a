#!/usr/bin/env bash
# Runs every test, with nothing prepared: on Debian or Ubuntu, as root. Fails if any suite is skipped.
#
# Usage: npm run test:all
#
# Installs the system packages, builds, checks the model, starts the server of mongo-server.sh, runs npm test, a
# short soak of all faults together and of each by itself, the sanitizers and the fuzzers, makes the package and tries
# it in short, stops the server.
# Environment:
#   MONGODB_URL, NEXTID_TEST_MONGODB_AUTH_URL, NEXTID_TEST_MONGODB_TLS_URL
#       servers to test against instead; what is not given comes from mongo-server.sh
#   NEXTID_TEST_CACHE, NEXTID_DEBIAN_MIRROR
#       see mongo-server.sh
set -euo pipefail

support=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
cd "$support/../.."

tests=
finish() {
  [[ -z $tests ]] || kill "$tests" 2>/dev/null || true
  "$support/mongo-server.sh" stop || true
}

# Exports what the server says of itself, but for what the developer has set.
export_server_environment() {
  local line
  "$support/mongo-server.sh" start
  while IFS= read -r line; do
    [[ -n $(printenv "${line%%=*}") ]] || eval "export $line"
  done < <("$support/mongo-server.sh" env)
}

"$support/system-packages.sh"
[[ -d node_modules ]] || npm ci
npm run compile
npm run --silent test:model

if [[ -z ${MONGODB_URL:-} || -z ${NEXTID_TEST_MONGODB_AUTH_URL:-} ||
  -z ${NEXTID_TEST_MONGODB_TLS_URL:-} ]]; then
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  export_server_environment
fi

export NEXTID_REQUIRE_ALL=1
everything() {
  npm test &&
    npm run --silent soak -- --seconds 60 &&
    npm run --silent soak -- --each --ids 10000000 &&
    npm run --silent test:sanitizers &&
    npm run --silent test:fuzz &&
    npm run --silent prebuild -- x64 &&
    npm run --silent test:package -- quick
}
# In the background, because a trap waits for a foreground command to end.
everything &
tests=$!
wait "$tests"
