/// \file ConvTileGrid.hpp
/// How the input of a convolution can lie so that matrix tiles read it in place for every tap.
///
/// In each dimension let output o and tap t meet input first + o * step + t * tapStep. Inputs of
/// equal residues modulo the step form a grid; cell u of a grid is one input, or zero where that is
/// padding. Outputs one behind another then meet cells one behind another in the grid of the tap,
/// and so they do in several dimensions at once, if all of them are numbered by the same rows of
/// cells: position p of the outputs and a tap meet position p + (offset of the tap) of a grid. Each
/// row has a few positions more than outputs; what is computed for these is dropped.
///
/// An input is split into pieces once for all taps, instead of once for each. Where values of k are
/// lines of taps (convTapLines()), the cell of an output in the last dimension holds its line.
#pragma once

#include <codelets/poplin/ConvCost.hpp>
#include <codelets/poplin/ConvGeometry.hpp>
#include <codelets/poplin/MatMulWorkspace.hpp>

#include <poplar/impl/base/Config.hpp>

#include <cstdint>

namespace cottonwood::kernels {

/// One dimension of the grids.
struct ConvGridDim {
  int outputs, taps;
  int first, step, tapStep; ///< output o and tap t meet input first + o * step + t * tapStep, ...
  int low, high;            ///< ... if that is in [low, high]; else they do not meet
  int residues;             ///< as many grids
  int firstCell, cells;     ///< cell u is input first + (firstCell + u) * step + a residue
  std::ptrdiff_t inStride;

  POP_SIMD_INLINE int residueOf(int tap) const { return floorMod(tap * tapStep); }
  POP_SIMD_INLINE int slotOf(int tap) const { return tap % residues; }
  POP_SIMD_INLINE int cellOf(int tap) const { return floorDiv(tap * tapStep) - firstCell; }
  /// The input of a cell, whether there is one or not.
  POP_SIMD_INLINE int inputOf(std::ptrdiff_t cell, int slot) const {
    return first + (firstCell + static_cast<int>(cell)) * step + residueOf(slot);
  }

  /// \param lines  the inputs of all taps of an output make one cell
  /// \returns  false if inputs do not lie like that
  POP_API bool fit(const ConvDim &dim, bool lines);

private:
  POP_SIMD_INLINE int floorDiv(int x) const { return (x - floorMod(x)) / step; }
  POP_SIMD_INLINE int floorMod(int x) const { return (x % step + step) % step; }

  bool fitSteps(const ConvDim &dim);
  void fitCells();
};

/// All dimensions of one, but for the last of the geometry: the input channels, side by side.
struct ConvGrid {
  unsigned dims = 0;
  ConvGridDim dim[CONV_MAX_DIMS];
  std::size_t pitch[CONV_MAX_DIMS]; ///< positions between neighbours
  bool lines = false; ///< values of k are lines of taps; `taps` are those of the other dimensions
  std::size_t outputs = 1, taps = 1, grids = 1;
  std::size_t positions = 1;            ///< of outputs, from the first to the last
  std::size_t reach = 0;                ///< the greatest offset of a tap
  std::size_t channels = 0, values = 0; ///< values of k of a tap or a line

  /// \returns  false if the input cannot lie like that
  POP_API bool fit(const ConvGeometry &geometry);

  /// Where a tap, numbered with the last dimension fastest, finds its inputs.
  struct Tap {
    std::size_t grid, offset;
  };
  POP_SIMD_INLINE Tap tap(std::size_t number) const {
    Tap result{0, 0};
    std::size_t slots = 1;
    for (unsigned d = lines ? dims - 1 : dims; d-- > 0;) {
      const auto n = static_cast<std::size_t>(dim[d].taps);
      const int t = static_cast<int>(number % n);
      number /= n;
      result.grid += static_cast<std::size_t>(dim[d].slotOf(t)) * slots;
      result.offset += static_cast<std::size_t>(dim[d].cellOf(t)) * pitch[d];
      slots *= static_cast<std::size_t>(dim[d].residues);
    }
    return result;
  }

  /// Outputs from a position on, side by side in the last dimension.
  struct Run {
    std::size_t output, count; ///< the first one; none: no output is at the position ...
    std::size_t skip;          ///< ... nor at as many from there on
  };
  POP_SIMD_INLINE Run run(std::size_t position) const {
    Run result{0, 0, 0};
    for (unsigned d = 0; d < dims; ++d) {
      const auto n = static_cast<std::size_t>(dim[d].outputs);
      const std::size_t at = position / pitch[d];
      position %= pitch[d];
      if (at >= n)
        return {0, 0, (static_cast<std::size_t>(dim[d].cells) - at) * pitch[d] - position};
      result.output = result.output * n + at;
      result.count = n - at;
    }
    return result;
  }
};

/// How a convolution on matrix tiles goes through its grids. Changes no bit.
struct ConvGridPlan {
  std::size_t band = 0;  ///< positions at a time; 0: no grids, inputs are gathered for every tap
  std::size_t depth = 0; ///< values of k a pass
  bool keepsB = false;   ///< all of B is packed once, for all bands; in one pass
};

/// Parts of the workspace, in bytes. All are whole cache lines.
struct ConvGridSpace {
  std::size_t cells;     ///< positions that the grids hold
  std::size_t gridBytes; ///< of a chunk of 32 values: from one grid to the next
  std::size_t input, line, steps, b, sums, ranges, repair;

  std::size_t bytes() const { return input + line + steps + b + sums + ranges + repair; }
};
POP_SIMD_INLINE ConvGridSpace convGridSpace(const ConvGrid &grid, std::size_t columns,
                                            const ConvGridPlan &plan, MatMulMethod method) {
  constexpr std::size_t LINE = 64, SIDE = MATMUL_TILE_BLOCK, STEP = 32;
  const auto whole = [](std::size_t bytes) { return (bytes + LINE - 1) / LINE * LINE; };
  const std::size_t pieces = matMulTilePieces(method), chunks = convTileSteps(grid.values);
  ConvGridSpace space{};
  space.cells = plan.band + grid.reach;
  space.gridBytes = space.cells * pieces * LINE;
  space.input = grid.grids * chunks * space.gridBytes;
  space.line = chunks * STEP * sizeof(float);
  space.steps = whole(grid.taps * chunks * sizeof(std::ptrdiff_t));
  const std::size_t panels = plan.keepsB ? (columns + SIDE - 1) / SIDE : 1;
  space.b = panels * matMulTilePanelBytes(method, plan.depth / STEP);
  space.sums = (plan.depth < grid.taps * chunks * STEP ? plan.band : SIDE) * SIDE * sizeof(float);
  space.ranges = 2 * (plan.band + panels * SIDE) * sizeof(float);
  space.repair = matMulTileSpace(matMulTileBlocking(method), 1, 1, STEP).repair;
  return space;
}

/// The plan for a geometry, and its grid; none but for tiles. Chooses by an estimate in cycles of a
/// core, which changes no bit: a pair of vectors takes some 30 to split and store, a product of
/// tiles 16. The grids, and a panel of B, have their share of an L2 cache of 2 MB.
POP_API ConvGridPlan convGridPlan(ConvGrid &grid, const ConvGeometry &geometry, std::size_t columns,
                                  MatMulMethod method);

} // namespace cottonwood::kernels

#if defined(POPLAR_HEADER_ONLY)
#include <codelets/poplin/ConvTileGrid.ipp>
#endif
