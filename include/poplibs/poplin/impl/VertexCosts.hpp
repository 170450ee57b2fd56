// The fields of the vertices of codelets/poplin, and what they cost. The indices that a cost
// function asks for are the positions of the fields in these lists.
#pragma once

#include <poplin/impl/MatMulMachine.hpp>

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/WinogradCost.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/impl/codelet/Codelet.hpp>
#include <poplar/impl/codelet/Describe.hpp>

#include <type_traits>
#include <vector>

namespace cottonwood::vertices {

template <class T> inline constexpr bool IS_HALF = std::is_same_v<T, ::poplar::half>;

template <class T>
inline constexpr planner::MatMulType PRODUCT_TYPE =
    std::is_same_v<T, quarter> ? planner::MatMulType::QUARTER
    : IS_HALF<T>               ? planner::MatMulType::HALF
                               : planner::MatMulType::FLOAT;

/// \tparam M, N, K   positions of those fields
/// \tparam BATCHES   position of the number of products; 0: there is one
template <class In, class Out, unsigned M, unsigned N, unsigned K, unsigned BATCHES>
codelet::Cost costOfMatMul(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const m = value(M), n = value(N), k = value(K);
  std::uint64_t const batches = BATCHES == 0 ? 1 : value(BATCHES);
  auto const tile = poplin::ampUnit(machine, PRODUCT_TYPE<In>, PRODUCT_TYPE<Out>);
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
  auto const tile = poplin::ampUnit(machine, PRODUCT_TYPE<In>, PRODUCT_TYPE<Out>);
  return {groups * kernels::convTileCycles(tile, outputs, columns, in, taps),
          groups * 2 * outputs * columns * in * taps};
}

/// Positions are those of the fields in Codelets.ipp. A multiply-add of each lane of a vector takes
/// a cycle.
template <class In>
codelet::Cost costOfConvPlanes(codelet::VertexSizes const &sizes, model::Machine const &) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const lanes = IS_HALF<In> ? 4 : 2, planes = value(8), outputs = value(9);
  return {20 + planes * ((outputs + lanes - 1) / lanes) * value(10),
          2 * planes * outputs * value(10)};
}

/// Positions are those of the fields in Codelets.ipp. Transforms take an operation each for a
/// number and vector lane, products what they take in a matrix product of their size.
inline codelet::Cost costOfWinogradWeights(codelet::VertexSizes const &sizes,
                                           model::Machine const &) {
  std::uint64_t const m = static_cast<std::uint64_t>(sizes.stateInt(4));
  std::uint64_t const numbers = kernels::winogradPlanes(static_cast<unsigned>(m)) *
                                static_cast<std::uint64_t>(sizes.stateInt(5)) *
                                static_cast<std::uint64_t>(sizes.stateInt(7));
  return {20 + numbers, 2 * m * numbers};
}
inline codelet::Cost costOfWinograd(codelet::VertexSizes const &sizes,
                                    model::Machine const &machine) {
  auto const value = [&](unsigned field) {
    return static_cast<std::uint64_t>(sizes.stateInt(field));
  };
  std::uint64_t const m = value(8), channels = value(15), columns = value(16);
  std::uint64_t const planes = kernels::winogradPlanes(static_cast<unsigned>(m));
  std::uint64_t const blocks =
      value(14) * value(11) * ((value(12) + m - 1) / m) * ((value(13) + m - 1) / m);
  std::uint64_t const numbers = blocks * planes * (channels + columns);
  auto const tile =
      poplin::ampUnit(machine, planner::MatMulType::FLOAT, planner::MatMulType::FLOAT);
  return {planes * kernels::matMulTileCycles(tile, blocks, columns, channels) + numbers,
          2 * (planes * blocks * columns * channels + m * numbers)};
}

/// Fields of MatMul, which those with an epilogue begin with.
template <class V> std::vector<codelet::FieldDescription> matMulFields() {
  return {POP_FIELD(V, a),
          POP_FIELD(V, b),
          POP_FIELD(V, c),
          POP_FIELD(V, workspace),
          POP_FIELD(V, aOffset),
          POP_FIELD(V, aBatch),
          POP_FIELD(V, aRow),
          POP_FIELD(V, aColumn),
          POP_FIELD(V, bOffset),
          POP_FIELD(V, bBatch),
          POP_FIELD(V, bRow),
          POP_FIELD(V, bColumn),
          POP_FIELD(V, m),
          POP_FIELD(V, n),
          POP_FIELD(V, k),
          POP_FIELD(V, batches),
          POP_FIELD(V, method),
          POP_FIELD(V, blockRows),
          POP_FIELD(V, blockDepth),
          POP_FIELD(V, packA),
          POP_FIELD(V, packB),
          POP_FIELD(V, bPanel),
          POP_FIELD(V, blockColumns),
          POP_FIELD(V, panelsA)};
}
template <class In, class Out>
codelet::Cost costOfMatMulFields(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  return costOfMatMul<In, Out, 12, 13, 14, 15>(sizes, machine);
}

/// Fields of Conv and ConvChannels, which those with an epilogue begin with.
template <class V> std::vector<codelet::FieldDescription> convFields() {
  return {POP_FIELD(V, in),           POP_FIELD(V, weights),       POP_FIELD(V, out),
          POP_FIELD(V, workspace),    POP_FIELD(V, table),         POP_FIELD(V, strides),
          POP_FIELD(V, inOffset),     POP_FIELD(V, inGroup),       POP_FIELD(V, weightsOffset),
          POP_FIELD(V, weightsGroup), POP_FIELD(V, weightsColumn), POP_FIELD(V, weightsBlockStride),
          POP_FIELD(V, weightsBlock), POP_FIELD(V, outPixel),      POP_FIELD(V, dims),
          POP_FIELD(V, groups),       POP_FIELD(V, columns),       POP_FIELD(V, depth),
          POP_FIELD(V, enough),       POP_FIELD(V, pixels),        POP_FIELD(V, method),
          POP_FIELD(V, outputs),      POP_FIELD(V, inChannels),    POP_FIELD(V, taps),
          POP_FIELD(V, setRows),      POP_FIELD(V, copyBytes),     POP_FIELD(V, blockColumns)};
}
template <class In, class Out>
codelet::Cost costOfConvFields(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  return costOfConv<In, Out, 15, 16, 21>(sizes, machine);
}

} // namespace cottonwood::vertices
