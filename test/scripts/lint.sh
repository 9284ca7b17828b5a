#!/usr/bin/env bash
# Lints: ESLint, and clang-format for the native files that git knows.
#
# Usage: npm run lint
set -euo pipefail
cd "$(dirname "$0")/../.."

npx eslint .
files=$(git ls-files '*.c' '*.cpp' '*.h')
if [[ -z $files ]]; then
  echo 'lint: git lists no native files: expected a checkout; run "npm run lint" in one' >&2
  exit 1
fi
# shellcheck disable=SC2086 # One word a file; none of their names holds a space.
clang-format --dry-run -Werror $files
