#!/usr/bin/env bash
# A MongoDB-compatible server for the tests: FerretDB 2 in front of PostgreSQL with the DocumentDB extension.
#
# Usage: test/scripts/mongo-server.sh COMMAND
#   prepare                makes the server's programs: minutes the first time, nothing after that
#   start                  prepares, starts what does not run or does not answer, waits until everything does
#   env                    prints what tests need to know, as KEY='VALUE' lines for a shell
#   status                 says what runs; fails unless all of it answers
#   kill gateway|gateway-auth|postgres
#                          kill -9, as in a crash; start brings it back on the same port with the same data
#   stop                   kills everything and deletes the data; the programs stay
#
# What runs, on ports of 127.0.0.1 that were free:
#   postgres      the data
#   gateway       FerretDB, no authentication
#   gateway-auth  FerretDB with SCRAM-SHA-256, on one port plain, on another with TLS and a test CA
# A start when none of the three is running begins with no data.
#
# Environment:
#   NEXTID_TEST_CACHE     where everything lives, 1.1 GB (default: ${XDG_CACHE_HOME:-~/.cache}/nextid-test)
#   NEXTID_DEBIAN_MIRROR  a Debian mirror (default: the one in this machine's apt sources)
# Needs root, for a chroot, and the packages of system-packages.sh.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")
readonly self
# shellcheck source=servers.sh
source "${self%/*}/servers.sh"
# shellcheck source=mongo-programs.sh
source "${self%/*}/mongo-programs.sh"

readonly postgresql_bin=/usr/lib/postgresql/$postgresql/bin # in the Debian root

readonly user='nextid@test' userinfo=nextid%40test:$encoded_password

# All that belongs to the running server; to be deleted when nothing runs.
readonly run=$cache/run
readonly services=(postgres gateway gateway-auth)
readonly ca_file=$run/tls/ca.pem
postgres_port='' gateway_port='' auth_port='' tls_port='' # load_ports sets them

program_of() {
  if [[ $1 == postgres ]]; then
    echo "$debian$postgresql_bin/postgres"
  else
    echo "$ferretdb"
  fi
}

# --- services ----------------------------------------------------------------------------------------------

# as_postgres PID_FILE PROGRAM ARGUMENTS...: a program of PostgreSQL, as its user, with its files in /srv.
as_postgres() {
  inside "$debian" "$run/srv" "$1" \
    setpriv --reuid postgres --regid postgres --init-groups "$postgresql_bin/$2" "${@:3}"
}

sql() {
  as_postgres '' psql --no-psqlrc --quiet --no-align --tuples-only --set ON_ERROR_STOP=1 \
    --dbname "host=127.0.0.1 port=$postgres_port dbname=postgres connect_timeout=10" --command "$1"
}

run_postgres() {
  # The extension's own jobs connect by cron.host; by name would mean a look-up.
  as_postgres "$run/postgres.pid" postgres -D /srv/data -p "$postgres_port" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories=/srv -c max_connections=300 \
    -c shared_preload_libraries=pg_cron,pg_documentdb_core,pg_documentdb \
    -c cron.database_name=postgres -c cron.host=127.0.0.1
}

# run_ferretdb SERVICE FLAGS...: becomes FerretDB.
run_ferretdb() {
  echo "$BASHPID" >"$run/$1.pid"
  exec "$ferretdb" --postgresql-url="postgres://postgres@127.0.0.1:$postgres_port/postgres" \
    --state-dir="$run/$1" --telemetry=disable --debug-addr=- --log-level=WARN "${@:2}"
}

run_gateway() {
  run_ferretdb gateway --no-auth --listen-addr="127.0.0.1:$gateway_port"
}

run_gateway-auth() {
  run_ferretdb gateway-auth --auth --listen-addr="127.0.0.1:$auth_port" --listen-tls="127.0.0.1:$tls_port" \
    --listen-tls-cert-file="$run/tls/server.pem" --listen-tls-key-file="$run/tls/server.key"
}

# A ping goes through to PostgreSQL; no login is needed for it.
pings() {
  timeout --signal KILL 10 "$ferretdb" ping --listen-addr="127.0.0.1:$1" --debug-addr=-
}

tls_verifies() {
  timeout --signal KILL 10 openssl s_client -connect "127.0.0.1:$tls_port" \
    -CAfile "$ca_file" -verify_return_error -verify_hostname localhost
}

# Not only that somebody answers: it must be SERVICE, which could have lost its port to another program.
answers() {
  alive "$1" && case $1 in
    postgres) sql 'SELECT' ;;
    gateway) pings "$gateway_port" ;;
    gateway-auth) pings "$auth_port" && tls_verifies ;;
  esac </dev/null >/dev/null 2>&1
}

# --- a new server ------------------------------------------------------------------------------------------

make_certificates() {
  local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc) tls=$run/tls
  mkdir "$tls" &&
    openssl req -x509 "${key[@]}" -keyout "$tls/ca.key" -out "$ca_file" -days 3650 -subj '/CN=nextid test' &&
    openssl req -new "${key[@]}" -keyout "$tls/server.key" -out "$tls/server.csr" -subj '/CN=localhost' &&
    openssl x509 -req -in "$tls/server.csr" -CA "$ca_file" -CAkey "$tls/ca.key" -CAcreateserial \
      -out "$tls/server.pem" -days 3650 -extfile <(echo 'subjectAltName = DNS:localhost, IP:127.0.0.1')
}

make_data() {
  mkdir "$run/srv" &&
    chown --reference "$debian/var/lib/postgresql" "$run/srv" &&
    as_postgres '' initdb --auth trust --no-locale --encoding UTF8 --no-sync -D /srv/data
}

new_server() {
  local ports
  rm -rf "$run"
  mkdir -p "$run/gateway" "$run/gateway-auth"
  { make_certificates && make_data; } >"$run/new.log" 2>&1 || {
    cat "$run/new.log" >&2
    fail 'could not make a new server'
  }
  read -ra ports < <(free_ports 4 25000)
  printf '%s_port=%s\n' postgres "${ports[0]}" gateway "${ports[1]}" auth "${ports[2]}" tls "${ports[3]}" \
    >"$run/ports"
}

# May be repeated. FerretDB gives every user the full rights, whatever roles are asked for.
set_up_database() {
  local roles='[{"role": "clusterAdmin", "db": "admin"}, {"role": "readWriteAnyDatabase", "db": "admin"}]'
  local create="{\"createUser\": \"$user\", \"pwd\": \"$password\", \"roles\": $roles}"
  sql 'SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS documentdb CASCADE'
  sql "SELECT documentdb_api.create_user('$create')
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$user')" >/dev/null
}

# --- commands ----------------------------------------------------------------------------------------------

start() {
  prepare
  any_alive || new_server
  load_ports
  ensure postgres
  set_up_database
  ensure gateway
  ensure gateway-auth
}

status() {
  local service failed=0
  load_ports
  for service in "${services[@]}"; do
    if ! alive "$service"; then
      echo "$service: not running"
      failed=1
    elif ! answers "$service"; then
      echo "$service: runs (process $(cat "$run/$service.pid")) but does not answer"
      failed=1
    else
      echo "$service: answers (process $(cat "$run/$service.pid"))"
    fi
  done
  return $failed
}

# Tests put /DATABASE behind a URL that has no path. SERVER_URL is what kill strikes, even when a developer's
# MONGODB_URL names another server. A pid file holds a new number after each start.
environment() {
  load_ports
  print_env \
    MONGODB_URL "mongodb://127.0.0.1:$gateway_port" \
    NEXTID_TEST_MONGODB_AUTH_URL "mongodb://$userinfo@127.0.0.1:$auth_port" \
    NEXTID_TEST_MONGODB_TLS_URL "mongodb://$userinfo@localhost:$tls_port/?tls=true&tlsCAFile=$ca_file" \
    NEXTID_TEST_MONGODB_USER "$user" \
    NEXTID_TEST_MONGODB_PASSWORD "$password" \
    NEXTID_TEST_MONGODB_CA_FILE "$ca_file" \
    NEXTID_TEST_MONGODB_SERVER "$self" \
    NEXTID_TEST_MONGODB_SERVER_URL "mongodb://127.0.0.1:$gateway_port" \
    NEXTID_TEST_MONGODB_GATEWAY_PID_FILE "$run/gateway.pid" \
    NEXTID_TEST_MONGODB_POSTGRES_PID_FILE "$run/postgres.pid"
}

case "$*" in
  prepare | start | stop)
    need_root
    lock
    "$1"
    ;;
  'kill gateway' | 'kill gateway-auth' | 'kill postgres')
    need_root
    lock
    kill_service "$2"
    ;;
  status)
    need_root
    status
    ;;
  env) environment ;;
  *) usage ;;
esac
