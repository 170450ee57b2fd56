#!/usr/bin/env bash
# consumer.sh STEP SOURCE BUILD [ARGUMENT...]: one way a foreign project uses the library. Step `install` puts the
# library into a prefix and moves it; the others use what it left in BUILD/test/consumer/moved.
set -euo pipefail
export LC_ALL=C
step=$1 source=$2 build=$3
shift 3
scratch=$build/test/consumer
prefix=$scratch/moved
here=$source/test/consumer

launcher=()
if command -v ccache >/dev/null; then
  launcher=(ccache)
  export CCACHE_BASEDIR=$source CCACHE_NOHASHDIR=1
fi
readonly WARNINGS=(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)

# Runs a program that has to find the moved libraries, and compares its line with what it must print.
check() {
  local line
  line=$(LD_LIBRARY_PATH=$prefix/lib "$@")
  [[ $line == "sums: 3.5 116" ]] || {
    echo "$1 printed '$line'" >&2
    return 1
  }
}

install() {
  rm -rf "$scratch/first" "$prefix"
  cmake --install "$build" --prefix "$scratch/first" >/dev/null
  mv "$scratch/first" "$prefix"
  if grep -rIl "$scratch/first" "$prefix"; then
    echo "these files name the prefix they were installed to" >&2
    return 1
  fi
}

# A foreign CMake project.
cmakeProject() {
  rm -rf "$scratch/cmake"
  cmake -G Ninja -S "$here/cmake" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug \
    -DCMAKE_CXX_FLAGS="${WARNINGS[*]}" ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher} >/dev/null
  cmake --build "$scratch/cmake"
  check "$scratch/cmake/plain"
  check "$scratch/cmake/namespaced"
  if [[ -e $prefix/bin/popc ]]; then
    adds "$scratch/cmake/codelets" "$scratch/cmake/scale.gp" LD_LIBRARY_PATH="$prefix/lib" POPC_CXX=nothing
  fi
}

# Functors of a foreign program, compiled for all instruction sets by poplar_add_kernels: every set of the machine gives
# the same line, and nothing but what is chosen from at run time is visible outside the sets' objects.
kernels() {
  local isa first='' line object
  rm -rf "$scratch/kernels"
  cmake -G Ninja -S "$here/kernels" -B "$scratch/kernels" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug \
    ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher} >/dev/null
  cmake --build "$scratch/kernels"
  for isa in scalar avx2 avx512; do
    grep -qw "${isa/scalar/fpu}\|${isa}f" /proc/cpuinfo || continue
    line=$(LD_LIBRARY_PATH=$prefix/lib POPLAR_ISA=$isa "$scratch/kernels/kernels")
    [[ $line == "gelu: equal, on $isa" ]] || {
      echo "with POPLAR_ISA=$isa: '$line'" >&2
      return 1
    }
  done
  for object in "$scratch"/kernels/kernels_*_avx*.o; do
    [[ -e $object ]] || continue
    if nm --defined-only --extern-only "$object" | grep -v TaggedCode; then
      echo "$object has other global symbols" >&2
      return 1
    fi
  done
}

# callsBuilt FOLDER PROGRAM WIDTH...: a program of kernel-calls runs functors with vectors of these widths.
callsBuilt() {
  local program=$1/$2 line
  shift 2
  line=$(LD_LIBRARY_PATH=$prefix/lib env -u POPLAR_ISA "$program")
  [[ $line == "$*" ]] || {
    echo "$program printed '$line' instead of '$*'" >&2
    return 1
  }
}

# callsRefused FOLDER ERROR [ARGUMENT...]: with these arguments the project is not configured, and CMake says why.
callsRefused() {
  local folder=$1 error=$2 log
  shift 2
  if log=$(cmake "$@" "$folder" 2>&1 | tr -s ' \n' ' ') || [[ $log != *"$error"* ]]; then
    echo "kernel-calls with $*: no error '$error' in: $log" >&2
    return 1
  fi
}

# Calls of poplar_add_kernels in a project with warnings, link time optimisation and a linker other than GNU ld; by
# makefiles, which know order between targets alone, and for two configurations at a time.
kernelCalls() {
  local make=$scratch/kernel-calls multi=$scratch/kernel-calls-multi best=1 configuration
  local -a arguments=(-S "$here/kernel-calls" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
    -DCMAKE_LINKER=/bin/true -DCMAKE_CXX_FLAGS="${WARNINGS[*]} -Wold-style-cast"
    ${launcher:+-DCMAKE_CXX_COMPILER_LAUNCHER=$launcher})
  if grep -qw avx2 /proc/cpuinfo; then
    best=8
  fi
  rm -rf "$make" "$multi"
  cmake -G "Unix Makefiles" -B "$make" "${arguments[@]}" >/dev/null
  cmake --build "$make"
  callsBuilt "$make" calls $best $best
  callsBuilt "$make" without 1
  callsBuilt "$make" linked $best
  # Flags without those of a configuration let a cache of compilations serve all.
  cmake -G "Ninja Multi-Config" -B "$multi" "${arguments[@]}" -DCMAKE_CONFIGURATION_TYPES="Debug;Release" \
    -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_CXX_FLAGS_RELEASE= >/dev/null
  for configuration in Debug Release; do
    cmake --build "$multi" --config $configuration --target linked
    callsBuilt "$multi/$configuration" linked $best
  done

  callsRefused "$make" "poplar_add_kernels(nothing): there is no such target" -DREFUSED=target
  callsRefused "$make" "poplar_add_kernels(nothing): the target is no program or library" -DREFUSED=interface
  callsRefused "$make" "call it in $here/kernel-calls/CMakeLists.txt" -DREFUSED=folder
  callsRefused "$make" "poplar_add_kernels(calls): no files are given" -DREFUSED=none
  callsRefused "$make" "there is no file $here/kernel-calls/one/Height.cpp" -DREFUSED=file
  [[ $(uname -m) != x86_64 ]] ||
    callsRefused "$make" "poplar_add_kernels(calls): needs GNU ld" -DREFUSED= -DPOPLAR_GNU_LD=/bin/true
}

# The tree inside another project: only configured, since building it again would show nothing new.
subdirectory() {
  rm -rf "$scratch/subdirectory"
  cmake -G Ninja -S "$here/subdirectory" -B "$scratch/subdirectory" -DCOTTONWOOD_SOURCE="$source" >/dev/null
}

pkgConfig() {
  local flags
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  flags=$(pkg-config --cflags --libs poplin)
  # shellcheck disable=SC2086
  "${launcher[@]}" g++ -std=c++11 "${WARNINGS[@]}" -c "$here/program.cpp" $(pkg-config --cflags poplin) -o "$scratch/pc.o"
  g++ "$scratch/pc.o" $flags -o "$scratch/pkgconfig"
  check "$scratch/pkgconfig"
}

# bare COMPILER STD: nothing but a compiler line, libraries in the usual order.
bare() {
  local compiler=$1 std=$2 name
  name=$scratch/bare-$compiler-$std
  "${launcher[@]}" "$compiler" "-std=$std" "${WARNINGS[@]}" "-I$prefix/include" -c "$here/program.cpp" -o "$name.o"
  "${launcher[@]}" "$compiler" "-std=$std" "${WARNINGS[@]}" "-I$prefix/include" -c "$here/other.cpp" -o "$name.2.o"
  "$compiler" "$name.o" "$name.2.o" "-L$prefix/lib" -lpoplar -lpopops -lpoplin -lpoputil -o "$name"
  check "$name"
}

# After `. enable.sh` no path is named at all.
enabled() (
  # shellcheck disable=SC1091
  . "$prefix/enable.sh"
  g++ -std=c++11 "$here/program.cpp" -lpoplar -lpopops -lpoplin -lpoputil -o "$scratch/enabled"
  [[ "$("$scratch/enabled")" == sums:* ]]
  # A shell that does not know what it reads changes nothing.
  [[ "$(env -u CPATH sh -c ". '$prefix/enable.sh'; echo \"failed \$? <\$CPATH>\"" 2>&1)" == *"bash or zsh"*"failed 1 <>" ]]
)

headerOnlyObject() {
  local file=$1 object=$2
  "${launcher[@]}" g++ -std=c++20 -O0 -DPOPLAR_HEADER_ONLY "-I$prefix/include" "-I$prefix/include/cottonwood" \
    -c "$file" -o "$object"
}

# The README's first program, as printed there, gives the output printed there.
readme() {
  awk '/^```cpp$/ { on = 1; next } /^```/ { if (on) exit } on' "$source/README.md" >"$scratch/readme.cpp"
  awk '/^```/ { n++; next } n == 3 { print } n == 4 { exit }' "$source/README.md" >"$scratch/readme.txt"
  "${launcher[@]}" g++ -std=c++11 "-I$prefix/include" -c "$scratch/readme.cpp" -o "$scratch/readme.o"
  g++ "$scratch/readme.o" "-L$prefix/lib" -lpoplar -lpopops -lpoplin -lpoputil -o "$scratch/readme"
  LD_LIBRARY_PATH=$prefix/lib "$scratch/readme" 2>&1 | diff "$scratch/readme.txt" -
}

# The snippets of docs/kernels.md compile.
docs() {
  local file
  rm -rf "$scratch/docs"
  mkdir -p "$scratch/docs"
  awk -v to="$scratch/docs" '/^```cpp$/ { on = 1; n++; next } /^```/ { on = 0 } on { print > (to "/" n ".cpp") }' \
    "$source/docs/kernels.md"
  for file in "$scratch"/docs/*.cpp; do
    g++ -std=c++20 "${WARNINGS[@]}" "-I$prefix/include" "-I$prefix/include/cottonwood" -fsyntax-only "$file"
  done
}

# Everything from headers, in two translation units, no library on the link line.
headerOnly() {
  headerOnlyObject "$here/program.cpp" "$scratch/header-only-1.o" & # the longest compilation of all
  headerOnlyObject "$here/other.cpp" "$scratch/header-only-2.o"
  wait $!
  g++ "$scratch"/header-only-[12].o -pthread -ldl -o "$scratch/header-only"
  if readelf -d "$scratch/header-only" | grep -E 'NEEDED.*pop(lar|util|ops|lin|nn)'; then
    echo "a header-only program needs a library" >&2
    return 1
  fi
  check "$scratch/header-only"
}

# Clang finds nothing amiss in the headers with the kernels of AVX2 and of matrix tiles; nothing is generated. Whatever
# stands before them, no name is ambiguous.
clangReads() {
  local machine library file=$scratch/clang-reads.cpp
  {
    echo "namespace poplar { namespace program {} }"
    echo "using namespace poplar; using namespace poplar::program;"
    for library in popops poplin poprand popnn; do
      echo "#include <$library/codelets.hpp>"
    done
  } >"$file"
  for machine in x86-64-v3 sapphirerapids; do
    clang++ -std=c++20 -DPOPLAR_HEADER_ONLY -fsyntax-only -Wall -Wextra -Werror "-march=$machine" \
      "-I$prefix/include" "-I$prefix/include/cottonwood" "$file"
  done
}

readonly SCALED="scaled: 42, failed: its assertion"

# adds PROGRAM FILE [NAME=VALUE...]: with this environment and an empty cache, from a folder of its own, the program adds
# the codelets and runs them.
adds() {
  local program=$1 file=$2 line
  shift 2
  rm -rf "$scratch/elsewhere" "$scratch/codelet-cache"
  mkdir "$scratch/elsewhere"
  line=$(cd "$scratch/elsewhere" && env -u POPLAR_HOME POPLAR_CODELET_CACHE="$scratch/codelet-cache" "$@" "$program" "$file") || {
    echo "$program $file failed with $*" >&2
    return 1
  }
  [[ $line == "$SCALED" ]] || {
    echo "$program $file printed '$line' with $*" >&2
    return 1
  }
}

# findsNoPopc PROGRAM FILE [NAME=VALUE...]: the error says what would help.
findsNoPopc() {
  local program=$1 file=$2
  shift 2
  if env -u POPLAR_HOME POPLAR_CODELET_CACHE=off PATH=/usr/bin:/bin "$@" "$program" "$file" >"$scratch/no-popc" 2>&1 ||
    ! grep -q "the popc command.*POPLAR_HOME" "$scratch/no-popc"; then
    cat "$scratch/no-popc" >&2
    return 1
  fi
}

# scale.gp by the popc of the moved tree, found as a user's shell finds it.
makeGp() (
  cp "$here/codelets/scale.cpp" "$1"
  # shellcheck disable=SC1091
  . "$prefix/enable.sh"
  unset LD_LIBRARY_PATH POPLAR_HOME
  cd "$1"
  popc -o scale.gp scale.cpp
)

# A program that adds codelets finds popc and the headers of the moved tree, wherever it runs, and reads nothing of the
# tree that this was built from.
codelets() {
  local folder=$scratch/codelets
  rm -rf "$folder"
  mkdir -p "$folder/links" "$folder/copy/lib"
  makeGp "$folder"
  "${launcher[@]}" g++ -std=c++11 "${WARNINGS[@]}" "-I$prefix/include" -c "$here/codelets/Main.cpp" -o "$folder/main.o"
  g++ "$folder/main.o" "-L$prefix/lib" -lpoplar -o "$folder/main"
  adds "$folder/main" "$folder/scale.cpp" LD_LIBRARY_PATH="$prefix/lib"
  if grep -aqF "$source/include/" "$scratch"/codelet-cache/*.entry; then
    echo "codelets were compiled with headers of the source tree" >&2
    return 1
  fi
  ln -s "$prefix" "$folder/tree"
  adds "$folder/main" "$folder/scale.cpp" LD_LIBRARY_PATH="$folder/tree/lib"
  ln -s "$prefix"/lib/libpoplar.so* "$folder/links"
  adds "$folder/main" "$folder/scale.cpp" LD_LIBRARY_PATH="$folder/links"
  cp "$prefix"/lib/libpoplar.so* "$folder/copy/lib"
  findsNoPopc "$folder/main" "$folder/scale.cpp" LD_LIBRARY_PATH="$folder/copy/lib"
  adds "$folder/main" "$folder/scale.cpp" LD_LIBRARY_PATH="$folder/copy/lib" POPLAR_HOME="$prefix"
  adds "$folder/main" "$folder/scale.cpp" LD_LIBRARY_PATH="$folder/copy/lib" PATH="$prefix/bin:$PATH"
  adds "$folder/main" "$folder/scale.gp" LD_LIBRARY_PATH="$folder/copy/lib" PATH=/nowhere POPC_CXX=nothing
}

# The same of a program without libraries, compiled with headers that no popc lies beside, and with hidden visibility:
# codelets reach what the program defines (the hook of assertions).
headerOnlyCodelets() {
  local folder=$scratch/header-only-codelets
  rm -rf "$folder"
  mkdir -p "$folder/headers"
  makeGp "$folder"
  ln -s "$prefix/include" "$folder/headers/include"
  "${launcher[@]}" g++ -std=c++20 -O0 -fvisibility=hidden -DPOPLAR_HEADER_ONLY "-I$folder/headers/include" \
    "-I$folder/headers/include/cottonwood" -c "$here/codelets/Main.cpp" -o "$folder/main.o"
  g++ "$folder/main.o" -pthread -ldl -o "$folder/main"
  findsNoPopc "$folder/main" "$folder/scale.cpp"
  adds "$folder/main" "$folder/scale.cpp" POPLAR_HOME="$prefix"
  adds "$folder/main" "$folder/scale.cpp" PATH="$prefix/bin:$PATH"
  adds "$folder/main" "$folder/scale.gp" PATH=/nowhere POPC_CXX=nothing
}

# One unit of each mode must not link.
mixedModes() {
  local log=$scratch/mixed.log
  headerOnlyObject "$here/other.cpp" "$scratch/header-only-2.o"
  "${launcher[@]}" g++ -std=c++20 "-I$prefix/include" -c "$here/program.cpp" -o "$scratch/mixed.o"
  if g++ "$scratch/mixed.o" "$scratch/header-only-2.o" "-L$prefix/lib" -lpoplin -lpopops -lpoputil -lpoplar \
    -o "$scratch/mixed" 2>"$log"; then
    echo "a program of both modes links" >&2
    return 1
  fi
  grep -q one_mode_per_program "$log" || {
    cat "$log" >&2
    return 1
  }
}

mkdir -p "$scratch"
"$step" "$@"
