/// \file Philox.hpp
/// Philox4x32-10, a random number generator without state: four 32-bit words from a counter of four
/// words and a key of two (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random
/// numbers: as easy as 1, 2, 3", 2011; constants of that paper). A bijection of the counter for
/// every key.
#pragma once

#include <codelets/arch/Simd.hpp>

namespace cottonwood::kernels {

inline constexpr std::uint32_t PHILOX_MULTIPLIER[2] = {0xd2511f53u, 0xcd9e8d57u};
/// Added to the key between rounds: the golden ratio and sqrt(3) - 1, in units of 2^-32.
inline constexpr std::uint32_t PHILOX_WEYL[2] = {0x9e3779b9u, 0xbb67ae85u};

/// Replaces the counters in the lanes of c0 ... c3 by their random words.
template <class U>
POP_SIMD_INLINE void philox(U &c0, U &c1, U &c2, U &c3, std::uint32_t key0, std::uint32_t key1) {
  const U m0 = U::splat(PHILOX_MULTIPLIER[0]), m1 = U::splat(PHILOX_MULTIPLIER[1]);
  arch::unrolled<10>([&](auto round) POP_SIMD_LAMBDA {
    const auto r = static_cast<std::uint32_t>(round);
    U high0, high1;
    const U low0 = U::multiplyWide(m0, c0, high0), low1 = U::multiplyWide(m1, c2, high1);
    c0 = high1 ^ c1 ^ U::splat(key0 + r * PHILOX_WEYL[0]);
    c2 = high0 ^ c3 ^ U::splat(key1 + r * PHILOX_WEYL[1]);
    c1 = low1;
    c3 = low0;
  });
}

} // namespace cottonwood::kernels
