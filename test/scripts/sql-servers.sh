#!/usr/bin/env bash
# PostgreSQL and MariaDB for the tests, as this machine's packages have them.
#
# Usage: test/scripts/sql-servers.sh COMMAND [postgres|mysql]...   without a name: both
#   start   starts what does not run or does not answer, waits until everything does
#   env     prints what tests need to know, as KEY='VALUE' lines for a shell
#   stop    kills everything and deletes the data
# Usage: test/scripts/sql-servers.sh restart postgres|pgbouncer|mysql
#   kill -9, as in a crash, unless it is dead already; then starts it on the same port with the same data
#
# What runs, on ports of 127.0.0.1 that were free:
#   postgres    PostgreSQL, where all users log in with SCRAM-SHA-256
#   pgbouncer   in front of it, in transaction mode, with at most 5 connections for each user and database
#   mysql       MariaDB
# A start when nothing of a server is running begins with no data.
#
# Environment:
#   NEXTID_TEST_CACHE     where the data lives (default: ${XDG_CACHE_HOME:-~/.cache}/nextid-test)
# Needs root, for mounts, and the packages of system-packages.sh.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")
readonly self
# shellcheck source=servers.sh
source "${self%/*}/servers.sh"

# Debian has a folder for each version, which is in nobody's PATH.
postgres=$(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | sort --version-sort | tail -n 1)
PATH=${postgres%/*}:$PATH:/usr/sbin

server='' run='' services=()                     # set_server sets them
postgres_port='' pgbouncer_port='' mysql_port='' # load_ports sets them

set_server() {
  server=$1
  run=$cache/run-$1
  services=("$1")
  [[ $1 == mysql ]] || services+=(pgbouncer)
}

program_of() {
  realpath "$(command -v "${1/mysql/mariadbd}")"
}

# --- services --------------------------------------------------------------------------------------------------

# as_nobody PID_FILE PROGRAM ARGUMENTS...: none of the servers may run as root. With its files in /srv, because the
# cache is usually in root's home, which nobody else may enter.
as_nobody() {
  inside / "$run/srv" "$1" setpriv --reuid nobody --regid nogroup --clear-groups "$(command -v "$2")" "${@:3}"
}

# Dynamic shared memory goes to the data folder: in /dev/shm it would outlive a kill -9. After one, PostgreSQL would
# sync each file by itself for seconds.
run_postgres() {
  as_nobody "$run/postgres.pid" postgres -D /srv/data -p "$postgres_port" -c max_connections=200 \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c dynamic_shared_memory_type=mmap \
    -c recovery_init_sync_method=syncfs
}

run_pgbouncer() {
  as_nobody "$run/pgbouncer.pid" pgbouncer /srv/pgbouncer.ini
}

# Without Debian's configuration the default character set is MariaDB's own, latin1: a store must name the one it needs.
run_mysql() {
  as_nobody "$run/mysql.pid" mariadbd --no-defaults --datadir=/srv/data --init-file=/srv/init.sql \
    --bind-address=127.0.0.1 --port="$mysql_port" --socket=/srv/mysql.sock --pid-file=/srv/mysql.pid \
    --skip-name-resolve --max-connections=300 --innodb-buffer-pool-size=64M \
    --server-id=1 --log-bin=/srv/data/binlog --binlog-format=ROW --sync-binlog=1
}

# postgres_url USER PORT
postgres_url() {
  echo "postgres://$1:$encoded_password@127.0.0.1:$2/nextid_test"
}

answers() {
  local port=${1}_port
  alive "$1" && case $1 in
    postgres | pgbouncer)
      PGCONNECT_TIMEOUT=10 psql --no-psqlrc --command SELECT "$(postgres_url nextid "${!port}")"
      ;;
    mysql)
      MYSQL_PWD=$password mariadb --no-defaults --connect-timeout=10 --host=127.0.0.1 --port="$mysql_port" \
        --user=nextid --execute='SELECT 1' nextid_test
      ;;
  esac </dev/null >/dev/null 2>&1
}

# --- a new server ----------------------------------------------------------------------------------------------

# The user plain may only log in. writer may read and write all tables and create none.
make_postgres() {
  echo "$password" >"$run/srv/password"
  echo "\"nextid\" \"$password\"" >"$run/srv/pgbouncer-users.txt"
  # By default PgBouncer would refuse clients for 15 s after it has met a dead PostgreSQL.
  cat >"$run/srv/pgbouncer.ini" <<EOF
[databases]
* = host=127.0.0.1 port=$postgres_port
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $pgbouncer_port
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /srv/pgbouncer-users.txt
pool_mode = transaction
default_pool_size = 5
max_client_conn = 300
server_login_retry = 1
EOF
  as_nobody '' initdb --username nextid --pwfile /srv/password --auth scram-sha-256 \
    --no-locale --encoding UTF8 --no-sync -D /srv/data </dev/null &&
    as_nobody '' postgres --single -D /srv/data -c exit_on_error=true template1 <<EOF
CREATE ROLE plain LOGIN PASSWORD '$password'
CREATE ROLE writer LOGIN PASSWORD '$password' IN ROLE pg_read_all_data, pg_write_all_data
REVOKE CREATE ON SCHEMA public FROM PUBLIC
CREATE DATABASE nextid_test
EOF
}

# MariaDB runs init.sql at each start, before it listens.
make_mysql() {
  cat >"$run/srv/init.sql" <<EOF
CREATE DATABASE IF NOT EXISTS nextid_test;
CREATE USER IF NOT EXISTS 'nextid'@'127.0.0.1' IDENTIFIED BY '$password';
GRANT ALL ON *.* TO 'nextid'@'127.0.0.1' WITH GRANT OPTION;
EOF
  as_nobody '' mariadb-install-db --no-defaults --datadir=/srv/data --skip-test-db \
    --auth-root-authentication-method=normal </dev/null
}

new_server() {
  local ports from=20000
  [[ $server == postgres ]] || from=15000
  rm -rf "$run"
  mkdir -p "$run/srv"
  chown nobody "$run/srv"
  read -ra ports < <(free_ports "${#services[@]}" "$from")
  printf '%s_port=%s\n' "$server" "${ports[0]}" ${ports[1]:+pgbouncer "${ports[1]}"} >"$run/ports"
  load_ports
  "make_$server" >"$run/new.log" 2>&1 || {
    cat "$run/new.log" >&2
    fail "could not make a new server ($server)"
  }
}

# --- commands --------------------------------------------------------------------------------------------------

need_programs() {
  local program programs=(initdb postgres psql pgbouncer)
  [[ $server == postgres ]] || programs=(mariadb-install-db mariadbd mariadb)
  for program in "${programs[@]}"; do
    command -v "$program" >/dev/null || fail "$program is missing; test/scripts/system-packages.sh installs it"
  done
}

start() {
  local service
  need_programs
  any_alive || new_server
  load_ports
  for service in "${services[@]}"; do
    ensure "$service"
  done
}

# A pid file holds a new number after each start.
environment() {
  load_ports
  if [[ $server == postgres ]]; then
    print_env \
      NEXTID_TEST_POSTGRES_URL "$(postgres_url nextid "$postgres_port")" \
      NEXTID_TEST_POSTGRES_PLAIN_URL "$(postgres_url plain "$postgres_port")" \
      NEXTID_TEST_POSTGRES_WRITER_URL "$(postgres_url writer "$postgres_port")" \
      NEXTID_TEST_POSTGRES_PID_FILE "$run/postgres.pid" \
      NEXTID_TEST_PGBOUNCER_URL "$(postgres_url nextid "$pgbouncer_port")"
  else
    print_env \
      NEXTID_TEST_MYSQL_URL "mysql://nextid:$encoded_password@127.0.0.1:$mysql_port/nextid_test" \
      NEXTID_TEST_MYSQL_PID_FILE "$run/mysql.pid"
  fi
}

restart() {
  load_ports
  kill_service "$1"
  ensure "$1"
}

# at_once COMMAND SERVER...
at_once() {
  local name processes=() status=0
  for name in "${@:2}"; do
    (
      set_server "$name"
      lock
      "$1"
    ) &
    processes+=($!)
  done
  for name in "${processes[@]}"; do
    wait "$name" || status=1
  done
  return $status
}

command=${1:-}
(($# > 1)) || set -- "$command" postgres mysql
case "$*" in
  'restart postgres' | 'restart pgbouncer' | 'restart mysql')
    need_root
    set_server "${2/pgbouncer/postgres}"
    lock
    restart "$2"
    ;;
  'start postgres' | 'start mysql' | 'start postgres mysql' | 'stop postgres' | 'stop mysql' | 'stop postgres mysql')
    need_root
    at_once "$@"
    ;;
  'env postgres' | 'env mysql' | 'env postgres mysql')
    for name in "${@:2}"; do
      set_server "$name"
      environment
    done
    ;;
  *) usage ;;
esac
