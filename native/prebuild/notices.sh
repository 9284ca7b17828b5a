#!/usr/bin/env bash
# Prints THIRD_PARTY_NOTICES: what is linked into the prebuilt binaries, and its licences as its authors wrote them.
#
# Usage: native/prebuild/notices.sh ZIG_FOLDER LIBRARIES PROJECT   (by prebuild.sh)
set -euo pipefail

zig=$1 libraries=$2 project=$3

part() {
  printf '\n%s\n%s\n\n' "$1" "$(printf '=%.0s' $(seq ${#1}))"
}

echo 'The prebuilt binaries of nextid hold parts of the software below. Its versions are in'
echo 'native/prebuild/third-party.json; `npx nextid --version --verbose` prints them.'
part 'SQLite (the SQLite store)'
echo 'SQLite is in the public domain; its authors disclaim copyright to it: https://sqlite.org/copyright.html'
part 'node-addon-api (the addon)'
cat "$project/node_modules/node-addon-api/LICENSE.md"
part 'libc++, libc++abi and libunwind, of LLVM (all)'
cat "$zig/lib/libcxx/LICENSE.TXT"
part 'zig (compiler-rt and start-up code, all)'
cat "$zig/LICENSE"
part 'mingw-w64 (start-up code on Windows)'
cat "$zig/lib/libc/mingw/COPYING"
while read -r package name; do
  part "$name (the MongoDB store, on Linux with glibc)"
  cat "$libraries/usr/share/doc/$package/copyright"
done <<'END'
libmongoc-dev libmongoc and libbson
libssl-dev OpenSSL
libutf8proc-dev utf8proc
zlib1g-dev zlib
libzstd-dev Zstandard
END
part 'Apache License 2.0 (libmongoc, libbson, OpenSSL)'
cat /usr/share/common-licenses/Apache-2.0
