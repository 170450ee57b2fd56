// What the IPU Model makes of a product or convolution that the library emits.
#pragma once

#include <bench/plan/Shapes.hpp>
#include <planners/poplin/TileTypes.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Target.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cottonwood::lower {
struct ExecutableData;
}

namespace cottonwood::plan {

struct Figures {
  planner::TileProblem problem;
  planner::TileMachine machine;
  planner::TileChoice choice;
  double planSeconds = 0; ///< one plan without a cache, one thread
};

struct Steps {
  std::uint64_t cycles = 0, exchange = 0, compute = 0, other = 0;
  std::uint64_t temporaryBytes = 0; ///< of the fullest tile
  double averageCompute = 0;        ///< of the slowest compute step: mean of tiles as a share of it
};

/// What to plan for.
struct Request {
  poplar::Target target;
  poplar::Type inputType, outputType;
  poplar::OptionFlags options; ///< of poplin::matMul or convolution
};

/// What the model says of all steps of an executable.
Steps stepsOf(lower::ExecutableData const &data);

/// An IPU Model: ipu1, ipu2, ipu21, or bow, which is ipu2 with another clock.
poplar::Target modelTarget(std::string const &name);

/// \param keep  plans to tell of
Figures planned(Shape const &shape, Request const &request, bool published, std::size_t keep);
/// Emits the operation and compiles it; nothing is run.
/// \param plan  to emit; null: the one that the planner chooses
Steps modelled(Shape const &shape, Request const &request, planner::TilePlan const *plan = nullptr);

/// Emits products each of which has the result of the one before as its left operand.
Steps modelledChain(std::vector<Shape> const &products, Request const &request,
                    std::vector<planner::TilePlan> const &plans);

} // namespace cottonwood::plan
