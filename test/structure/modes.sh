#!/usr/bin/env bash
# modes.sh SCRATCH
# Units of one mode link, with and without link time optimisation; units of both modes do not.
set -euo pipefail
export LC_ALL=C
scratch=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# The mode symbol alone: bodies that the header-only mode includes are empty here.
mkdir -p "$scratch/empty/poplar/impl"
: >"$scratch/empty/poplar/impl/HeaderOnly.hpp"
for unit in main other; do
  printf '#include <poplar/impl/base/Config.hpp>\n#include <poplar/impl/base/Config.hpp>\n%s\n' \
    "$([[ $unit == main ]] && echo 'int other(); int main() { return other(); }' || echo 'int other() { return 0; }')" \
    >"$scratch/$unit.cpp"
done

failed=0
# tryLinks COMPILER LINKER [LTO]
tryLinks() {
  local compiler=$1 linker=$2 lto=${3:-} mode unit with log=$scratch/link.log
  local -a flags=(-O2 -Wall -Wextra -Wpedantic -Werror "-I$scratch/empty" "-I$root/include")
  for mode in compiled only; do
    for unit in main other; do
      $compiler "${flags[@]}" $lto $([[ $mode == only ]] && echo -std=c++20 -DPOPLAR_HEADER_ONLY || echo -std=c++11) \
        -c "$scratch/$unit.cpp" -o "$scratch/$unit.$mode.o"
    done
  done
  for mode in compiled only; do
    for with in compiled only; do
      if $compiler $lto -fuse-ld=$linker "$scratch/main.$mode.o" "$scratch/other.$with.o" -o "$scratch/program" 2>"$log"; then
        if [[ $mode != "$with" ]]; then
          echo "modes: $compiler $linker $lto: a program of both modes links" >&2
          failed=1
        fi
      elif [[ $mode == "$with" ]] || ! grep -q cottonwood_one_mode_per_program "$log"; then
        echo "modes: $compiler $linker $lto: units of modes $mode and $with:" >&2
        cat "$log" >&2
        failed=1
      fi
    done
  done
}

# Linkers that can do link time optimisation of a compiler's objects.
for linker in bfd gold lld; do
  command -v ld.$linker >/dev/null || continue
  tryLinks g++ $linker
  [[ $linker == bfd ]] && tryLinks g++ $linker -flto
  command -v clang++ >/dev/null || continue
  tryLinks clang++ $linker
  [[ $linker == lld ]] && tryLinks clang++ $linker -flto
  [[ $linker == lld ]] && tryLinks clang++ $linker -flto=thin
done
[[ $failed == 0 ]] && echo "modes: fine"
exit $failed
