#!/usr/bin/env bash
# Prints the URL of the Debian mirror in this machine's apt sources, in whatever form these are written, or what
# $NEXTID_DEBIAN_MIRROR holds. Fails if there is neither, as on Ubuntu.
set -euo pipefail

apt_mirror() {
  local id codename
  # shellcheck source=/dev/null
  read -r id codename < <(. /etc/os-release && echo "$ID" "${VERSION_CODENAME:-sid}")
  [[ $id == debian ]] || return 0
  # shellcheck disable=SC2016 # apt expands it.
  apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk -v codename="$codename" '
      $2 == codename || $2 ~ /^(oldstable|stable|testing|unstable|sid)$/ { release = 1 }
      release && $1 ~ /^https?:/ && $3 == "main" && !found++ { print $1 }
      { release = 0 }'
}

mirror=${NEXTID_DEBIAN_MIRROR:-}
[[ -n $mirror ]] || mirror=$(apt_mirror)
if [[ -z $mirror ]]; then
  apt-get update >&2 # apt lists a source only when it has fetched its index
  mirror=$(apt_mirror)
fi
if [[ -z $mirror ]]; then
  echo "debian-mirror: the apt sources of this machine name no Debian mirror; set NEXTID_DEBIAN_MIRROR to the URL" \
    "of one near you" >&2
  exit 1
fi
echo "$mirror"
