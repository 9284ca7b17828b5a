#!/usr/bin/env bash
# Unpacks packages of any Debian, for any architecture, into a folder; nothing is installed. The apt that downloads them
# knows nothing of this machine's packages and sources.
#
# Usage: test/scripts/debian-files.sh SUITE ARCHITECTURE FOLDER PACKAGE[=VERSION]...
#
# The files are in FOLDER/root. Needs the package debian-archive-keyring.
# Environment: NEXTID_DEBIAN_MIRROR, see debian-mirror.sh.
set -euo pipefail

suite=$1 arch=$2 apt=$3
shift 3
mirror=$(bash "$(dirname "${BASH_SOURCE[0]}")/debian-mirror.sh")
rm -rf "$apt"
mkdir -p "$apt"/{lists/partial,cache/archives/partial,packages,root}
: >"$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$apt/sources.list"
cat >"$apt/apt.conf" <<END
Dir::State "$apt"; Dir::State::lists "$apt/lists"; Dir::State::status "$apt/status"; Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list"; Dir::Etc::sourceparts "-";
APT::Architecture "$arch"; APT::Architectures { "$arch"; }; APT::Sandbox::User "root";
END
export APT_CONFIG=$apt/apt.conf
cd "$apt/packages"
apt-get --quiet=2 update
apt-get --quiet=2 download "$@"
for package in *.deb; do dpkg --extract "$package" "$apt/root"; done
