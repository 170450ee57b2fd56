/// \file StoreOrder.hpp
/// The order of stores. To compilers any is as good, but a core of the Emerald Rapids class that
/// comes back to a line of L2 it has left takes 1.7 times as long for sums of floats by vectors of
/// half a line, and 1.3 to 1.8 times for groups that are put together from lanes of 16 bytes.
#pragma once

#include <codelets/arch/Isa.hpp>

namespace cottonwood::arch {

/// Stores before this stay before those after it.
POP_SIMD_INLINE void storesInOrder() { __asm__ volatile("" ::: "memory"); }

} // namespace cottonwood::arch
