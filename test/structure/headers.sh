#!/usr/bin/env bash
# headers.sh SCRATCH parse|alone|older
#   parse   all published headers in one file, in both orders, as C++11, 14, 17 and 20 with g++ and clang++; those that
#           are C++20 as that
#   alone   each published header by itself, included twice, as C++11 and C++20; with at most so many lines preprocessed
#   older   as C++17 the headers that are C++20 give one error, which says so
# A warning is an error. SCRATCH keeps objects, and a stamp per check: the same headers are not looked at twice.
set -euo pipefail
export LC_ALL=C
scratch=$1 check=$2
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$scratch"
cd "$root"

readonly WARNINGS=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wnon-virtual-dtor -Werror)
readonly PATHS=(-Iinclude -Iinclude/poplibs)
# Headers of our own beyond the published interface; they are C++20.
readonly CXX20='/(MapFunctor|ReduceFunctor|Epilogue|Kernels)\.hpp$'
readonly DEVICE_LINES=28000 CXX11_LINES=65000 CXX20_LINES=100000

headers() { find include/poplar include/poplibs/* -maxdepth 1 -name '*.hpp' | sort -u; }
published() { headers | grep -Ev "$CXX20"; }
includeName() { sed -e 's|^include/poplibs/||' -e 's|^include/||'; }
compilers() {
  for compiler in g++ clang++; do
    command -v $compiler >/dev/null && echo $compiler
  done
}
launcher() { command -v ccache >/dev/null && echo ccache; }
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# compile STD COMPILER SOURCE [FLAG]
compile() {
  $(launcher) "$2" -std="$1" "${WARNINGS[@]}" "${PATHS[@]}" ${4:+"$4"} -DPOP_NO_MODE_SYMBOL -O0 -c "$3" -o "${3%.*}.$1.$2.o"
}

checkParse() {
  local order std compiler file
  for order in forward backward; do
    file=$scratch/all_$order.cpp
    published | includeName | if [[ $order == forward ]]; then cat; else tac; fi | sed 's|.*|#include <&>|' >"$file"
    headers | grep -E "$CXX20" | includeName | if [[ $order == forward ]]; then cat; else tac; fi |
      sed 's|.*|#include <&>|' >"$scratch/cxx20_$order.cpp"
  done
  for order in forward backward; do
    for compiler in $(compilers); do
      for std in c++11 c++14 c++17 c++20; do
        echo $std "$compiler" "$scratch/all_$order.cpp"
      done
      echo c++20 "$compiler" "$scratch/cxx20_$order.cpp" -I. # they see the kernels, too
    done
  done | xargs -P "$(nproc)" -L 1 bash "$0" "$scratch" compile
}

aloneOne() {
  local header=$1 name file std lines limit table=
  name=$(includeName <<<"$header")
  file=$scratch/alone_${name//\//_}
  printf '#include <%s>\n#include <%s>\n' "$name" "$name" >"$file.cpp"
  for std in c++11 c++20; do
    g++ -std=$std "${PATHS[@]}" -DPOP_NO_MODE_SYMBOL -E "$file.cpp" -o "$file.$std.ii"
    compile $std g++ "$file.$std.ii"
    lines=$(wc -l <"$file.$std.ii")
    limit=$CXX20_LINES
    [[ $std == c++11 ]] && limit=$CXX11_LINES
    grep -qx "$header" "$scratch/device.txt" && limit=$DEVICE_LINES
    if ((lines > limit)); then
      echo "$header: $lines lines preprocessed as $std; at most $limit" >&2
      return 1
    fi
    printf -v table '%s%7d ' "$table" "$lines"
  done
  echo "$table $header"
}

checkOlder() {
  local name compiler failed=0
  headers | grep -E "$CXX20" | includeName >"$scratch/cxx20.txt"
  while read -r name; do
    for compiler in $(compilers); do
      echo "#include <$name>" | $compiler -std=c++17 "${PATHS[@]}" -fsyntax-only -x c++ - 2>"$scratch/older.log" || true
      if [[ $(grep -c 'error:' "$scratch/older.log") != 1 ]] || ! grep -q "error: .*$name needs C++20" "$scratch/older.log"; then
        head -n 5 "$scratch/older.log" >&2
        failed=1
      fi
    done
  done <"$scratch/cxx20.txt"
  return $failed
}

each() { published | xargs -P "$(nproc)" -I{} bash "$0" "$scratch" "$1" {}; }

case $check in
  aloneOne | compile)
    $check "${@:3}"
    exit
    ;;
esac
key=$({ find include -type f -print0 | sort -z | xargs -0 cat; cat "$0"; g++ --version; } | cksum)
[[ "$(cat "$scratch/$check.stamp" 2>/dev/null)" == "$key" ]] && { echo "headers as checked before: fine"; exit 0; }
case $check in
  parse) checkParse ;;
  older) checkOlder ;;
  alone)
    perl test/structure/layers.pl --list device >"$scratch/device.txt"
    each aloneOne
    ;;
  *) exit 2 ;;
esac
echo "$key" >"$scratch/$check.stamp"
echo "$(published | wc -l) headers: fine"
