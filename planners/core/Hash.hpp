// Hashing of plain values and of plans: stable within a process, the same for equal values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cottonwood::planner {

/// 64-bit finaliser of splitmix64 (S. Vigna, public domain constants): every input bit reaches
/// every output bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// Order-dependent combination: combine(combine(s, a), b) differs from combine(combine(s, b), a).
constexpr std::uint64_t combine(std::uint64_t seed, std::uint64_t value) {
  return mix(seed ^ mix(value));
}

constexpr std::uint64_t hashText(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325U; // FNV-1a offset basis and prime
  for (char c : text)
    h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(h);
}

} // namespace cottonwood::planner
