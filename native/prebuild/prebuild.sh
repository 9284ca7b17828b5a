#!/usr/bin/env bash
# Makes the prebuilt binaries that travel inside the package, prebuilds/PLATFORM, and checks them. On any Debian or
# Ubuntu, as root; builds for all platforms wherever it runs.
#
# Usage: npm run build:binaries [-- PLATFORM...]    all, or these, such as linux-x64
#
# The compiler is zig's clang, which brings the headers and stubs of each system. Those of an old glibc: the binaries run
# on RHEL 8, Debian 11, Ubuntu 20.04, Amazon Linux 2023 and all that is newer. libmongoc and what it needs come, for glibc
# only, from Debian's packages of static libraries, unpacked beside, not installed. third-party.json names the version of
# each; where a mirror has moved on, this stops and says so: look at what has changed, and write the new version there.
# Environment: NEXTID_DEBIAN_MIRROR, see test/scripts/debian-mirror.sh.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
project=$(realpath "$here/../..")
work=$project/build-prebuild
readonly here project work
readonly debian_suite=trixie
readonly lief_version=1.0.0 # reads ELF, PE and Mach-O for check.js
fail() {
  echo "prebuild: $*" >&2
  exit 1
}

# platform NAME FIELD: of platforms.json; empty where it has none.
platform() {
  node -p '(require(process.argv[1])[process.argv[2]] ?? {})[process.argv[3]] ?? ""' "$here/platforms.json" "$@"
}

version_of() {
  node -p 'require(process.argv[1])[process.argv[2]].version' "$here/third-party.json" "$1"
}

# Sets `zig` to a folder with ziglang/zig, tools/ and a Python that can read binaries.
install_zig() {
  local version
  version=$(version_of zig)
  zig=$work/zig-$version
  [[ -x $zig/tools/rc ]] && return 0
  python3 -m venv "$zig"
  "$zig/bin/pip" install --quiet --disable-pip-version-check "ziglang==$version" "lief==$lief_version"
  ln -sfn "$(echo "$zig"/lib/python3*/site-packages/ziglang)" "$zig/ziglang"
  mkdir -p "$zig/tools"
  for tool in ar ranlib rc; do
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig/ziglang/zig" "$tool" >"$zig/tools/$tool"
    chmod +x "$zig/tools/$tool"
  done
}

# Unpacks Debian's static libraries for the architecture $1 (as Debian calls it) into $work/debian-$1/root.
unpack_libraries() {
  local packages
  mapfile -t packages < <(node -e '
    for (const { from, version } of Object.values(require(process.argv[1]))) {
      const [source, ...names] = from.split(" ");
      if (source === "Debian") for (const name of names) console.log(`${name}=${version}`);
    }' "$here/third-party.json")
  bash "$project/test/scripts/debian-files.sh" "$debian_suite" "$1" "$work/debian-$1" "${packages[@]}" ||
    fail "Debian $debian_suite has other versions by now: see $here/third-party.json (apt-cache policy says which)"
}

build() {
  local name=$1 build=$work/$1 into=$project/prebuilds/$1 libraries=() debian
  debian=$(platform "$name" debian)
  if [[ -n $debian ]]; then
    unpack_libraries "$debian"
    libraries=(-DNEXTID_LIBRARIES="$work/debian-$debian/root")
  fi
  cmake -S "$project" -B "$build" -DNEXTID_TESTS=OFF -DNEXTID_PREBUILD=ON "${libraries[@]}" \
    -DCMAKE_TOOLCHAIN_FILE="$here/zig.cmake" -DNEXTID_ZIG="$zig/ziglang/zig" -DNEXTID_TOOLS="$zig/tools" \
    -DNEXTID_TARGET="$(platform "$name" target)" >/dev/null
  cmake --build "$build" --parallel "$(nproc)"
  rm -rf "$into"
  mkdir -p "$into"
  cp "$build"/nextid*.node "$into/"
}

mapfile -t all < <(node -p 'Object.keys(require(process.argv[1])).join("\n")' "$here/platforms.json")
names=("$@")
(($# > 0)) || names=("${all[@]}")
for name in "${names[@]}"; do
  [[ -n $(platform "$name" target) ]] || fail "$name is no platform; expected some of ${all[*]}"
done
"$project/test/scripts/system-packages.sh" cmake make python3-venv debian-archive-keyring
mkdir -p "$work"
install_zig
export ZIG_GLOBAL_CACHE_DIR=$work/zig-cache
for name in "${names[@]}"; do build "$name"; done
[[ -d $work/debian-amd64/root ]] || unpack_libraries amd64 # for their licences
bash "$here/notices.sh" "$zig/ziglang" "$work/debian-amd64/root" "$project" >"$project/THIRD_PARTY_NOTICES"
node "$here/sbom.js"
for name in "${names[@]}"; do
  node "$here/built-from.js" "$project/prebuilds/$name" "$zig/ziglang/zig"
done
node "$here/check.js" "$project"
