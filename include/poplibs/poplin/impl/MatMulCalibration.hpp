// What is found out about a core by measuring, where processors differ and no feature bit says so.
#pragma once

#include <poplin/impl/Config.hpp>

#include <cstdint>

namespace cottonwood::poplin {

/// The width of strips that suits the loads of this machine's cores, for kernels::MatMulCaches: 32
/// if tiles of two vectors are clearly faster than those of up to four, or vectors have fewer than
/// 16 floats, else 64. It changes no bit of any result. Measured once per process, within a
/// millisecond, unless the environment variable POPLAR_MATMUL_STRIP says 32 or 64. \throws
/// poplar::poplar_error  it says something else.
POP_API POP_INLINE std::uint32_t preferredStripColumns();

/// True if POPLAR_MATMUL_STRIP says a width, which then counts for all products.
POP_INLINE bool stripColumnsArePinned();

} // namespace cottonwood::poplin
