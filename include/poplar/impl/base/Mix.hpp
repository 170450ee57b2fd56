// Numbers that look random. C++11 and light: codelets use it as well.
#ifndef POPLAR_IMPL_BASE_MIX_HPP
#define POPLAR_IMPL_BASE_MIX_HPP

#include <cstdint>

namespace cottonwood {
namespace base {

/// 2^64 / golden ratio: multiples of it keep the farthest from each other.
constexpr std::uint64_t GOLDEN_STEP = 0x9e3779b97f4a7c15u;

/// A bijection without visible structure: the finaliser of SplitMix64, D. Stafford's variant 13 of
/// MurmurHash3's (G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number
/// generators", 2014).
inline __attribute__((always_inline)) std::uint64_t scrambleBits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace base
} // namespace cottonwood

#endif
