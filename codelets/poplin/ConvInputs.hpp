/// \file ConvInputs.hpp
/// Which input each output and tap of a convolution meet, output by output and tap by tap.
#pragma once

#include <codelets/poplin/ConvGeometry.hpp>

#include <limits>

namespace cottonwood::kernels::detail {

/// Walks through the taps of some dimensions in ascending order.
class ConvTaps {
public:
  /// \param dims  the first ones; taps of the others stay 0
  ConvTaps(const ConvGeometry &geometry, unsigned dims, std::size_t tap)
      : geometry_(geometry), dims_(dims) {
    for (unsigned d = dims; d-- > 0;) {
      const auto taps = static_cast<std::size_t>(geometry.dim[d].taps);
      at_[d] = static_cast<std::ptrdiff_t>(tap % taps);
      tap /= taps;
    }
  }
  POP_SIMD_INLINE std::ptrdiff_t operator[](unsigned d) const { return at_[d]; }
  POP_SIMD_INLINE void next() {
    for (unsigned d = dims_; d-- > 0;) {
      if (++at_[d] < geometry_.dim[d].taps)
        return;
      at_[d] = 0;
    }
  }

private:
  const ConvGeometry &geometry_;
  const unsigned dims_;
  std::ptrdiff_t at_[CONV_MAX_DIMS] = {};
};

/// Where each output of each dimension but the last finds its taps in the input.
class ConvInputs {
public:
  using Offset = std::ptrdiff_t;
  static constexpr Offset NONE = std::numeric_limits<Offset>::min();

  /// \param space  convTileEntries() numbers
  ConvInputs(const ConvGeometry &geometry, Offset *space) : geometry_(geometry) {
    const unsigned last = geometry.dims - 1;
    for (unsigned d = 0; d < last; ++d) {
      const ConvDim &dim = geometry.dim[d];
      const std::size_t size =
          static_cast<std::size_t>(dim.outputs) * static_cast<std::size_t>(dim.taps);
      table_[d] = space;
      for (std::size_t x = 0; x < size; ++x)
        space[x] = NONE;
      for (std::size_t c = 0; c < dim.numClasses; ++c)
        enter(dim, dim.classes[c], space);
      space += size;
      ends_[d] = space;
    }
    first_ = geometry.dim[last].classes->in * geometry.dim[last].inStride;
  }

  /// The taps of one output.
  struct Row {
    const Offset *taps[CONV_MAX_DIMS];
  };
  POP_SIMD_INLINE Row row(std::size_t output) const {
    Row result;
    for (unsigned d = geometry_.dims - 1; d-- > 0;) {
      const auto outputs = static_cast<std::size_t>(geometry_.dim[d].outputs);
      result.taps[d] =
          table_[d] + output % outputs * static_cast<std::size_t>(geometry_.dim[d].taps);
      output /= outputs;
    }
    return result;
  }
  /// Goes on to the next output; after the last comes the first.
  POP_SIMD_INLINE void next(Row &row) const {
    for (unsigned d = geometry_.dims - 1; d-- > 0;) {
      row.taps[d] += geometry_.dim[d].taps;
      if (row.taps[d] != ends_[d])
        return;
      row.taps[d] = table_[d];
    }
  }
  /// The channels of a tap of an output; NONE if it lies in the padding.
  POP_SIMD_INLINE Offset at(const Row &row, const ConvTaps &tap) const {
    return at(row, tap, geometry_.dims - 1);
  }
  /// The same in the first `dims` dimensions alone.
  POP_SIMD_INLINE Offset at(const Row &row, const ConvTaps &tap, unsigned dims) const {
    Offset offset = first_;
    for (unsigned d = 0; d < dims; ++d) {
      const Offset part = row.taps[d][tap[d]];
      if (part == NONE)
        return NONE;
      offset += part;
    }
    return offset;
  }

private:
  static void enter(const ConvDim &dim, const ConvClass &c, Offset *table) {
    for (int i = 0; i < c.outCount; ++i)
      for (int j = 0; j < c.tapCount; ++j)
        table[(c.out + i * c.outStep) * dim.taps + c.tap + j * c.tapStep] =
            (c.in + i * c.inOut + j * c.inTap) * dim.inStride;
  }

  const ConvGeometry &geometry_;
  const Offset *table_[CONV_MAX_DIMS], *ends_[CONV_MAX_DIMS];
  Offset first_;
};

} // namespace cottonwood::kernels::detail
