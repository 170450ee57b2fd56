// Reductions and tables of embeddings: their plans, and what the model makes of them.
#pragma once

#include <bench/plan/Modelled.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cottonwood::plan {

/// A plan of one of them with its reasons, whatever its type.
struct ArrayFigures {
  std::string plan;
  planner::Cost predicted;
  std::vector<std::pair<std::string, std::uint64_t>> terms;  ///< cycles of its parts
  std::vector<std::pair<std::string, planner::Cost>> others; ///< plans that lost
  std::uint64_t considered = 0, allowedBytes = 0;
  bool exceedsMemory = false;
  double planSeconds = 0; ///< one plan without a cache
  Steps steps;            ///< of the emitted graph
};

/// \param shape  a reduction or an embedding
/// \param keep  plans to tell of
ArrayFigures arrayFigures(Shape const &shape, Request const &request, std::size_t keep);

/// Those of the plan table.
std::vector<Shape> const &arrayShapes();

} // namespace cottonwood::plan
