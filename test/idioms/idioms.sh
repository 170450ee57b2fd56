#!/usr/bin/env bash
# idioms.sh SCRATCH SOURCE...: the sources beside this script compile as C++11, 14, 17 and 20 with g++ and clang++, warnings being
# errors. They are only looked at (-fsyntax-only). SCRATCH keeps a stamp: the same text is not looked at twice.
set -euo pipefail
export LC_ALL=C
scratch=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root"

key=$({ find include test/idioms -type f -print0 | sort -z | xargs -0 cat; g++ --version; } | cksum)
[[ "$(cat "$scratch/idioms.stamp" 2>/dev/null)" == "$key" ]] && { echo "as looked at before: fine"; exit 0; }

# The headers come as those of an installed library do; what is judged is the use.
readonly FLAGS=(-fsyntax-only -Wall -Wextra -Wno-attributes -Wno-ignored-attributes -Werror
  -isystem include -isystem include/poplar/device)
jobs=()
for compiler in g++ clang++; do
  command -v $compiler >/dev/null || continue
  for std in c++11 c++14 c++17 c++20; do
    for source in "$@"; do
      jobs+=("$compiler -std=$std $here/$source")
    done
  done
done
printf '%s\n' "${jobs[@]}" | xargs -P "$(nproc)" -I{} bash -c "{} ${FLAGS[*]} || { echo 'failed: {}'; exit 1; }"
echo "$key" >"$scratch/idioms.stamp"
echo "${#jobs[@]} compilations: fine"
