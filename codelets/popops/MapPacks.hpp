/// \file MapPacks.hpp
/// Loops over functions that are long chains of operations: several vectors at once.
#pragma once

#include <codelets/popops/MapFunctions.hpp>
#include <codelets/popops/MapLoops.hpp>

namespace cottonwood::kernels::detail {

/// Whether the function, of elements T in vectors V, takes roots without the divider.
template <class T, class V> constexpr bool estimatesRoots(MapOp op) {
  return math::EstimatesRoots<V> && std::is_same_v<T, half> &&
         (op == MapOp::SQRT || op == MapOp::RSQRT);
}

/// Functions whose operations wait for each other, and not for the divider.
constexpr bool isChainOfOperations(MapOp op) {
  return op == MapOp::COS || op == MapOp::ERF || op == MapOp::EXPONENT || op == MapOp::EXPONENT2 ||
         op == MapOp::GELU || op == MapOp::GELU_ERF || op == MapOp::LOGARITHM ||
         op == MapOp::RSQRT || op == MapOp::SIGMOID || op == MapOp::SIN || op == MapOp::SWISH ||
         op == MapOp::TANH;
}

/// Vectors of a pack, more of them for functions with few constants and few values at a time, which
/// leave registers for them. Zen 5 takes 7.0 cycles for 16 values of tanh with four, 7.3 with
/// three; 9.9 of gelu with six, 10.5 with four. Vectors of halves are half a cache line, and past
/// the caches a line is stored at once. For 16 halves it takes 5.7 cycles of sigmoid with eight
/// vectors, 6.7 with four; 8.9 of geluErf with four, 11.9 with eight. AVX2 has half as many
/// registers.
template <MapOp OP, class T> constexpr std::size_t packOfThirtyTwoRegisters() {
  switch (OP) {
  case MapOp::GELU:
  case MapOp::SIGMOID:
    return std::is_same_v<T, half> ? 8 : 6;
  case MapOp::EXPONENT:
  case MapOp::SWISH:
    return std::is_same_v<T, half> ? 8 : 3;
  case MapOp::TANH:
    return std::is_same_v<T, half> ? 8 : 4;
  case MapOp::COS:
  case MapOp::SIN:
    return 6;
  case MapOp::ERF:
  case MapOp::RSQRT:
    return std::is_same_v<T, half> ? 4 : 3;
  default:
    return 4;
  }
}
template <MapOp OP, class V, class T>
inline constexpr std::size_t PACKED = V::width == 1             ? 1
                                      : V::width == 16          ? packOfThirtyTwoRegisters<OP, T>()
                                      : std::is_same_v<T, half> ? 2
                                                                : 3;

/// Functions of floats by way of exponentials, which take fewer operations where none overflows or
/// underflows, if vectors do not scale at once.
constexpr bool isOfExponentials(MapOp op) {
  return op == MapOp::EXPONENT || op == MapOp::GELU || op == MapOp::SIGMOID || op == MapOp::SWISH;
}

/// Functions with arguments, rare or never met, that take another way. The loop over packs ends
/// before such arguments, so that what these need does not take registers from all others.
template <MapOp OP, class T, class V>
inline constexpr bool HAS_HARD_ARGUMENTS = OP == MapOp::LOGARITHM ||
                                           (OP == MapOp::RSQRT && !estimatesRoots<T, V>(OP)) ||
                                           (!std::is_same_v<T, half> &&
                                            (OP == MapOp::COS || OP == MapOp::SIN ||
                                             (isOfExponentials(OP) && !math::ScalesAtOnce<V>)));
template <MapOp OP, class T, class V> POP_SIMD_INLINE bool anyHard(V x) {
  if constexpr (!HAS_HARD_ARGUMENTS<OP, T, V>)
    return false;
  else if constexpr (OP == MapOp::COS || OP == MapOp::SIN)
    return math::detail::anyLargeTrig(x);
  else if constexpr (isOfExponentials(OP))
    return math::detail::anyLarger(x, OP == MapOp::GELU ? math::GELU_EASY : math::EXP_EASY);
  else
    return math::detail::anyNotPositiveNormal(x);
}
/// The function of arguments none of which is hard, as loaded from elements of type T.
template <MapOp OP, class T, class V> POP_SIMD_INLINE V easyUnary(V x) {
  constexpr bool OF_HALF = std::is_same_v<T, half>;
  if constexpr (OP == MapOp::COS && !OF_HALF)
    return math::cosOfSmall(x);
  else if constexpr (OP == MapOp::LOGARITHM)
    return OF_HALF ? math::ofHalf::logOfNormal(x) : math::logOfNormal(x);
  else if constexpr (OP == MapOp::RSQRT && HAS_HARD_ARGUMENTS<OP, T, V>)
    return math::rsqrtOfNormal<OF_HALF>(x);
  else if constexpr (OP == MapOp::SIN && !OF_HALF)
    return math::sinOfSmall(x);
  else if constexpr (OF_HALF)
    return halfUnary<OP>(x);
  else if constexpr (OP == MapOp::EXPONENT && HAS_HARD_ARGUMENTS<OP, T, V>)
    return math::expOfEasy(x);
  else if constexpr (OP == MapOp::GELU && HAS_HARD_ARGUMENTS<OP, T, V>)
    return math::timesSigmoidOfEasy(x, math::detail::geluArgument(x));
  else if constexpr (OP == MapOp::SIGMOID && HAS_HARD_ARGUMENTS<OP, T, V>)
    return math::timesSigmoidOfEasy(V::splat(1.f), x);
  else if constexpr (OP == MapOp::SWISH && HAS_HARD_ARGUMENTS<OP, T, V>)
    return math::timesSigmoidOfEasy(x, x);
  else
    return floatUnary<OP>(x);
}

/// Up to `packs` packs P, the first at element k and each `step` elements from the one before,
/// until one has hard arguments; returns how many are left.
template <MapOp OP, class P, class T>
[[gnu::noinline]] std::size_t easyPacks(T *out, const T *a, std::size_t packs, std::size_t k,
                                        std::size_t step, Walk walk) {
  const bool past = walk == Walk::PAST;
  const std::size_t ahead = fetchDistance(walk);
  for (; packs != 0; --packs, k += step) {
    if (walk != Walk::NEAR)
      fetchAhead(a, k, P::width, ahead);
    const P x = P::load(a + k), y = easyUnary<OP, T>(x);
    if (anyHard<OP, T>(x)) [[unlikely]]
      break;
    putLanes(y, out + k, past);
  }
  return packs;
}

/// The operation on all whole packs of vectors V, large ones first; returns the elements of these,
/// 0 for operations that gain nothing.
template <MapOp OP, class V, std::size_t VECTORS, class T, class To>
POP_SIMD_INLINE std::size_t eachPack([[maybe_unused]] To *out, [[maybe_unused]] const T *a,
                                     [[maybe_unused]] std::size_t n, [[maybe_unused]] Walk walk,
                                     [[maybe_unused]] bool backward) {
  if constexpr (VECTORS > 1 && IS_FLOATING<T> &&
                (isChainOfOperations(OP) || estimatesRoots<T, V>(OP))) {
    using P = arch::Pack<V, VECTORS>;
    const std::size_t packs = n / P::width, step = backward ? std::size_t{0} - P::width : P::width;
    const std::size_t first = backward && packs != 0 ? (packs - 1) * P::width : 0;
    std::size_t left = easyPacks<OP, P>(out, a, packs, first, step, walk);
    while (HAS_HARD_ARGUMENTS<OP, T, V> && left != 0) {
      const std::size_t k = first + (packs - left) * step;
      for (std::size_t j = k; j != k + P::width; j += V::width) {
        const V x = V::load(a + j);
        putLanes(std::is_same_v<T, half> ? halfUnary<OP>(x) : floatUnary<OP>(x), out + j,
                 walk == Walk::PAST);
      }
      left = easyPacks<OP, P>(out, a, left - 1, k + step, step, walk);
    }
    const std::size_t done = packs * P::width;
    if constexpr (VECTORS > 5)
      return done + eachPack<OP, V, VECTORS / 2>(out + done, a + done, n - done, walk, backward);
    else
      return done;
  }
  return 0;
}

} // namespace cottonwood::kernels::detail
