/// \file MapLoops.hpp
/// How the kernels of elementwise operations walk over arrays.
#pragma once

#include <codelets/arch/SimdPack.hpp>
#include <codelets/arch/StoreOrder.hpp>
#include <codelets/popops/CastKernel.hpp>
#include <codelets/popops/MapProgram.hpp>
#include <codelets/popops/StreamBytes.hpp>

#include <utility>

namespace cottonwood::kernels::detail {
using vertices::MapOp;
using vertices::MapType;

/// A whole vector, past the caches if that is asked for and its lanes are no bytes.
template <class V, class T> POP_SIMD_INLINE void putLanes(V v, T *p, bool past) {
  if constexpr (std::is_same_v<T, bool>)
    storeLanes(v, p);
  else
    past ? v.stream(p) : v.store(p);
}

/// Operations of one or two instructions a vector: the loop around them shows.
constexpr bool isCheap(MapOp op) {
  return op == MapOp::ABSOLUTE || op == MapOp::ADD || op == MapOp::MAXIMUM ||
         op == MapOp::MINIMUM || op == MapOp::MULTIPLY || op == MapOp::NEGATE ||
         op == MapOp::RELU || op == MapOp::SQUARE || op == MapOp::SUBTRACT;
}

/// Operations on half that half arithmetic computes: their result in float, rounded to half, is
/// what one of its instructions gives, since float has the bits that make the two roundings one.
/// Divisions have that property, too, but half's take almost twice as long as float's.
constexpr bool isOfHalf(MapOp op) {
  return vertices::isSupported(op, MapType::HALF) &&
         (isCheap(op) || op == MapOp::SIGNUM || op == MapOp::RELU_GRADIENT ||
          (vertices::givesBool(op) && vertices::arity(op) == 2));
}

/// Operations on half that look at the bits of their operands alone (SimdHalfBits.hpp).
constexpr bool isOfHalfBits(MapOp op) {
  return vertices::givesBool(op) || op == MapOp::ABSOLUTE || op == MapOp::CLAMP ||
         op == MapOp::MAXIMUM || op == MapOp::MINIMUM || op == MapOp::NEGATE || op == MapOp::RELU ||
         op == MapOp::RELU_GRADIENT || op == MapOp::SELECT || op == MapOp::SIGNUM;
}

/// Whether loads of the operand, which run ahead of the stores, meet those a page further on: a
/// processor that compares the low twelve bits of addresses first makes them wait, tenfold with
/// vectors of whole lines.
POP_SIMD_INLINE bool meetsStores(const void *out, const void *operand, bool runsBackward) {
  constexpr std::uintptr_t PAGE = 4096, NEAR = 768;
  const std::uintptr_t to = reinterpret_cast<std::uintptr_t>(out),
                       from = reinterpret_cast<std::uintptr_t>(operand),
                       ahead = (runsBackward ? from - to : to - from) % PAGE;
  return ahead != 0 && ahead < NEAR;
}

/// put(value(i), i, past) for the first elements i of all whole vectors; returns the elements of
/// these. Unless they are near, fetch(i, n, ahead) is called before elements [i, i + n), `ahead`
/// bytes being what they are fetched ahead. `past` is a constant to `put` in the loops of cheap
/// operations. To vectors of one element all are near: one kind of loop to compile. Walks over what
/// is near go `backward` over the elements if that is set. HALVES: elements are half, a vector of
/// which is half a cache line; past the caches both halves go together, or the line would be
/// written in two pieces.
template <MapOp OP, bool HALVES, int WIDTH, class Fetch, class Value, class Put>
POP_SIMD_INLINE std::size_t eachWholeVector(std::size_t n, Walk walk, bool backward, Fetch fetch,
                                            Value value, Put put) {
  const bool near = WIDTH == 1 || walk == Walk::NEAR, past = !near && walk == Walk::PAST;
  const std::size_t ahead = fetchDistance(walk);
  std::size_t i = 0;
  if constexpr (isCheap(OP)) {
    constexpr std::size_t BLOCK = 4 * WIDTH;
    const std::size_t blocks = n / BLOCK;
    const auto four = [&](auto always) POP_SIMD_LAMBDA {
      constexpr Walk WALK = decltype(always)::value;
      const auto putNext = [&](auto v, std::size_t at) POP_SIMD_LAMBDA {
        put(v, at, std::bool_constant<WALK == Walk::PAST>());
        if constexpr (WIDTH > 1) // single elements are the compiler's to make vectors of
          arch::storesInOrder();
      };
      const bool turned = WALK == Walk::NEAR && backward;
      const std::size_t step = turned ? std::size_t{0} - BLOCK : BLOCK;
      std::size_t k = turned && blocks != 0 ? (blocks - 1) * BLOCK : 0;
      for (std::size_t left = blocks; left != 0; --left, k += step) {
        if constexpr (WALK != Walk::NEAR)
          fetch(k, BLOCK, fetchDistance(WALK));
        const auto a = value(k), b = value(k + WIDTH);
        const auto c = value(k + 2 * WIDTH), d = value(k + 3 * WIDTH);
        putNext(a, k);
        putNext(b, k + WIDTH);
        putNext(c, k + 2 * WIDTH);
        putNext(d, k + 3 * WIDTH);
      }
    };
    if (near) {
      four(std::integral_constant<Walk, Walk::NEAR>());
    } else if constexpr (WIDTH > 1) {
      if (past)
        four(std::integral_constant<Walk, Walk::PAST>());
      else
        four(std::integral_constant<Walk, Walk::FAR>());
    }
    i = blocks * BLOCK;
  } else if constexpr (HALVES && WIDTH > 1) {
    for (; past && i + 2 * WIDTH <= n; i += 2 * WIDTH) {
      fetch(i, 2 * WIDTH, ahead);
      const auto first = value(i), second = value(i + WIDTH);
      put(first, i, true);
      put(second, i + WIDTH, true);
    }
  }
  std::size_t left = (n - i) / WIDTH;
  const std::size_t done = i + left * WIDTH, step = backward ? std::size_t{0} - WIDTH : WIDTH;
  for (i = backward && left != 0 ? done - WIDTH : i; left != 0; --left, i += step) {
    if (!near)
      fetch(i, WIDTH, ahead);
    put(value(i), i, past);
  }
  return done;
}

/// Elements before the first line of a result that begins within one, where the loop of a cheap
/// operation shall begin: vectors of whole lines would touch two of them each. 0 if that is not
/// worth it.
template <MapOp OP, class V, class To>
POP_SIMD_INLINE std::size_t elementsToLine(const To *result, std::size_t n) {
  constexpr std::size_t LINE = 64;
  if constexpr (isCheap(OP) && V::width * sizeof(To) == LINE) {
    const std::size_t beyond = reinterpret_cast<std::uintptr_t>(result) % LINE;
    return beyond % sizeof(To) != 0 || beyond == 0 || n < 8 * V::width
               ? 0
               : (LINE - beyond) / sizeof(To);
  }
  return 0;
}

} // namespace cottonwood::kernels::detail
