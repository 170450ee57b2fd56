// Products and convolutions on plain memory, without their element types: what Kernels.hpp and
// Epilogue.hpp hand to the library.
#pragma once

#include <poplin/impl/Config.hpp>

#include <cstddef>
#include <cstdint>

namespace poplin {
struct ConvParams;
}

namespace cottonwood::poplin {

/// kernels::MATMUL_PANEL, for headers that do not see kernels.
inline constexpr std::size_t RAW_PANEL = 32;

/// Element (g, i, j) is at data + g * batch + i * row + j * column; in panels if `panel` is not 0,
/// see kernels::MatMulArgs.
struct RawMatrix {
  const void *data = nullptr;
  std::size_t rows = 0, columns = 0;
  std::ptrdiff_t row = 0, column = 0, batch = 0, panel = 0;
  bool isHalf = false;
};

struct RawMatMul {
  RawMatrix a, b, c;
  void *out = nullptr; ///< c.data, to be written
  std::size_t batches = 1;
  unsigned threads = 1;
  bool accumulate = false;
};

struct RawArray {
  const void *data = nullptr;
  bool isHalf = false;
};

/// \throws poplar::poplar_error  a null pointer to elements.
POP_API void checkRaw(char const *where, RawMatrix const &m, char const *name);

/// Elements of an operand [rows, columns] in panels. \throws poplar::poplar_error  no memory has as
/// many.
POP_API std::size_t packedElements(char const *where, std::size_t rows, std::size_t columns);

/// \throws poplar::poplar_error  sizes or strides that do not fit, null pointers.
POP_API void rawMatMul(RawMatMul const &product);

class RawConv;

} // namespace cottonwood::poplin
