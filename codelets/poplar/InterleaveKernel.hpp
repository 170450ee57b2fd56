/// \file InterleaveKernel.hpp
/// Runs of elements joined element by element, and split again: matrices of too few rows or columns
/// for the squares of TransposeKernel.hpp, such as images of three channels.
///
/// A register's lanes are chunks of 16 bytes of every run, or of the groups that these give. Every
/// lane of the result has bytes of all of them: as many byte shuffles as there are runs. Where
/// registers pick elements from two others, InterleaveLines.hpp has a shorter way for few runs.
#pragma once

#include <codelets/arch/StoreOrder.hpp>
#include <codelets/poplar/InterleaveLines.hpp>

#include <type_traits>
#include <utility>

namespace cottonwood::kernels {

namespace detail {
inline constexpr std::size_t SHUFFLED = 16; ///< bytes of a lane
/// Gives 0 where it chooses a byte.
inline constexpr std::uint8_t NO_BYTE = 0x80;
struct ShuffledBytes {
  std::uint8_t bytes[SHUFFLED];
};
/// [to][from]: which bytes of lane `from` are where in lane `to`.
template <std::size_t RUNS> struct Shuffles { ShuffledBytes all[RUNS * RUNS]; };

/// \tparam JOINS  from runs to groups, or back
template <std::size_t N, std::size_t RUNS, bool JOINS> constexpr Shuffles<RUNS> shufflesOf() {
  Shuffles<RUNS> shuffles{};
  for (std::size_t to = 0; to < RUNS; ++to)
    for (std::size_t from = 0; from < RUNS; ++from)
      for (std::size_t b = 0; b < SHUFFLED; ++b) {
        // Joined: the element's number in all lanes of groups. Split: its byte in these.
        std::size_t const element = (to * SHUFFLED + b) / N;
        std::size_t const grouped = (b / N * RUNS + to) * N + b % N;
        bool const here = JOINS ? element % RUNS == from : grouped / SHUFFLED == from;
        std::size_t const byte = JOINS ? element / RUNS * N + b % N : grouped % SHUFFLED;
        shuffles.all[to * RUNS + from].bytes[b] = here ? static_cast<std::uint8_t>(byte) : NO_BYTE;
      }
  return shuffles;
}
template <class Tag, std::size_t N, std::size_t RUNS, bool JOINS>
inline constexpr Shuffles<RUNS> SHUFFLES = shufflesOf<N, RUNS, JOINS>();

template <class Tag, std::size_t N, bool JOINS, std::size_t... I>
POP_SIMD_INLINE ShuffledBytes const *shufflesFor(std::uint64_t runs, std::index_sequence<I...>) {
  constexpr ShuffledBytes const *ALL[] = {SHUFFLES<Tag, N, I + 2, JOINS>.all...};
  return ALL[runs - 2];
}

/// f(i) for i < runs. \tparam Count  a number of runs, or std::integral_constant
template <class Count, class F> POP_SIMD_INLINE void eachRun(Count runs, F f) {
  if constexpr (std::is_integral_v<Count>) {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < runs; ++i)
      f(i);
  } else {
    arch::unrolled<Count::value>(f);
  }
}

/// Lane `to` of the result.
template <class Lanes, class Count>
POP_SIMD_INLINE Lanes shuffledOf(Lanes const *v, ShuffledBytes const *shuffles, Count runs) {
  Lanes all = v[0].shuffled(shuffles[0].bytes);
  eachRun(runs, [&](std::size_t j) POP_SIMD_LAMBDA {
    if (j != 0)
      all = all.joinedWith(v[j].shuffled(shuffles[j].bytes));
  });
  return all;
}

/// Groups are never written past the caches: by way of lines that are put together first that took
/// .85 to 1.1 of the time on Zen 5.
template <std::size_t N, class Lanes, class Count>
void joinRuns(InterleavedRuns const &r, ShuffledBytes const *shuffles, PlaneStores stores,
              Count runs) {
  constexpr std::uint64_t EACH = Lanes::BYTES / N;
  std::uint64_t const whole = r.count / EACH * EACH;
  std::byte *dst = r.dst;
  Lanes v[mostInterleaved(N)];
  for (std::uint64_t i = 0; i < whole; i += EACH, dst += runs * Lanes::BYTES) {
    std::byte const *run = r.src + i * N;
    eachRun(runs, [&](std::size_t j) POP_SIMD_LAMBDA {
      if (stores != PlaneStores::Near)
        __builtin_prefetch(run + INTERLEAVED_AHEAD);
      v[j] = Lanes::loadPacked(run);
      run += r.stride;
    });
    if constexpr (std::is_integral_v<Count>) {
      auto const distance = signedOf(runs * SHUFFLED);
      eachRun(runs, [&](std::size_t m) POP_SIMD_LAMBDA {
        shuffledOf(v, shuffles + m * runs, runs).storeLanes(dst + m * SHUFFLED, distance);
      });
    } else { // so few that all stay in registers until it is their turn
      Lanes joined[Count::value];
      eachRun(runs, [&](std::size_t m)
                        POP_SIMD_LAMBDA { joined[m] = shuffledOf(v, shuffles + m * runs, runs); });
      arch::unrolled<Lanes::BYTES / SHUFFLED>([&](std::size_t lane) POP_SIMD_LAMBDA {
        eachRun(runs, [&](std::size_t m) POP_SIMD_LAMBDA {
          joined[m].storeLane(dst + (lane * runs + m) * SHUFFLED, lane);
          arch::storesInOrder();
        });
      });
    }
  }
  interleaveEach<N, true>(r, whole);
}

/// Runs are written past the caches if registers are whole lines of them.
template <std::size_t N, class Lanes, class Count>
void splitRuns(InterleavedRuns const &r, ShuffledBytes const *shuffles, PlaneStores stores,
               Count runs) {
  constexpr std::uint64_t EACH = Lanes::BYTES / N;
  auto const places =
      reinterpret_cast<std::uintptr_t>(r.dst) | static_cast<std::uintptr_t>(r.stride);
  bool const past =
      stores >= PlaneStores::Past && Lanes::BYTES == TRANSPOSE_LINE && places % TRANSPOSE_LINE == 0;
  std::uint64_t const whole = r.count / EACH * EACH;
  auto const distance = signedOf(runs * SHUFFLED);
  std::byte const *src = r.src;
  Lanes v[mostInterleaved(N)];
  for (std::uint64_t i = 0; i < whole; i += EACH, src += runs * Lanes::BYTES) {
    eachRun(runs, [&](std::size_t m)
                      POP_SIMD_LAMBDA { v[m] = Lanes::load(src + m * SHUFFLED, distance); });
    if (stores != PlaneStores::Near)
      for (std::size_t b = 0; b < runs * Lanes::BYTES; b += TRANSPOSE_LINE)
        __builtin_prefetch(src + b + INTERLEAVED_AHEAD);
    std::byte *run = r.dst + i * N;
    eachRun(runs, [&](std::size_t j) POP_SIMD_LAMBDA {
      Lanes const all = shuffledOf(v, shuffles + j * runs, runs);
      past ? all.storePast(run) : all.store(run);
      run += r.stride;
    });
  }
  interleaveEach<N, false>(r, whole);
}

template <class Tag, std::size_t N, bool JOINS>
void interleave(InterleavedRuns const &r, PlaneStores stores) {
  if constexpr (Tag::VECTOR_BYTES < 32) {
    interleaveEach<N, JOINS>(r, 0);
  } else {
    using Lanes = arch::WidestLanes<Tag>;
    ShuffledBytes const *const shuffles =
        shufflesFor<Tag, N, JOINS>(r.runs, std::make_index_sequence<mostInterleaved(N) - 1>());
    const auto run = [&](auto runs) POP_SIMD_LAMBDA {
      if constexpr (PICKS_ELEMENTS<Tag, N> && !std::is_integral_v<decltype(runs)>)
        interleaveLines<Tag, N, decltype(runs)::value, JOINS>(r, stores);
      else if constexpr (JOINS)
        joinRuns<N, Lanes>(r, shuffles, stores, runs);
      else
        splitRuns<N, Lanes>(r, shuffles, stores, runs);
    };
    // With a constant number of runs shuffles stay in registers: two to four take half of the time
    // in L2 on Zen 5.
    constexpr std::size_t FOUR = mostInterleaved(N) < 4 ? 3 : 4;
    if (r.runs == 2)
      run(std::integral_constant<std::size_t, 2>());
    else if (r.runs == 3)
      run(std::integral_constant<std::size_t, 3>());
    else if (r.runs == FOUR)
      run(std::integral_constant<std::size_t, FOUR>());
    else
      run(static_cast<std::size_t>(r.runs));
  }
}
} // namespace detail

/// By size of the element.
struct InterleaveKernels {
  using Kernel = void (*)(InterleavedRuns const &, PlaneStores);
  Kernel bytes1, bytes2, bytes4;
  Kernel of(std::uint64_t elementBytes) const {
    return elementBytes == 1 ? bytes1 : elementBytes == 2 ? bytes2 : bytes4;
  }
};
/// \tparam JOINS  from runs to groups, or back
template <class Tag, bool JOINS> POP_SIMD_INLINE InterleaveKernels interleaveKernelsOf() {
  return {&detail::interleave<Tag, 1, JOINS>, &detail::interleave<Tag, 2, JOINS>,
          &detail::interleave<Tag, 4, JOINS>};
}

} // namespace cottonwood::kernels
