#!/usr/bin/env bash
# The structure tests fail when they should: each case plants one fault in a copy of a small tree.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# A tree with one file of each kind, all rules kept.
cleanTree() {
  rm -rf "${scratch:?}/tree"
  mkdir -p "$scratch"/tree/{include/poplar/impl/graph,include/poplibs/popops/impl,codelets/popops,planners/popops,test/popops}
  cd "$scratch/tree" || exit 1
  printf '#pragma once\n' | tee include/poplar/Graph.hpp include/poplar/Engine.hpp planners/popops/Reduce.hpp \
    codelets/popops/Reduce.hpp codelets/popops/ReduceCost.hpp >/dev/null
  printf '#pragma once\n#include <poplar/Graph.hpp>\n' >include/poplibs/popops/Reduce.hpp
  printf '#pragma once\n#include <popops/Reduce.hpp>\nnamespace popops::detail {}\n' >include/poplibs/popops/impl/Reduce.ipp
  printf 'pop_add_library(popops IPP impl/Reduce.ipp)\n' >include/poplibs/CMakeLists.txt
  printf 'pop_add_test(popops-test SOURCES ReduceTest.cpp)\n' >test/popops/CMakeLists.txt
  printf '#include <popops/Reduce.hpp>\n' >test/popops/ReduceTest.cpp
  POP_TREE=$PWD perl "$here/lists.pl" --fix >/dev/null
}

# expect SCRIPT TEXT [ARGUMENT]: the script complains with this text; an empty text means that it is content.
expect() {
  local output status
  output=$(POP_TREE=$PWD perl "$here/$1" ${3:+"$3"} 2>&1)
  status=$?
  if [[ -z $2 && $status -eq 0 ]] || [[ -n $2 && $status -ne 0 && $output == *"$2"* ]]; then
    echo "ok: $1: ${2:-content}"
  else
    printf 'FAILED: %s: wanted "%s", got status %d:\n%s\n' "$1" "$2" "$status" "$output"
    failed=1
  fi
}

cleanTree
for script in layers.pl lists.pl text.pl; do
  expect $script ''
done

echo '#include <poplar/Graph.hpp>' >>codelets/popops/Reduce.hpp
expect layers.pl 'codelets/popops/Reduce.hpp:2: may not include <poplar/Graph.hpp>: codelets is not over program'
cleanTree
echo '#include <poplar/Engine.hpp>' >>planners/popops/Reduce.hpp
expect layers.pl 'planners is not over engine'
cleanTree
echo '#include <immintrin.h>' >>codelets/popops/Reduce.hpp
expect layers.pl 'codelets may not include <immintrin.h>; only arch may'
cleanTree
echo '#include <popops/Reduce.hpp>' >>include/poplar/Engine.hpp
expect layers.pl 'engine is not over popops'
cleanTree
mkdir -p include/other && echo >include/other/New.hpp
expect layers.pl 'include/other/New.hpp: in no layer'
cleanTree
echo 'using namespace std;' >>include/poplar/Graph.hpp
expect text.pl 'include/poplar/Graph.hpp:2: using namespace in a header'
cleanTree
echo '#include <iostream>' >>include/poplar/Graph.hpp
expect text.pl 'published headers may not include <iostream>'
cleanTree
echo 'namespace { int i; }' >>include/poplibs/popops/impl/Reduce.ipp
expect text.pl 'anonymous namespace in a body'
cleanTree
echo '#pragma once' >include/poplibs/popops/impl/Map.ipp
expect lists.pl 'impl/Map.ipp: not named in pop_add_library(popops)'
expect lists.pl 'include/poplibs/popops/impl/HeaderOnly.hpp: does not list all headers and bodies'
cleanTree
echo >test/popops/MapTest.cpp
expect lists.pl 'test/popops/MapTest.cpp: not named in test/popops/CMakeLists.txt'
cleanTree
mkdir docs
expect api.pl 'docs/api.md is not up to date; run ./run api-table'
POP_TREE=$PWD perl "$here/api.pl" --fix >/dev/null
expect api.pl ''
cat >include/poplar/Graph.hpp <<'TEXT'
#pragma once
namespace std { struct string; }
namespace poplar {
class Graph {
public:
  Graph();
  bool hasCodelet(const StringRef &codeletName) const;
  template <class T> explicit Graph(T &&) noexcept(true) : data_{nullptr} {}
private:
  unsigned getNumVertices() const { return data_ ? 1 : 0; }
  void *data_;
};
enum class TargetType { IPU, CPU = 4 };
StringRef versionString();
}
TEXT
POP_TREE=$PWD perl "$here/api.pl" --fix >/dev/null
for name in 'poplar::TargetType`: CPU, IPU$' 'poplar`: Graph, versionString$' 'poplar`: TargetType$' '- missing: `poplar::TargetType::IPU_MODEL`$' \
  '- missing: `poplar::Graph::getNumVertices()`$' '- missing: `poplar::Graph::hasCodelet(StringRef)`$'; do
  grep -q -- "$name" docs/api.md && echo "ok: api.pl: $name" || { echo "FAILED: api.pl: no line '$name'"; failed=1; }
done

# An object with a function that lacks the tag.
cat >"$scratch/good.cpp" <<'TEXT'
namespace isa { struct avx2; }
template <class Tag> int kernel() { return 1; }
template int kernel<isa::avx2>();
int table_avx2() { return 2; }
TEXT
cp "$scratch/good.cpp" "$scratch/bad.cpp"
echo 'inline int helper() { return 3; } int (*address_avx2)() = helper;' >>"$scratch/bad.cpp"
for name in good bad; do
  ${CXX:-g++} -O0 -c "$scratch/$name.cpp" -o "$scratch/$name.o"
  echo "avx2 $scratch/$name.o" >"$scratch/$name.txt"
done
expect hygiene.pl '' "$scratch/good.txt"
expect hygiene.pl "'helper()' (W) does not carry the tag avx2" "$scratch/bad.txt"
exit $failed
