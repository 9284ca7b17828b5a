#!/usr/bin/env bash
# Builds the addon and runs GoogleTest and Jest with whatever stores this machine has.
#   $MONGODB_URL   a MongoDB server for the Mongo suites (no database at the end); else a mongod on the PATH is started
#   $NEXTID_REQUIRE_ALL=1   fail instead of skipping
# Arguments go to Jest: `npm test -- callback` runs the suites whose path holds "callback".
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${MONGODB_URL:-}" ] && command -v mongod >/dev/null; then
  data=$(mktemp -d)
  port=${NEXTID_TEST_MONGOD_PORT:-27917}
  mongod --dbpath "$data" --port "$port" --bind_ip 127.0.0.1 --quiet >"$data/log" 2>&1 &
  mongod_pid=$!
  trap 'kill "$mongod_pid" 2>/dev/null; wait "$mongod_pid" 2>/dev/null; rm -rf "$data"' EXIT
  export MONGODB_URL="mongodb://127.0.0.1:$port"
fi
say_what_is_skipped() {
  [ -z "${MONGODB_URL:-}" ] || return 0
  printf '\n*** SKIPPING ALL MONGODB SUITES: no $MONGODB_URL and no mongod on the PATH. `npm run test:all` (Debian or\n' >&2
  printf '*** Ubuntu, as root) brings up a server and runs everything.\n\n' >&2
}
say_what_is_skipped

npm run --silent compile
if [ $# -eq 0 ]; then
  ctest --test-dir build --output-on-failure --no-tests=error
fi
npx jest "$@"
say_what_is_skipped
