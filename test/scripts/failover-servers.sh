#!/usr/bin/env bash
# A PostgreSQL cluster that fails over, for the tests, and FerretDB in front of it.
#
# Usage: test/scripts/failover-servers.sh COMMAND
#   prepare         makes the programs: a copy of mongo-server.sh's Debian root with the packages of the cluster
#   start           prepares, starts a new cluster, waits until it takes writes
#   env             prints what tests need to know, as KEY='VALUE' lines for a shell
#   kill MEMBER     kill -9 of all processes of member-1, member-2 or member-3, as if its machine died
#   freeze MEMBER   SIGSTOP of all of them
#   thaw MEMBER     SIGCONT
#   restart MEMBER  starts a member that was killed, with the data it had
#   stop            kills everything and deletes the data; the programs stay
#   with PROGRAM…   start, then PROGRAM with what env prints, then stop
#
# What runs, on ports of 127.0.0.1 that were free:
#   etcd       what Patroni agrees on
#   member-N   three PostgreSQL under Patroni, with synchronous_mode_strict: a commit waits for a standby
#   haproxy    leads to the present leader
#   gateway    FerretDB behind haproxy, no authentication
#
# Environment: as for mongo-server.sh. The copy takes another 1 GB of NEXTID_TEST_CACHE.
# Needs root, and the packages of system-packages.sh.
set -euo pipefail

self=$(realpath "${BASH_SOURCE[0]}")
readonly self
# shellcheck source=servers.sh
source "${self%/*}/servers.sh"
# shellcheck source=mongo-programs.sh
source "${self%/*}/mongo-programs.sh"

readonly cluster_root=$debian-patroni
readonly run=$cache/run-failover
readonly members=(member-1 member-2 member-3)
readonly services=(gateway haproxy "${members[@]}" etcd)
etcd_port='' peer_port='' haproxy_port='' gateway_port='' postgres_ports=() rest_ports=() # load_ports sets them

program_of() {
  case $1 in
    member-*) realpath "$cluster_root/usr/bin/python3" ;;
    haproxy) echo "$cluster_root/usr/sbin/haproxy" ;;
    etcd) echo "$cluster_root/usr/bin/etcd" ;;
    gateway) echo "$ferretdb" ;;
  esac
}

prepare_patroni() {
  [[ ! -d $cluster_root ]] || return 0
  say 'adding Patroni, etcd and HAProxy to a copy of that Debian root (1 GB)'
  rm -rf --one-file-system "$cluster_root.partial"
  mkdir -p "$cache/build"
  : >"$prepare_log"
  logged cp --archive --one-file-system "$debian" "$cluster_root.partial"
  logged_inside "$cluster_root.partial" apt-get update
  logged_inside "$cluster_root.partial" apt-get install --yes --no-install-recommends \
    patroni etcd-server python3-etcd python3-psycopg2 haproxy
  logged_inside "$cluster_root.partial" apt-get clean
  rm -rf "$cache/build"
  mv "$cluster_root.partial" "$cluster_root"
}

# The Debian root and FerretDB are mongo-server.sh's, so its lock is held.
prepare_all() (
  mkdir -p "$cache"
  exec 9>"$cache/run.lock"
  flock 9
  prepare
  prepare_patroni
)

# --- services --------------------------------------------------------------------------------------------------

# as_postgres SERVICE PROGRAM ARGUMENTS...: its files are in /srv.
as_postgres() {
  inside "$cluster_root" "$run/$1" "$run/$1.pid" setpriv --reuid postgres --regid postgres --init-groups "${@:2}"
}

run_etcd() {
  as_postgres etcd etcd --data-dir /srv/data --unsafe-no-fsync --log-level warn \
    --listen-client-urls "http://127.0.0.1:$etcd_port" --advertise-client-urls "http://127.0.0.1:$etcd_port" \
    --listen-peer-urls "http://127.0.0.1:$peer_port" --initial-advertise-peer-urls "http://127.0.0.1:$peer_port" \
    --initial-cluster "default=http://127.0.0.1:$peer_port"
}

# The first process of a namespace of its own: killing it kills PostgreSQL and all of its backends at once.
run_member-1() { as_postgres member-1 patroni /srv/patroni.yml; }
run_member-2() { as_postgres member-2 patroni /srv/patroni.yml; }
run_member-3() { as_postgres member-3 patroni /srv/patroni.yml; }

run_haproxy() {
  as_postgres haproxy haproxy -db -f /srv/haproxy.cfg
}

run_gateway() {
  echo "$BASHPID" >"$run/gateway.pid"
  exec "$ferretdb" --postgresql-url="postgres://postgres@127.0.0.1:$haproxy_port/postgres" --no-auth \
    --listen-addr="127.0.0.1:$gateway_port" --state-dir="$run/gateway" --telemetry=disable --debug-addr=- \
    --log-level=WARN
}

listens() {
  (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

answers() {
  alive "$1" && case $1 in
    etcd) listens "$etcd_port" ;;
    member-*) listens "${rest_ports[${1#member-} - 1]}" ;;
    haproxy) listens "$haproxy_port" ;;
    gateway) timeout --signal KILL 10 "$ferretdb" ping --listen-addr="127.0.0.1:$gateway_port" --debug-addr=- ;;
  esac </dev/null >/dev/null 2>&1
}

# --- a new cluster ---------------------------------------------------------------------------------------------

# ttl has the least value that Patroni takes. Dynamic shared memory goes to the data folder: in /dev/shm it would
# outlive a kill -9.
patroni_yml() {
  cat <<END
scope: nextid
name: member-$1
etcd3: {host: "127.0.0.1:$etcd_port"}
restapi: {listen: "127.0.0.1:$3", connect_address: "127.0.0.1:$3"}
bootstrap:
  dcs:
    ttl: 20
    loop_wait: 2
    retry_timeout: 5
    synchronous_mode: true
    synchronous_mode_strict: true
    postgresql:
      use_pg_rewind: true
      parameters:
        max_connections: 300
        shared_preload_libraries: pg_cron,pg_documentdb_core,pg_documentdb
        cron.database_name: postgres
        cron.host: 127.0.0.1
        dynamic_shared_memory_type: mmap
        recovery_init_sync_method: syncfs
        unix_socket_directories: /srv
  initdb: [{auth: trust}, {encoding: UTF8}, no-locale, no-sync, data-checksums]
postgresql:
  listen: 127.0.0.1:$2
  connect_address: 127.0.0.1:$2
  data_dir: /srv/data
  bin_dir: /usr/lib/postgresql/$postgresql/bin
  authentication: {superuser: {username: postgres}, replication: {username: postgres}}
  pg_hba: [local all all trust, host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust]
  basebackup: [{checkpoint: fast}, no-sync]
  remove_data_directory_on_rewind_failure: true
  remove_data_directory_on_diverged_timelines: true
watchdog: {mode: 'off'}
END
}

# The shortest times, so that there is the least to be seen of the time between two leaders.
haproxy_cfg() {
  cat <<END
global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen leader
  bind 127.0.0.1:$haproxy_port
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
END
  local i
  for i in 0 1 2; do
    echo "  server member-$((i + 1)) 127.0.0.1:${postgres_ports[i]} check port ${rest_ports[i]}"
  done
}

new_cluster() {
  local service ports i
  rm -rf "$run"
  for service in "${services[@]}" new; do
    mkdir -p "$run/$service"
    chown --reference "$cluster_root/var/lib/postgresql" "$run/$service"
    chmod 700 "$run/$service"
  done
  read -ra ports < <(free_ports 10 10000)
  cat >"$run/ports" <<END
etcd_port=${ports[0]} peer_port=${ports[1]} haproxy_port=${ports[2]} gateway_port=${ports[3]}
postgres_ports=(${ports[*]:4:3}) rest_ports=(${ports[*]:7:3})
END
  load_ports
  for i in 0 1 2; do
    patroni_yml $((i + 1)) "${postgres_ports[i]}" "${rest_ports[i]}" >"$run/${members[i]}/patroni.yml"
  done
  haproxy_cfg >"$run/haproxy/haproxy.cfg"
}

# Waits for a standby, too: nothing is committed without one.
set_up_database() {
  local deadline=$((SECONDS + 120))
  until as_postgres new psql --no-psqlrc --quiet --command 'CREATE EXTENSION IF NOT EXISTS documentdb CASCADE' \
    "host=127.0.0.1 port=$haproxy_port dbname=postgres connect_timeout=10" >"$run/new.log" 2>&1; do
    ((SECONDS < deadline)) || {
      tail -n 20 "$run/new.log" "$run"/member-*.log >&2
      fail 'the cluster takes no writes after 120 s'
    }
    sleep 1
  done
}

# --- commands --------------------------------------------------------------------------------------------------

start() {
  local service
  prepare_all
  ! any_alive || fail "a cluster is running; '$self stop' stops it"
  new_cluster
  for service in etcd "${members[@]}" haproxy; do
    ensure "$service"
  done
  set_up_database
  ensure gateway
}

# signal SIGNAL MEMBER: to all its processes. Twice, because one may fork meanwhile.
signal() {
  local pass namespace own
  alive "$2" || fail "$2 does not run"
  own=/proc/$(cat "$run/$2.pid")/ns/pid
  for pass in 1 2; do
    for namespace in /proc/[0-9]*/ns/pid; do
      [[ ! $namespace -ef $own ]] || kill "-$1" "${namespace//[^0-9]/}" 2>/dev/null || true
    done
  done
}

environment() {
  load_ports
  print_env \
    NEXTID_TEST_POSTGRES_URL "postgres://postgres@127.0.0.1:$haproxy_port/postgres" \
    MONGODB_URL "mongodb://127.0.0.1:$gateway_port" \
    NEXTID_TEST_FAILOVER_SCRIPT "$self" \
    NEXTID_TEST_FAILOVER_REST_PORTS "${rest_ports[*]}"
}

program=
finish() {
  if [[ -n $program ]]; then
    kill "$program" 2>/dev/null && wait "$program" || true
  fi
  stop
}

with() {
  trap finish EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  stop # what a kill -9 left
  start
  disown -a # the shell is not to report the end of each service after the last line
  set -a
  eval "$(environment)"
  set +a
  "$@" 9>&- & # in the background, because a trap waits for a foreground command to end
  program=$!
  wait "$program"
}

case "$*" in
  prepare)
    need_root
    prepare_all
    ;;
  start | stop)
    need_root
    lock
    "$1"
    ;;
  'kill member-'[123] | 'freeze member-'[123] | 'thaw member-'[123] | 'restart member-'[123])
    need_root
    load_ports
    case $1 in
      kill) kill_service "$2" ;;
      freeze) signal STOP "$2" ;;
      thaw) signal CONT "$2" ;;
      restart) ensure "$2" ;;
    esac
    ;;
  env) environment ;;
  'with '*)
    need_root
    lock
    with "${@:2}"
    ;;
  *) usage ;;
esac
