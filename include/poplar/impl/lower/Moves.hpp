// Copy plans: two lists of regions, walked together, as few strided block moves as possible.
#pragma once

#include <poplar/impl/base/SmallVector.hpp>
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

/// The place of a region in the arena. Needs assignMemory().
Layout arenaLayout(Context const &context, graph::Region const &region);
Layout arenaLayout(Context const &context, graph::View const &view);

/// Whether both layouts of a plan address the arena, where bytes that would move onto themselves
/// need no move, or one of them a buffer of its own.
enum class Spaces { Same, Different };

/// Appends to out.moves what copies the elements of `src` to those of `dst`; both have the same
/// number of elements.
MovePlan planMoves(ExecutableData &out, Layout const &src, Layout const &dst,
                   std::uint64_t elementBytes, Spaces spaces = Spaces::Different);

} // namespace cottonwood::lower
