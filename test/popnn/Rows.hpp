// Matrices whose rows lie on tiles in several ways.
#pragma once

#include "../popops/Harness.hpp"

#include <algorithm>

namespace rows {

using harness::Shape;
using harness::Values;

enum class Places { LINEAR, COLUMNS, BLOCKS, ONE_TILE };
inline constexpr Places PLACES[] = {Places::LINEAR, Places::COLUMNS, Places::BLOCKS,
                                    Places::ONE_TILE};

/// [rows, columns], filled before the run. BLOCKS: of random sizes on random tiles.
inline poplar::Tensor placed(harness::Run &run, poplar::Type const &type, Shape const &shape,
                             Values const &values, Places places, harness::Numbers &numbers) {
  if (places == Places::LINEAR)
    return run.input(type, shape, values);
  poplar::Tensor const t = run.graph.addVariable(type, shape);
  auto const tiles = run.graph.getTarget().getNumTiles();
  if (places == Places::ONE_TILE) {
    run.graph.setTileMapping(t, tiles - 1);
  } else if (places == Places::COLUMNS) {
    for (unsigned tile = 0; tile != tiles; ++tile)
      run.graph.setTileMapping(t.slice(tile * shape[1] / tiles, (tile + 1) * shape[1] / tiles, 1),
                               tile);
  } else {
    for (std::size_t row = 0, down = 0; row != shape[0]; row += down) {
      down = 1 + numbers.below(std::min<std::size_t>(shape[0] - row, 9));
      for (std::size_t column = 0, across = 0; column != shape[1]; column += across) {
        across = 1 + numbers.below(shape[1] - column);
        run.graph.setTileMapping(t.slice(row, row + down).slice(column, column + across, 1),
                                 static_cast<unsigned>(numbers.below(tiles)));
      }
    }
  }
  run.write(t, values);
  return t;
}

/// Whole rows are shared by few tiles, few long ones by several tiles each.
inline std::vector<Shape> const SHAPES{{70, 9}, {23, 150}, {5, 2001}, {1, 5003}, {13, 1777}};

} // namespace rows
