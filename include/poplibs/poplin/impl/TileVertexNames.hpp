// Under which names profiles show the vertices of plans for tiles.
#pragma once

#include <planners/poplin/TileTypes.hpp>

#include <array>
#include <string_view>

namespace cottonwood::poplin {

/// The vertices of a method in names of published vertices, by planner::TileMethod: of rows of a
/// product, and of windows. On the host all of them are poplin::MatMulPartial and ConvPartial.
inline constexpr std::array<std::string_view, 6> TILE_ROWS_NAMES{
    "poplin::ConvPartial1x1Rows",         "poplin::ConvPartialnx1Rows",
    "poplin::ConvPartial1x4SLICRows",     "poplin::ConvPartialHorizontalMacRows",
    "poplin::ConvPartialVerticalMacRows", "poplin::OuterProductRows"};
inline constexpr std::array<std::string_view, 6> TILE_WINDOWS_NAMES{
    "poplin::ConvPartial1x1",         "poplin::ConvPartialnx1",
    "poplin::ConvPartial1x4SLIC",     "poplin::ConvPartialHorizontalMac",
    "poplin::ConvPartialVerticalMac", "poplin::OuterProduct"};

/// Whether vertices of a method fill the matrix unit by loads of 128 bits, if that is wanted: then
/// their weights lie in interleaved memory. Filters of which four rows are held never do.
constexpr bool loadsWide(planner::TilePlan const &plan) {
  return plan.method == planner::TileMethod::AMP_1X1 ||
         (plan.method == planner::TileMethod::AMP_NX1 && plan.filterHeight < 4);
}

/// Of such loads; a third argument of the vertices' names says that they want them.
inline constexpr unsigned WIDE_LOAD_BYTES = 16;

constexpr std::string_view tileVertexName(planner::TileMethod method, bool rows) {
  return (rows ? TILE_ROWS_NAMES : TILE_WINDOWS_NAMES)[static_cast<std::size_t>(method)];
}

} // namespace cottonwood::poplin
