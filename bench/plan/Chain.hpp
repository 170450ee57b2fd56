// What poplar-plan tells of a chain of products.
#pragma once

#include <bench/plan/Modelled.hpp>
#include <planners/poplin/TileChain.hpp>

#include <span>

namespace cottonwood::plan {

struct ChainFigures {
  std::vector<Shape> products;
  planner::TileChain chain;
  std::vector<planner::TilePlan> alone; ///< the best plans of each product by itself
  Steps together, separate;             ///< of the chain as it is emitted with these plans
  double planSeconds = 0;
};

/// \param sizes  rows of the first product, its depth, and the columns of each product
ChainFigures chainFigures(std::span<std::uint64_t const> sizes, Request const &request);

struct Arguments;
void printChain(Arguments const &arguments);

} // namespace cottonwood::plan
