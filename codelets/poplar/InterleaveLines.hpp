/// \file InterleaveLines.hpp
/// Two to four runs of elements of two or four bytes joined to whole registers of groups, and split
/// again: every element of a register is picked from two others at once.
#pragma once

#include <codelets/arch/Simd.hpp>
#include <codelets/arch/SimdLanes.hpp>
#include <codelets/poplar/InterleavedRuns.hpp>

#include <cstddef>
#include <cstdint>

namespace cottonwood::kernels::detail {

/// The most runs that are picked from: two registers at a time.
inline constexpr std::uint64_t MOST_PICKED = 4;

/// Whether registers of the tag pick elements of N bytes.
template <class Tag, std::size_t N>
inline constexpr bool PICKS_ELEMENTS = Tag::VECTOR_BYTES == 64 && (N == 2 || N == 4);

/// Which elements become those of register `to`: of the first two registers, and of the others
/// where a bit is set.
template <std::size_t N> struct PickedElements {
  static constexpr std::size_t EACH = 64 / N;
  arch::LaneElement<N> first[EACH], others[EACH];
  std::uint32_t bits;
};
template <std::size_t N, std::size_t RUNS> struct PickedRegisters { PickedElements<N> all[RUNS]; };
/// \tparam JOINS  from runs to groups, or back
template <std::size_t N, std::size_t RUNS, bool JOINS>
constexpr PickedRegisters<N, RUNS> pickedRegisters() {
  constexpr std::size_t EACH = PickedElements<N>::EACH;
  PickedRegisters<N, RUNS> picked{};
  for (std::size_t to = 0; to < RUNS; ++to)
    for (std::size_t i = 0; i < EACH; ++i) {
      // Element e of run j is element e * RUNS + j of the groups.
      std::size_t const number = JOINS ? to * EACH + i : i * RUNS + to;
      std::size_t const from = JOINS ? number % RUNS : number / EACH;
      std::size_t const element = JOINS ? number / RUNS : number % EACH;
      PickedElements<N> &p = picked.all[to];
      auto &place = from < 2 ? p.first[i] : p.others[i];
      place = static_cast<arch::LaneElement<N>>(from % 2 * EACH + element);
      if (from >= 2)
        p.bits |= std::uint32_t{1} << i;
    }
  return picked;
}
template <class Tag, std::size_t N, std::size_t RUNS, bool JOINS>
inline constexpr PickedRegisters<N, RUNS> PICKED = pickedRegisters<N, RUNS, JOINS>();

/// The register that p describes.
template <std::size_t N, std::size_t RUNS, class Lanes>
POP_SIMD_INLINE Lanes pickedFrom(Lanes const (&v)[RUNS], PickedElements<N> const &p) {
  Lanes const all = Lanes::template elementsOf<N>(v[0], v[1], p.first);
  if constexpr (RUNS == 2)
    return all;
  else
    return all.template replacedBy<N>(Lanes::template elementsOf<N>(v[2], v[RUNS - 1], p.others),
                                      p.bits);
}

/// All whole registers of runs or groups. \tparam NEAR  neither fetched ahead nor written past the
/// caches, without a test of either in the loop
template <class Tag, std::size_t N, std::size_t RUNS, bool JOINS, bool NEAR>
POP_SIMD_INLINE void interleaveWhole(InterleavedRuns const &r, std::uint64_t whole, bool past) {
  using Lanes = arch::FourLanes<Tag>;
  constexpr std::size_t LINE = Lanes::BYTES, LINES = RUNS * LINE;
  std::int64_t const srcEach = JOINS ? r.stride : std::int64_t{LINE},
                     dstEach = JOINS ? std::int64_t{LINE} : r.stride;
  std::byte const *src = r.src;
  std::byte *dst = r.dst;
  for (std::uint64_t i = 0; i < whole; i += LINE / N) {
    Lanes v[RUNS];
    arch::unrolled<RUNS>([&](std::size_t j) POP_SIMD_LAMBDA {
      std::byte const *const from = src + signedOf(j) * srcEach;
      if constexpr (!NEAR)
        __builtin_prefetch(from + INTERLEAVED_AHEAD);
      v[j] = Lanes::loadPacked(from);
    });
    arch::unrolled<RUNS>([&](std::size_t j) POP_SIMD_LAMBDA {
      Lanes const all = pickedFrom(v, PICKED<Tag, N, RUNS, JOINS>.all[j]);
      std::byte *const to = dst + signedOf(j) * dstEach;
      past && !NEAR ? all.storePast(to) : all.store(to);
    });
    src += JOINS ? LINE : LINES;
    dst += JOINS ? LINES : LINE;
  }
}

/// Runs and groups are written past the caches where the registers are whole lines of them.
template <class Tag, std::size_t N, std::size_t RUNS, bool JOINS>
void interleaveLines(InterleavedRuns const &r, PlaneStores stores) {
  constexpr std::uint64_t EACH = TRANSPOSE_LINE / N;
  static_assert(RUNS >= 2 && RUNS <= MOST_PICKED);
  std::uint64_t const whole = r.count / EACH * EACH;
  auto const places =
      reinterpret_cast<std::uintptr_t>(r.dst) | (JOINS ? 0 : static_cast<std::uintptr_t>(r.stride));
  bool const past = stores >= PlaneStores::Past && places % TRANSPOSE_LINE == 0;
  if (stores == PlaneStores::Near)
    interleaveWhole<Tag, N, RUNS, JOINS, true>(r, whole, past);
  else
    interleaveWhole<Tag, N, RUNS, JOINS, false>(r, whole, past);
  interleaveEach<N, JOINS>(r, whole);
}

} // namespace cottonwood::kernels::detail
