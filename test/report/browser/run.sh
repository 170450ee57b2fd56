#!/usr/bin/env bash
# run.sh FILE.test.mjs [PAGES]: runs tests that are written in JavaScript; with a folder of pages, in headless Chromium.
# Exit status 77 (skipped) says what is missing; with POP_REQUIRE_BROWSER=1, as `./run test` sets it, that is a failure.
set -euo pipefail

skip() {
  printf 'skipped: %s\n' "$1" >&2
  [[ ${POP_REQUIRE_BROWSER:-0} == 1 ]] && exit 1
  exit 77
}

find_program() {
  local name
  for name in "${@:2}"; do
    command -v "$name" && return
  done
  skip "$1 was not found (Debian: ${3:-$2})"
}

node=$(find_program "Node.js 18 or later" node nodejs) || exit
"$node" -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' || skip "$("$node" --version) is older than Node.js 18"
if (($# > 1)); then
  POP_CHROMIUM=$(find_program Chromium chromium) || exit
  POP_CHROMEDRIVER=$(find_program ChromeDriver chromedriver chromium-driver) || exit
  export POP_CHROMIUM POP_CHROMEDRIVER POP_REPORT_PAGES=$2
fi
exec "$node" --test "$1"
