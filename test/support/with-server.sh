#!/usr/bin/env bash
# Runs a command with the MongoDB-compatible server of mongo-server.sh, and stops the server at the end.
#
# Usage: test/support/with-server.sh COMMAND...
#
# Of MONGODB_URL, NEXTID_TEST_MONGODB_AUTH_URL and NEXTID_TEST_MONGODB_TLS_URL, those that are set stay as they are.
set -euo pipefail

support=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
command=
finish() {
  [[ -z $command ]] || kill "$command" 2>/dev/null || true
  "$support/mongo-server.sh" stop
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

"$support/mongo-server.sh" start
while IFS= read -r line; do
  [[ -n $(printenv "${line%%=*}") ]] || eval "export $line"
done < <("$support/mongo-server.sh" env)
"$@" & # in the background, because a trap waits for a foreground command to end
command=$!
wait "$command"
