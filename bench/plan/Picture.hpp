// Pictures of plans in text.
#pragma once

#include <planners/poplin/TileTypes.hpp>

#include <string>
#include <vector>

namespace cottonwood::plan {

/// "1x1 swapped g1 f1x23x1 o8 i8 k1": what is cut into how many parts.
std::string splitText(planner::TilePlan const &plan);

/// The result as a rectangle of positions and output channels, cut as the plan cuts it.
std::string partitionPicture(planner::TileProblem const &problem, planner::TilePlan const &plan);

/// Cycles (down) against bytes of temporaries (across).
std::string curvePicture(std::vector<planner::Cost> const &points);

} // namespace cottonwood::plan
