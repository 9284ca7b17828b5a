#!/usr/bin/env bash
# Installs system packages on Debian or Ubuntu, as root: those named, else all that the build and the whole test suite
# need.
#
# Usage: test/scripts/system-packages.sh [PACKAGE...]
#
# Only what is missing is installed; where nothing is, apt is not called at all. Quiet unless apt fails.
set -euo pipefail

# One need a line; names after a | are what other releases call the same thing.
needs=(
  cmake
  g++
  make
  'pkg-config|pkgconf'
  libmongoc-dev
  libgtest-dev
  clang
  clang-format
  'libclang-rt-dev|libclang-rt-14-dev'
  libfaketime
  sqlite3
  spin
  python3-venv
  'etcd-server|etcd'
  # For mongo-server.sh.
  ca-certificates
  openssl
  debootstrap
  debian-archive-keyring
  gpgv
  mount
  # For sql-servers.sh.
  postgresql
  pgbouncer
  'mariadb-server-core|mariadb-server-core-10.6'
  'mariadb-client-core|mariadb-client-core-10.6'
)
(($# == 0)) || needs=("$@")

fail() {
  echo "system-packages: $*" >&2
  exit 1
}

installed() {
  [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

available() {
  apt-cache show "$1" >/dev/null 2>&1
}

# Prints the first of the names in NEED (a|b|c) for which CHECK is true.
first_name() {
  local check=$1 names name
  IFS='|' read -ra names <<<"$2"
  for name in "${names[@]}"; do
    if "$check" "$name"; then
      echo "$name"
      return
    fi
  done
  return 1
}

command -v apt-get >/dev/null ||
  fail "expected Debian or Ubuntu (no apt-get here); install these by hand: ${needs[*]}"

missing=()
for need in "${needs[@]}"; do
  first_name installed "$need" >/dev/null || missing+=("$need")
done
((${#missing[@]} > 0)) || exit 0

((EUID == 0)) || fail "must be root to install: ${missing[*]}; run it with sudo"

log=$(mktemp)
temporary=("$log")
trap 'rm -f "${temporary[@]}"' EXIT
# No package may start a service: the tests start servers of their own. A file that a kill -9 leaves behind allows all.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  temporary+=("$policy")
  printf '#!/bin/sh\n[ ! -d /proc/%s ] || exit 101\n' $$ >"$policy"
  chmod +x "$policy"
fi
quiet() {
  DEBIAN_FRONTEND=noninteractive "$@" </dev/null >>"$log" 2>&1 || {
    cat "$log" >&2
    fail "this failed: $*"
  }
}

echo "system-packages: installing ${missing[*]}" >&2
quiet apt-get update
packages=()
for need in "${missing[@]}"; do
  packages+=("$(first_name available "$need")") ||
    fail "apt knows no package $need; are its sources complete?"
done
# --no-remove: MariaDB would replace a MySQL server.
quiet apt-get install --yes --no-install-recommends --no-remove "${packages[@]}"
