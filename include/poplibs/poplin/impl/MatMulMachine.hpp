// What the planner of matrix products and the cost of its vertices need of a machine.
#pragma once

#include <codelets/poplin/AmpCost.hpp>
#include <poplar/impl/model/Machine.hpp>

#include <algorithm>

namespace cottonwood::poplin {

/// The matrix unit of a tile for these types. Only half operands have half partials.
inline kernels::AmpUnit ampUnit(model::Machine const &machine, bool halfInput, bool halfPartials) {
  kernels::AmpUnit tile;
  tile.workers = std::max(machine.workers, 1U);
  tile.halfInput = halfInput;
  tile.halfPartials = halfInput && halfPartials;
  unsigned const units = tile.halfPartials ? machine.fp16InFp16OutUnits
                         : halfInput       ? machine.fp16InFp32OutUnits
                                           : machine.fp32InFp32OutUnits;
  tile.units = std::max(units, 1U); // a CPU's target has none
  tile.inputsPerGroup = halfInput ? 16 : 8;
  tile.weightBytesPerCycle = std::max(machine.coeffLoadBytesPerCycle, 1U);
  return tile;
}

} // namespace cottonwood::poplin
