#!/usr/bin/env bash
# Runs a command with the servers of mongo-server.sh and sql-servers.sh, and stops them at the end.
#
# Usage: test/scripts/with-server.sh COMMAND...
#
# Of MONGODB_URL, NEXTID_TEST_MONGODB_AUTH_URL and NEXTID_TEST_MONGODB_TLS_URL, those that are set stay as they are.
# Where NEXTID_TEST_POSTGRES_URL or NEXTID_TEST_MYSQL_URL is set, that server is not started.
set -euo pipefail

scripts=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
sql_servers=()
[[ -n ${NEXTID_TEST_POSTGRES_URL:-} ]] || sql_servers+=(postgres)
[[ -n ${NEXTID_TEST_MYSQL_URL:-} ]] || sql_servers+=(mysql)

# all COMMAND
all() {
  "$scripts/mongo-server.sh" "$1"
  ((${#sql_servers[@]} == 0)) || "$scripts/sql-servers.sh" "$1" "${sql_servers[@]}"
}

command=
finish() {
  [[ -z $command ]] || kill "$command" 2>/dev/null || true
  all stop
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

all start
while IFS= read -r line; do
  [[ -n $(printenv "${line%%=*}") ]] || eval "export $line"
done < <(all env)
"$@" & # in the background, because a trap waits for a foreground command to end
command=$!
wait "$command"
