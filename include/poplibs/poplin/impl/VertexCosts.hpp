// What the vertices of codelets/poplin cost. The indices that a cost function asks for are the
// positions of the fields in their class.
#pragma once

#include <poplin/impl/MatMulMachine.hpp>

#include <codelets/poplin/ConvCost.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/impl/codelet/Codelet.hpp>

#include <type_traits>

namespace cottonwood::vertices {

template <class T> inline constexpr bool IS_HALF = std::is_same_v<T, ::poplar::half>;

/// \tparam M, N, K   positions of those fields
/// \tparam BATCHES   position of the number of products; 0: there is one
template <class In, class Out, unsigned M, unsigned N, unsigned K, unsigned BATCHES>
codelet::Cost costOfMatMul(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const m = value(M), n = value(N), k = value(K);
  std::uint64_t const batches = BATCHES == 0 ? 1 : value(BATCHES);
  auto const tile = poplin::tileMachine(machine, IS_HALF<In>, IS_HALF<Out>);
  return {batches * kernels::matMulTileCycles(tile, m, n, k), batches * 2 * m * n * k};
}

/// \tparam GROUPS   position of the number of groups; 0: there is one
/// \tparam COLUMNS  position of the number of columns
/// \tparam OUTPUTS  position of the number of outputs, before input channels and taps
template <class In, class Out, unsigned GROUPS, unsigned COLUMNS, unsigned OUTPUTS>
codelet::Cost costOfConv(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const outputs = value(OUTPUTS), in = value(OUTPUTS + 1), taps = value(OUTPUTS + 2);
  std::uint64_t const columns = value(COLUMNS), groups = GROUPS == 0 ? 1 : value(GROUPS);
  auto const tile = poplin::tileMachine(machine, IS_HALF<In>, IS_HALF<Out>);
  return {groups * kernels::convTileCycles(tile, outputs, columns, in, taps),
          groups * 2 * outputs * columns * in * taps};
}

} // namespace cottonwood::vertices
