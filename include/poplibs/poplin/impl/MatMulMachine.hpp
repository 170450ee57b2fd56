// What the planner of matrix products and the cost of its vertices need of a machine.
#pragma once

#include <codelets/poplin/AmpCost.hpp>
#include <planners/poplin/ProductTypes.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <algorithm>

namespace cottonwood::poplin {

/// The matrix unit of a tile for these types of operands and partials. Operands that are smaller
/// than float may have half partials; quarter operands have no others.
inline kernels::AmpUnit ampUnit(model::Machine const &machine, planner::MatMulType input,
                                planner::MatMulType partials) {
  using planner::MatMulType;
  kernels::AmpUnit tile;
  bool const isQuarter = input == MatMulType::QUARTER;
  tile.workers = std::max(machine.workers, 1U);
  tile.halfInput = input != MatMulType::FLOAT;
  tile.halfPartials = tile.halfInput && partials == MatMulType::HALF;
  unsigned const units = isQuarter           ? machine.fp8InFp16OutUnits
                         : tile.halfPartials ? machine.fp16InFp16OutUnits
                         : tile.halfInput    ? machine.fp16InFp32OutUnits
                                             : machine.fp32InFp32OutUnits;
  tile.units = std::max(units, 1U); // a CPU's target has none
  tile.inputsPerGroup = isQuarter ? 32 : tile.halfInput ? 16 : 8;
  tile.inputsPerCycle = isQuarter ? 8 : tile.halfInput ? 4 : 1;
  tile.weightBytesPerCycle = std::max(machine.coeffLoadBytesPerCycle, 1U);
  return tile;
}

} // namespace cottonwood::poplin
