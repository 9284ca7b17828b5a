# The programs of mongo-server.sh, made once and kept: FerretDB, built from source, and a Debian root with
# PostgreSQL and the DocumentDB extension (Debian's newer releases alone have that package).
#
# To be sourced after servers.sh. Defines prepare (makes what is missing) and the paths. A program gets its name when it
# is complete, so an interrupted prepare is simply begun again.
# Environment: NEXTID_TEST_CACHE and NEXTID_DEBIAN_MIRROR, see mongo-server.sh.
# shellcheck shell=bash

# These were tried together. A mirror keeps one version of a package only, so the extension cannot be pinned.
readonly debian_suite=forky postgresql=18
readonly ferretdb_version=v2.7.0 ferretdb_needs_go=1.25

readonly debian=$cache/debian-$debian_suite-postgresql-$postgresql
readonly ferretdb=$cache/ferretdb-$ferretdb_version
readonly prepare_log=$cache/prepare.log

# Runs a step with its output in the log, which is shown if the step fails.
logged() {
  "$@" </dev/null >>"$prepare_log" 2>&1 || {
    tail -n 40 "$prepare_log" >&2
    fail "this failed: $* (the whole log: $prepare_log)"
  }
}

# Runs a logged step in the Debian root $1, with what the environment here says about reaching registries.
logged_inside() {
  local root=$1 name registries=()
  for name in {http,https,no}_proxy {HTTP,HTTPS,NO}_PROXY GOPROXY GOSUMDB GONOSUMDB; do
    [[ ! -v $name ]] || registries+=("$name=${!name}")
  done
  logged inside "$root" "$cache/build" '' DEBIAN_FRONTEND=noninteractive "${registries[@]}" "${@:2}"
}

prepare_debian() {
  local mirror root=$debian.partial ca=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
  mirror=$(bash "$(dirname "${BASH_SOURCE[0]}")/debian-mirror.sh") || fail "PostgreSQL with DocumentDB comes from a Debian mirror"
  say "making a Debian root with PostgreSQL $postgresql and DocumentDB (1 GB)"
  rm -rf --one-file-system "$root"
  # Its own mount namespace: an interrupted debootstrap leaves its /proc mounted.
  logged unshare --mount debootstrap --variant=minbase "$debian_suite" "$root" "$mirror" sid
  # What this machine's apt and certificate store had to be told, those of the root must be told as well.
  apt-config dump | awk 'tolower($1) ~ /^acquire::(check-valid-until$|check-date$|.*proxy)/' \
    >"$root/etc/apt/apt.conf.d/90host"
  [[ ! -f $ca ]] || install -D -m 644 "$ca" "$root/etc/ssl/certs/ca-certificates.crt"
  # No package may start a service.
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  logged_inside "$root" apt-get update
  logged_inside "$root" apt-get install --yes --no-install-recommends "postgresql-$postgresql-documentdb"
  logged_inside "$root" apt-get clean
  mv "$root" "$debian"
}

# Whether this machine has a Go that can build FerretDB.
has_go() {
  local version
  version=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) &&
    printf '%s\n' "$ferretdb_needs_go" "${version#go}" | sort --check=quiet --version-sort
}

prepare_ferretdb() {
  local module=github.com/FerretDB/FerretDB/v2/cmd/ferretdb@$ferretdb_version
  if has_go; then
    say "building FerretDB $ferretdb_version"
    logged env GOTOOLCHAIN=local CGO_ENABLED=0 GOBIN="$cache/build" go install "$module"
  else
    say "building FerretDB $ferretdb_version with Debian's Go (here is none of $ferretdb_needs_go or newer)"
    logged_inside "$debian" apt-get install --yes --no-install-recommends golang-go
    logged_inside "$debian" GOTOOLCHAIN=local CGO_ENABLED=0 GOBIN=/srv GOPATH=/srv/go GOCACHE=/srv/go-cache \
      go install -modcacherw "$module"
  fi
  mv "$cache/build/ferretdb" "$ferretdb"
}

# Makes what is missing and says how long that took; says nothing if there is nothing to do.
prepare() {
  [[ ! -d $debian || ! -x $ferretdb ]] || return 0
  local program
  for program in debootstrap unshare mount; do
    command -v "$program" >/dev/null ||
      fail "$program is missing; test/scripts/system-packages.sh installs it"
  done
  SECONDS=0
  mkdir -p "$cache/build"
  : >"$prepare_log"
  [[ -d $debian ]] || prepare_debian
  [[ -x $ferretdb ]] || prepare_ferretdb
  rm -rf "$cache/build"
  say "prepared in $SECONDS s, in $cache"
}
