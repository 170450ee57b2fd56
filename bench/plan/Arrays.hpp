// Operations on arrays that are no products: their plans, and what the model makes of them.
#pragma once

#include <bench/plan/Modelled.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

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

/// What the model makes of a program that ends with a result.
Steps modelledSteps(poplar::Graph &graph, poplar::program::Program const &program,
                    poplar::Tensor const &result);

/// The plans of operations element by element. \param constraints  on them
ArrayFigures elementFigures(Elements const &elements, Request const &request, std::size_t keep,
                            planner::Constraints const &constraints = {});
ArrayFigures conversionFigures(Conversion const &conversion, Request const &request,
                               std::size_t keep);
/// The plans of copies and transposes. \param constraints  on them
ArrayFigures movementFigures(Movement const &movement, Request const &request, std::size_t keep,
                             planner::Constraints const &constraints = {});
/// Operations that have names here, for messages.
std::string elementOperations();

/// \param shape  one that isArray()
/// \param keep  plans to tell of
ArrayFigures arrayFigures(Shape const &shape, Request const &request, std::size_t keep);

/// Those of the plan table.
std::vector<Shape> const &arrayShapes();

} // namespace cottonwood::plan
