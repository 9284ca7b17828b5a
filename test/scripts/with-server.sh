#!/usr/bin/env bash
# Runs a command with the MongoDB-compatible server of mongo-server.sh, and stops the server at the end.
#
# Usage: test/scripts/with-server.sh COMMAND...
#
# Of MONGODB_URL, NEXTID_TEST_MONGODB_AUTH_URL and NEXTID_TEST_MONGODB_TLS_URL, those that are set stay as they are.
set -euo pipefail

scripts=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
command=
finish() {
  [[ -z $command ]] || kill "$command" 2>/dev/null || true
  "$scripts/mongo-server.sh" stop
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$scripts/mongo-server.sh" start
while IFS= read -r line; do
  [[ -n $(printenv "${line%%=*}") ]] || eval "export $line"
done < <("$scripts/mongo-server.sh" env)
"$@" & # in the background, because a trap waits for a foreground command to end
command=$!
wait "$command"
