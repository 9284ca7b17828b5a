#!/usr/bin/env bash
# Checks the model of the refill and release protocol, refill.pml, by searching all its states, and that the
# model finds what goes wrong when a rule of the protocol is taken out. Needs spin and a C compiler.
#
# Usage: test/model/check.sh
#
# One line for each check. Fails if the model does, if a broken model does not, or if a search was not
# complete. About three minutes on one core, and less than 1 GiB of memory.
set -euo pipefail
model=$(cd "$(dirname "$0")" && pwd)/refill.pml

for program in spin cc; do
  command -v "$program" >/dev/null || {
    echo "check.sh: there is no $program here; on Debian or Ubuntu: apt-get install spin gcc" >&2
    exit 1
  }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

passed=0
failed=0

# search "MACROS" "COMPILER OPTIONS" "OPTIONS OF THE SEARCH": leaves what it found in the file `found`.
search() {
  local macros compiler_options options
  read -ra macros <<<"$1"
  read -ra compiler_options <<<"$2"
  read -ra options <<<"$3"
  rm -f pan* ./*.trail found
  # NOREDUCE: the processes share everything, so that spin's reduction only costs time.
  spin "${macros[@]}" -a "$model" >found 2>&1 &&
    cc -O1 -w -DNOREDUCE -DMEMLIM=1800 "${compiler_options[@]}" -o pan pan.c >>found 2>&1 &&
    timeout 600 ./pan -m2000000 -w24 "${options[@]}" >>found 2>&1
}

# All states were searched, none but these, and nothing was wrong.
is_clean() {
  grep -q ' errors: 0$' found && grep -q 'states, stored' found &&
    ! grep -qiE 'search depth too small|not completed|out of memory|memory limit|aborted' found
}

# report OUTCOME NAME SINCE
report() {
  local states
  states=$(sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' found)
  printf '%-6s %-58s %9s states %3d s\n' "$1" "$2" "${states:-no}" $((SECONDS - $3))
  if [ "$1" = ok ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    sed 's/^/       | /' found
  fi
}

safety='-DSAFETY'
fair='-DNFAIR=4'   # bits enough for the processes of two instances

# holds NAME "MACROS" ["COMPILER OPTIONS" "OPTIONS"]
holds() {
  local since=$SECONDS
  if search "$2" "${3:-$safety}" "${4:-}" && is_clean; then
    report ok "$1" "$since"
  else
    report FAILED "$1" "$since"
  fi
}

# breaks NAME WHAT "MACROS" ["COMPILER OPTIONS" "OPTIONS"]: WHAT must be found.
breaks() {
  local since=$SECONDS
  if search "$3" "${4:-$safety}" "${5:-}" && grep -q "^pan:1: $2" found; then
    report ok "found: $1" "$since"
  else
    report FAILED "not found: $1" "$since"
  fi
}

three='-DINSTANCES=3 -DNUMBERS=3 -DWAITERS=0'
holds 'no id twice: three instances' "$three -DGOING_BACK=2"
holds 'no id twice: two instances' ''
holds 'no id twice: two returned ranges, more numbers' '-DLISTED=2 -DNUMBERS=5 -DWAITERS=0'
holds 'no id twice: failovers, abandoned refills' '-DNUMBERS=3 -DFAILOVER -DDATED -DGOING_BACK=2 -DWAITERS=0'
holds 'no id twice: advanced while instances run' '-DADVANCE -DWAITERS=0'
holds 'no id twice: advanced, abandoned refills' '-DADVANCE -DDATED -DNUMBERS=3 -DWAITERS=0'
holds 'no id twice: counter deleted or restored, then mended' '-DRESTORE'
holds 'no id twice: an old version' "$three -DOLD_VERSION"
holds 'no id twice: an old version, restored, then mended' '-DOLD_VERSION -DRESTORE -DWAITERS=0'
for property in waiters_end close_ends; do
  holds "$property" '-DPATIENT -DNUMBERS=3' "$fair" "-a -f -N $property"
  holds "$property: failovers, abandoned refills" '-DPATIENT -DFAILOVER -DDATED -DNUMBERS=2' "$fair" \
    "-a -f -N $property"
done

twice='assertion violated ((given&'
falls='assertion violated (instance\[i\].first>=instance\[i\].given_below)'
breaks 'a release is sent again' "$twice" '-DRELEASE_AGAIN'
breaks 'a release does not compare' "$twice" '-DRELEASE_ALWAYS'
breaks 'an append is sent again' "$twice" '-DAPPEND_AGAIN'
breaks 'an append follows a doubtful compare-and-set' "$twice" '-DAPPEND_DOUBTFUL'
breaks 'a returned range is taken, and stays in the list' "$twice" '-DTAKE_COPY'
breaks 'a range below the mark of advance() is given back' "$twice" '-DADVANCE -DNO_MARK'
breaks 'advance() keeps the returned ranges' "$twice" '-DADVANCE -DKEEP_LIST'
breaks 'a returned range is taken below the floor' "$falls" '-DTAKE_ANY'
breaks 'a range is given back after an error' "$twice" '-DFAILOVER -DDATED -DRELEASE_DOUBTFUL'
breaks 'a range is used that came with an error' "$twice" '-DFAILOVER -DUSE_DOUBTFUL'
breaks 'a counter set back is not refused' "$twice" '-DRESTORE -DNO_FLOOR'
breaks 'a counter is mended while a release is on its way' "$twice" '-DRESTORE -DMEND_EARLY'
breaks 'a mend keeps the returned ranges of a backup' "$twice" '-DRESTORE -DKEEP_LIST'
breaks 'a process got only returned ranges since the backup' "$twice" \
  '-DRESTORE -DRANGE_RESTORED -DNUMBERS=3 -DWAITERS=0'
breaks 'a refill that failed is not tried again' 'acceptance cycle' '-DPATIENT -DNO_RETRY -DNUMBERS=2' \
  "$fair" '-a -f -N waiters_end'

echo "model: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
