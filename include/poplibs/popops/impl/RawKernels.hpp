// Elementwise functions and reductions on plain memory, without their element types: what
// Kernels.hpp hands to the library.
#pragma once

#include <popops/impl/Config.hpp>

#include <popops/Operation.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::popops {

/// In the order of vertices::MapType, for headers that do not see kernels.
enum class RawType : std::uint8_t { FLOAT, HALF, INT, UNSIGNED_INT, BOOL };

struct RawArray {
  const void *data;
  RawType type;
};

/// An operation of popops::expr: its place among those with as many operands.
struct RawOperation {
  unsigned numOperands, index;
};

/// out[i] = op(in[0][i], ...) for i < n.
/// \throws poplar::poplar_error  the operation does not exist for the types; null pointers.
POP_API void rawMap(RawOperation op, void *out, RawType outType, std::size_t n, RawArray const *in);
/// out[i] = in[i], converted.
POP_API void rawCast(void *out, RawType outType, std::size_t n, RawArray in);
/// `bytes` bytes at `value`, n times. \param bytes  1, 2 or 4
POP_API void rawFill(void *out, void const *value, std::size_t bytes, std::size_t n);

/// out[outer, inner] of in[outer, reduced, inner].
struct RawReduction {
  ::popops::Operation op;
  void *out;
  RawType outType;
  RawArray in;
  std::size_t outer, reduced, inner;
  float const *scale; ///< null: none
  bool update;
};
POP_API void rawReduce(RawReduction const &reduction);

} // namespace cottonwood::popops
