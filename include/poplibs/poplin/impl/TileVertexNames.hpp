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

constexpr std::string_view tileVertexName(planner::TileMethod method, bool rows) {
  return (rows ? TILE_ROWS_NAMES : TILE_WINDOWS_NAMES)[static_cast<std::size_t>(method)];
}

} // namespace cottonwood::poplin
