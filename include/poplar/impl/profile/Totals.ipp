// Body of Totals.hpp.
#pragma once

#include <poplar/impl/profile/Totals.hpp>

#include <algorithm>

namespace cottonwood::profile {

POP_INLINE Totals totalsOf(ReportData const &report) {
  using lower::StepKind;
  Totals totals;
  auto const tiles = static_cast<double>(report.target.numTiles());
  for (std::size_t i = 0; i < report.execution.executions.size(); ++i) {
    StepFacts const &step = report.steps[i];
    auto const times = static_cast<double>(report.execution.executions[i]);
    totals.cycles += step.cycles * report.execution.executions[i];
    auto const sum = static_cast<double>(step.sumCycles);
    if (step.kind == StepKind::Compute) {
      totals.computeIdle += times * sum;
      totals.computeBusy += times * static_cast<double>(step.threadCycles);
    } else if (step.kind == StepKind::Exchange || step.kind == StepKind::OnTileCopy) {
      totals.exchange += times * sum;
    } else if (step.kind == StepKind::GlobalExchange) { // all tiles wait for the links
      totals.globalExchange += times * tiles * static_cast<double>(step.cycles - step.syncCycles);
    } else if (step.kind == StepKind::StreamIn || step.kind == StepKind::StreamOut) {
      totals.host += times * tiles * static_cast<double>(step.cycles - step.syncCycles);
    }
  }
  double const all = static_cast<double>(totals.cycles) * tiles;
  totals.sync = std::max(0.0, all - totals.computeIdle - totals.exchange - totals.globalExchange -
                                  totals.host);
  return totals;
}

POP_INLINE std::vector<TypeCount> typeTotals(ReportData const &report) {
  std::vector<TypeCount> totals;
  for (std::uint32_t type = 0; type < report.vertexTypes.size(); ++type)
    totals.push_back({type, 0, 0});
  for (std::size_t i = 0; i < report.execution.executions.size(); ++i) {
    std::uint64_t const times = report.execution.executions[i];
    if (times == 0 || report.steps[i].computeSet == NONE)
      continue;
    for (TypeCount const &entry : report.computeSets[report.steps[i].computeSet].types) {
      totals[entry.type].instances += entry.instances;
      totals[entry.type].cycles += entry.cycles * times;
    }
  }
  std::erase_if(totals, [](TypeCount const &type) { return type.instances == 0; });
  return totals;
}

POP_INLINE std::vector<std::uint32_t> stepsInOrder(ReportData const &report) {
  std::vector<std::uint32_t> order;
  std::vector<std::uint8_t> seen(report.steps.size());
  auto const add = [&](std::uint32_t step) {
    if (!seen[step] && report.steps[step].kind != lower::StepKind::Control)
      order.push_back(step);
    seen[step] = 1;
  };
  for (ProgramFacts const &program : report.programs)
    for (std::uint32_t const step : program.steps)
      add(step);
  for (std::uint32_t step = 0; step < report.steps.size(); ++step)
    add(step);
  return order;
}

} // namespace cottonwood::profile
