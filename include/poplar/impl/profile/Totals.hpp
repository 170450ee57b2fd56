// Sums over what was executed.
#pragma once

#include <poplar/impl/profile/ReportData.hpp>

#include <cstdint>
#include <vector>

namespace cottonwood::profile {

/// Cycles of all steps that were executed, and what the tiles did in them, summed over tiles.
struct Totals {
  std::uint64_t cycles = 0;
  double computeIdle = 0, computeBusy = 0, exchange = 0, globalExchange = 0, host = 0, sync = 0;
};

POP_API Totals totalsOf(ReportData const &report);

/// Vertex types of the compute sets that were executed: instances in these, cycles of all
/// executions. In the order of ReportData::vertexTypes.
POP_API std::vector<TypeCount> typeTotals(ReportData const &report);

/// Steps that are more than control flow, depth first as the programs have them, each once; then
/// those that belong to none.
POP_API std::vector<std::uint32_t> stepsInOrder(ReportData const &report);

} // namespace cottonwood::profile
