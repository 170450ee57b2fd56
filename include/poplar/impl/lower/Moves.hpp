// Copy plans: two lists of regions, walked together, as few strided block moves as possible.
#pragma once

#include <poplar/impl/base/SmallVector.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/graph/ViewPieces.hpp>
#include <poplar/impl/lower/Context.hpp>

#include <cstdint>
#include <vector>

namespace cottonwood::lower {

/// Elements in row-major order of the dims (outermost first), as byte addresses.
struct ByteBlock {
  struct Dim {
    std::uint64_t count;
    std::int64_t stride; ///< bytes
  };
  std::uint64_t offset = 0;
  base::SmallVector<Dim, 4> dims; ///< no dim of count 1; neighbours that form one are merged
  std::uint64_t elements = 1;

  static ByteBlock packed(std::uint64_t offset, std::uint64_t elements, std::uint64_t elementBytes);
  void pushInner(std::uint64_t count, std::int64_t stride);
};

/// Where the elements of a tensor lie, in flat order.
using Layout = std::vector<ByteBlock>;

/// The place of a view in the arena. Needs assignMemory().
Layout arenaLayout(Context const &context, graph::View const &view);

/// Where the elements of two tensors of the same size lie, pair by pair. Pairs are in any order: a
/// layout is that of its tensor in parts, none of which has to be enumerated row by row.
struct LayoutPair {
  Layout first, second;
};

LayoutPair arenaLayouts(Context const &context, graph::View const &first,
                        graph::View const &second);
/// The second are the places of the region's elements in a buffer that holds them in flat order
/// from `address` on.
LayoutPair bufferLayouts(Context const &context, graph::Region const &region,
                         std::uint64_t address = 0);
LayoutPair bufferLayouts(Context const &context, graph::View const &view,
                         std::uint64_t address = 0);

/// Appends the elements of a view. \param place  address of a variable
template <class Place> void append(Layout &layout, graph::View const &view, Place const &place) {
  std::uint64_t const size = base::sizeOf(view.type());
  view.forEachBlock([&](graph::StridedBlock const &from) {
    ByteBlock block;
    block.offset = place(from.var) + from.offset * size;
    for (std::size_t d = 0; d < from.sizes.size(); ++d)
      block.pushInner(from.sizes[d], from.strides[d] * static_cast<std::int64_t>(size));
    layout.push_back(block);
  });
}
template <class PlaceFirst, class PlaceSecond>
LayoutPair layoutsOf(graph::View const &first, graph::View const &second,
                     PlaceFirst const &placeFirst, PlaceSecond const &placeSecond) {
  LayoutPair layouts;
  graph::forEachPart(first, second, [&](graph::View const &a, graph::View const &b) {
    append(layouts.first, a, placeFirst);
    append(layouts.second, b, placeSecond);
  });
  return layouts;
}

/// Whether both layouts of a plan address the arena, where bytes that would move onto themselves
/// need no move, or one of them a buffer of its own.
enum class Spaces { Same, Different };

/// Appends to out.moves what copies the elements of `src` to those of `dst`; both have the same
/// number of elements.
MovePlan planMoves(ExecutableData &out, Layout const &src, Layout const &dst,
                   std::uint64_t elementBytes, Spaces spaces = Spaces::Different);
inline MovePlan planMoves(ExecutableData &out, LayoutPair const &layouts,
                          std::uint64_t elementBytes, Spaces spaces = Spaces::Different) {
  return planMoves(out, layouts.first, layouts.second, elementBytes, spaces);
}

} // namespace cottonwood::lower
