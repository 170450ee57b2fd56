#pragma once

#include <planners/poplin/TileConvLayout.hpp>
#include <poplin/impl/TileGiven.hpp>

#include <map>
#include <tuple>
#include <vector>

namespace cottonwood::poplin {

POP_INLINE planner::TileLayout givenLayout(::poplar::Graph const &graph,
                                           ::poplar::Tensor const &t) {
  using planner::detail::TileRange;
  auto const shape = t.shape();
  std::vector<std::uint64_t> const sizes(shape.begin(), shape.end());
  // The dimensions of layouts: those of a field that is not there have one place.
  std::array<TileRange, 6> whole{};
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d != sizes.size(); ++d)
    dims.push_back(sizes.size() > 3 && d + 1 == sizes.size() ? 5 : d);
  if (sizes.size() > 3)
    for (std::size_t d = sizes.size() - 1; d < 5; ++d)
      whole[d] = {0, 1};
  planner::TileLayout layout;
  bool complete = true;
  auto const mapping = graph.getTileMapping(t, &complete);
  std::vector<TileRange> box(sizes.size());
  for (std::size_t tile = 0; tile != mapping.size(); ++tile) {
    // Pieces of neighbouring rows that have the same columns are one box.
    std::map<std::array<TileRange, 6>, std::size_t> open; // rows but for the end, to the box
    for (auto const &interval : mapping[tile])
      planner::detail::forEachBox({interval.begin(), interval.end()}, sizes, box, [&] {
        planner::TileBox piece{tile, whole, 1};
        for (std::size_t d = 0; d != box.size(); ++d)
          piece.range[dims[d]] = box[d];
        std::size_t const row = dims[dims.size() - 2];
        auto key = piece.range;
        key[row] = {piece.range[row].first, 0};
        if (auto const known = open.find(key); known != open.end()) {
          std::size_t const at = known->second;
          open.erase(known);
          layout[at].range[row].second = piece.range[row].second;
          key[row].first = piece.range[row].second;
          open.emplace(key, at);
          return;
        }
        key[row].first = piece.range[row].second;
        open.insert_or_assign(key, layout.size());
        layout.push_back(piece);
      });
  }
  return layout;
}

} // namespace cottonwood::poplin
