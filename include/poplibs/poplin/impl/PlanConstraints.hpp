// Option planConstraints: JSON that forces parts of a plan.
#pragma once

#include <planners/poplin/TileTypes.hpp>
#include <poplin/impl/Config.hpp>

#include <string>

namespace cottonwood::poplin {

/// Constraints on plans in the form of planner::Constraints::parse.
struct PlanConstraints {
  std::string cpu;   ///< the splits alone
  std::string tiles; ///< on planner::TilePlan and TileTraits
};

/// Those of a convolution:
///   {"method": {"type": "AMP", "convUnits": 16, ...}, "inChansPerGroup": 16, ...,
///    "0": {"transform": {"swapOperands": false, ...}, "partition": {"batchSplit": 2, ...}}}
/// Plans have one level: splits of several levels are multiplied, transforms put together.
/// \throws poplar::invalid_option  text that is no such JSON.
POP_API PlanConstraints readPlanConstraints(std::string const &json);
/// Those of a product: the same, with rows as the field, or {"splitM": 2, ...} with splits of rows,
/// columns, depth and groups (splitM, splitN, splitK, splitG) by name.
POP_API PlanConstraints readMatMulConstraints(std::string const &json);

/// The inverse: JSON that forces a plan for tiles.
POP_API std::string planConstraintsOf(planner::TilePlan const &plan, bool halfPartials);

} // namespace cottonwood::poplin
