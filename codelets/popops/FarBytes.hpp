/// \file FarBytes.hpp
/// From where on operands come from past the caches; what emitters and kernels share.
#pragma once

#include <cstdint>

namespace cottonwood::kernels {

/// Bytes of operands from which they are fetched ahead: in the third cache, which Zen 4 and Zen 5
/// have 32 MB of, elementwise operations in place take 1.06 times as long so, and reductions of
/// columns 1.1 to 1.2 times; beyond it .75 and .3 to .75.
inline constexpr std::uint64_t FAR_BYTES = std::uint64_t{18} << 20;

} // namespace cottonwood::kernels
