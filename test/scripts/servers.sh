# What the scripts of test servers share. To be sourced, by bash as root.
#
# The script has set `self`, its own path, and also defines:
#   run                  the folder of what runs, to be deleted when nothing runs
#   services             an array of names
#   program_of SERVICE   prints the path of its program
#   run_SERVICE          becomes the service or waits for it; its process number goes to $run/SERVICE.pid
#   answers SERVICE      whether it is alive and works
# Environment: NEXTID_TEST_CACHE, see mongo-server.sh.
# shellcheck shell=bash

cache=$(realpath -m "${NEXTID_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nextid-test}")
readonly cache

# With characters that a URL has to encode.
readonly password='p@ss/w:rd%1' encoded_password='p%40ss%2Fw%3Ard%251'

say() {
  echo "$(basename "$self" .sh): $*" >&2
}

fail() {
  say "$@"
  exit 1
}

# inside ROOT SRV PID_FILE COMMAND...: runs a command in the Debian root ROOT (/ is this machine's), with the folder
# SRV as its /srv and an empty environment. Mounts, processes and shared memory are its own: killing the first process
# kills all of them, and the rest goes with the last, so that there is never anything to clean up. PID_FILE, if not
# empty, gets the number of the first process.
inside() {
  # shellcheck disable=SC2016 # The inner shell expands it.
  unshare --mount --pid --ipc --fork bash -euc '
    root=$1 srv=$2 pid_file=$3
    shift 3
    if [[ -n $pid_file ]]; then
      read -r pid _ </proc/self/stat # still the outer /proc: the number that others see
      echo "$pid" >"$pid_file"
    fi
    mount -t proc proc "$root/proc"
    mount --bind "$srv" "$root/srv"
    exec chroot "$root" \
      /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/srv "$@"
  ' inside "$@"
}

# --- processes -------------------------------------------------------------------------------------------------

# A pid file may outlive its process and the number may go to another, so the program is compared too.
alive() {
  local pid
  pid=$(cat "$run/$1.pid" 2>/dev/null) && [[ $(readlink "/proc/$pid/exe") == "$(program_of "$1")" ]]
}

any_alive() {
  local service
  for service in "${services[@]}"; do
    ! alive "$service" || return 0
  done
  return 1
}

# Returns when SERVICE and all its children are gone.
kill_service() {
  local tries
  for ((tries = 0; tries < 100; tries++)); do
    alive "$1" || return 0
    kill -KILL "$(cat "$run/$1.pid")" 2>/dev/null || true
    sleep 0.1
  done
  fail "$1 is still there 10 s after kill -9"
}

answers_within() {
  local deadline=$((SECONDS + $1))
  until answers "$2"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# Leaves SERVICE running and answering, whatever its state (a test may have stopped it with SIGSTOP).
ensure() {
  # Not at once: when PostgreSQL is new, a gateway that is not stumbles over its old connections for a while.
  if alive "$1" && answers_within 5 "$1"; then
    return
  fi
  kill_service "$1"
  set -m # a process group of its own: the terminal's Ctrl-C is not for it
  "run_$1" </dev/null >>"$run/$1.log" 2>&1 9>&- &
  set +m
  answers_within 30 "$1" || {
    tail -n 20 "$run/$1.log" >&2
    fail "$1 does not answer; its log is $run/$1.log; '$self stop' and start again chooses other ports"
  }
}

# free_ports COUNT FROM: prints ports on which nobody listens, of the 5000 from FROM on: servers that start at the same
# time use different ones. They lie below those that the system gives to outgoing connections: one of these could
# take the port of a service that a test has killed and will start again.
free_ports() {
  local port found=' '
  while (($(wc -w <<<"$found") < $1)); do
    port=$(($2 + RANDOM % 5000))
    [[ $found == *" $port "* ]] || (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || found+="$port "
  done
  echo "$found"
}

# --- commands --------------------------------------------------------------------------------------------------

need_root() {
  ((EUID == 0)) || fail 'must be root, because the servers have mounts and users of their own; run it with sudo'
}

# Two starts at once would tread on each other; whoever comes second waits. No service may inherit the lock.
lock() {
  mkdir -p "$cache"
  exec 9>"$run.lock"
  flock 9
}

load_ports() {
  [[ -f $run/ports ]] || fail "no server was started; '$self start' starts one"
  # shellcheck source=/dev/null
  source "$run/ports"
}

stop() {
  local service
  for service in "${services[@]}"; do
    kill_service "$service"
  done
  rm -rf "$run"
}

# print_env KEY VALUE...
print_env() {
  while (($# > 0)); do
    echo "$1=${2@Q}"
    shift 2
  done
}

usage() {
  sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$self" >&2
  exit 2
}
