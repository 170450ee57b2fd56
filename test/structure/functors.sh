#!/usr/bin/env bash
# functors.sh SCRATCH
# Functors of applications that do not fit are refused by a static_assert that says what is expected, and by nothing else
# that a user would have to read first. SCRATCH keeps the sources.
set -euo pipefail
export LC_ALL=C
scratch=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
mkdir -p "$scratch"
cd "$root"

readonly FLAGS=(-std=c++20 -fsyntax-only -DPOP_NO_MODE_SYMBOL -I. -Iinclude -Iinclude/poplibs)

cat >"$scratch/reduce.cpp" <<'END'
#include <popops/Kernels.hpp>
#include <popops/ReduceFunctor.hpp>
struct Sum {
  float identity;
  template <class V> V combine(V a, V b) const { return a + b; }
};
struct NumbersOnly { float identity; float combine(float a, float b) const { return a + b; } };
struct NotConst { float identity; template <class V> V combine(V a, V b) { return a + b; } };
struct MapsInts : Sum { int map(int x) const { return x; } };
struct FinishesInts : Sum { int finish(int x) const { return x; } };
struct WithList : Sum { WithList(WithList const &) {} };
struct Doubles { double identity; template <class V> V combine(V a, V b) const { return a + b; } };
template <class R> void run(poplar::Graph &graph, poplar::Tensor const &in, R const &reduction,
                            poplar::program::Sequence &prog, float *data) {
  popops::reduce(graph, in, {0}, reduction, prog);
  popops::kernels::reduce(reduction, data, {1, 2, 3}, data);
}
void all(poplar::Graph &graph, poplar::Tensor const &in, poplar::program::Sequence &prog, float *x) {
  auto const sum = [](auto a, auto b) { return a + b; };
  run(graph, in, Sum(), prog, x); // fits
  run(graph, in, popops::reduction(0.0f, sum, [](auto) { return 1; }), prog, x); // as well
  run(graph, in, NumbersOnly(), prog, x);
  run(graph, in, NotConst(), prog, x);
  run(graph, in, popops::reduction(0.0f, [](int a, int b) { return a + b; }), prog, x);
  run(graph, in, popops::reduction(0.0f, [](auto a, auto b) { return a < b; }), prog, x);
  run(graph, in, MapsInts(), prog, x);
  run(graph, in, popops::reduction(0.0f, sum, [](int v) { return v; }), prog, x);
  run(graph, in, FinishesInts(), prog, x);
  run(graph, in, popops::reduction(0.0f, sum, [](auto v) { return v; }, [](auto v) { return v > v; }), prog, x);
  run(graph, in, Doubles(), prog, x);
  run(graph, in, sum, prog, x);
}
void copied(WithList const &list, poplar::Graph &graph, poplar::Tensor const &in,
            poplar::program::Sequence &prog, float *x) {
  run(graph, in, list, prog, x);
}
END
cat >"$scratch/epilogue.cpp" <<'END'
#include <poplin/Epilogue.hpp>
struct WithList {
  WithList(WithList const &) {}
  template <class V> V operator()(V sum, poplin::EpilogueAt<V>) const { return sum; }
};
template <class E> void run(poplar::Graph &graph, poplar::Tensor const &a, E const &epilogue,
                            poplar::program::Sequence &prog, float *data) {
  namespace kernels = poplin::kernels;
  poplin::matMul(graph, a, a, prog, epilogue);
  poplin::convolution(graph, a, a, poplin::ConvParams(), false, prog, epilogue);
  kernels::matMul(kernels::matrix(data, 1, 1), kernels::matrix(data, 1, 1),
                  kernels::matrix(data, 1, 1), epilogue);
}
void all(poplar::Graph &graph, poplar::Tensor const &a, poplar::program::Sequence &prog, float *x,
         WithList const &list) {
  run(graph, a, [](auto sum, auto at) { return sum + at.operand(0); }, prog, x); // fits
  run(graph, a, [](float sum, int) { return sum; }, prog, x);
  run(graph, a, [](auto sum) { return sum; }, prog, x);
  run(graph, a, [](auto, auto) { return 1.0f; }, prog, x);
  run(graph, a, [](auto sum, auto) { return sum > sum; }, prog, x);
  run(graph, a, list, prog, x);
}
END

failed=0
# expectFrom COMPILER NAME TEXT...  the errors of a source, in any order: those and no others
expectFrom() {
  local compiler=$1 name=$2 log=$scratch/$2.$1.log text
  shift 2
  if "$compiler" "${FLAGS[@]}" "$scratch/$name.cpp" 2>"$log"; then
    echo "functors: $compiler accepts $name.cpp" >&2
    failed=1
  fi
  for text in "$@"; do
    grep -q "error: static.* failed.*$text" "$log" || {
      echo "functors: $compiler, $name.cpp: no static assertion says: $text" >&2
      failed=1
    }
  done
  if grep 'error:' "$log" | grep -v 'static.* failed' >&2; then
    echo "functors: $compiler, $name.cpp has these errors besides" >&2
    failed=1
  fi
}
expect() {
  local compiler
  for compiler in g++ clang++; do
    if command -v $compiler >/dev/null; then expectFrom $compiler "$@"; fi
  done
}
expect reduce 'combine of a reduction must be const, take two vectors' 'map of a reduction must be const, take a vector' \
  'finish of a reduction must be const, take a vector' 'the identity of a reduction must be a float, int or unsigned' \
  "a reduction must have a member 'identity'" 'a reduction must be trivially copyable'
expect epilogue 'the call of an epilogue must be const and take a vector of floats and its place' \
  'an epilogue must return a vector of floats' 'an epilogue must be trivially copyable'
[[ $failed == 0 ]] && echo "functors: fine"
exit $failed
