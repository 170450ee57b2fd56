/// \file MapBinary.hpp
/// Kernels of the operations of MapProgram.hpp with two and three operands.
///
/// MAXIMUM and MINIMUM ignore a NaN beside a number (C's fmax, fmin). Integer division by zero
/// gives 0, its remainder the dividend. Shift counts of 32 and above shift everything out.
#pragma once

#include <codelets/arch/SimdAddConverted.hpp>
#include <codelets/arch/SimdDivide.hpp>
#include <codelets/popops/MapUnary.hpp>

namespace cottonwood::kernels {

namespace detail {
template <class V, class F> POP_SIMD_INLINE V eachLane(V a, V b, F f) {
  typename V::Element x[V::width], y[V::width];
  a.store(x);
  b.store(y);
  for (int i = 0; i < V::width; ++i)
    x[i] = f(x[i], y[i]);
  return V::load(x);
}

/// Truncates; x / 0 is 0 and INT32_MIN / -1 wraps.
template <class I> POP_SIMD_INLINE I divideInteger(I x, I y) {
  const auto isZero = y == I::zero();
  return I::select(isZero, I::zero(), arch::quotient(x, I::select(isZero, I::splat(1), y)));
}

/// By squaring, wrapping; a negative exponent gives 0, exponent 0 gives 1.
template <class T> POP_SIMD_INLINE T powInteger(T x, T y) {
  if constexpr (std::is_signed_v<T>)
    if (y < T{0})
      return T{0};
  std::uint32_t result = 1, base = static_cast<std::uint32_t>(x);
  for (std::uint32_t e = static_cast<std::uint32_t>(y); e; e >>= 1) {
    if (e & 1u)
      result *= base;
    base *= base;
  }
  return static_cast<T>(result);
}

/// Comparisons, the same for all lane types.
template <MapOp OP, class V> POP_SIMD_INLINE auto compareLanes(V a, V b) {
  if constexpr (OP == MapOp::EQUAL)
    return a == b;
  else if constexpr (OP == MapOp::NOT_EQUAL)
    return a != b;
  else if constexpr (OP == MapOp::GREATER_THAN_EQUAL)
    return a >= b;
  else if constexpr (OP == MapOp::GREATER_THAN)
    return a > b;
  else if constexpr (OP == MapOp::LESS_THAN_EQUAL)
    return a <= b;
  else
    return a < b;
}

template <MapOp OP, class V> POP_SIMD_INLINE V floatBinary(V a, V b) {
  const V one = V::splat(1.f), zero = V::zero();
  if constexpr (OP == MapOp::ADD)
    return a + b;
  else if constexpr (OP == MapOp::ATAN2)
    return math::atan2(a, b);
  else if constexpr (OP == MapOp::DIVIDE)
    return a / b;
  else if constexpr (OP == MapOp::INV_STD_DEV_TO_VARIANCE)
    return one / (a * a) - b;
  else if constexpr (OP == MapOp::MAXIMUM)
    return V::select(b == b, V::max(a, b), a);
  else if constexpr (OP == MapOp::MINIMUM)
    return V::select(b == b, V::min(a, b), a);
  else if constexpr (OP == MapOp::MULTIPLY)
    return a * b;
  else if constexpr (OP == MapOp::POWER)
    return math::pow(a, b);
  else if constexpr (OP == MapOp::REMAINDER)
    return math::remainder(a, b);
  else if constexpr (OP == MapOp::SUBTRACT)
    return a - b;
  else if constexpr (OP == MapOp::VARIANCE_TO_INV_STD_DEV)
    return one / V::sqrt(a + b);
  else if constexpr (OP == MapOp::RELU_GRADIENT)
    return V::select(a > zero, b, zero);
  else if constexpr (OP == MapOp::SIGMOID_GRADIENT)
    return b * a * (one - a);
  else if constexpr (OP == MapOp::TANH_GRADIENT)
    return b * V::fnma(a, a, one);
  else if constexpr (OP == MapOp::GELU_GRADIENT)
    return b * math::geluDerivative(a);
  else if constexpr (OP == MapOp::GELU_ERF_GRADIENT)
    return b * math::geluErfDerivative(a);
  else if constexpr (OP == MapOp::SWISH_GRADIENT)
    return b * math::swishDerivative(a);
  else {
    static_assert(OP == MapOp::HARD_SIGMOID_GRADIENT);
    return V::select(V::abs(a) <= V::splat(2.5f), b * V::splat(0.2f), zero);
  }
}

/// The same for operands that are halves, with a result that is rounded to half.
template <MapOp OP, class V> POP_SIMD_INLINE V halfBinary(V a, V b) {
  if constexpr (OP == MapOp::ADD)
    return arch::addConverted(a, b);
  else if constexpr (OP == MapOp::SUBTRACT)
    return arch::subtractConverted(a, b);
  else if constexpr (OP == MapOp::POWER)
    return math::ofHalf::pow(a, b);
  else
    return floatBinary<OP>(a, b);
}

/// The same on the bits of halves.
template <MapOp OP, class V> POP_SIMD_INLINE V bitsBinary(V a, V b) {
  if constexpr (OP == MapOp::MAXIMUM)
    return V::maximum(a, b);
  else if constexpr (OP == MapOp::MINIMUM)
    return V::minimum(a, b);
  else {
    static_assert(OP == MapOp::RELU_GRADIENT);
    return V::reluGradient(a, b);
  }
}

template <MapOp OP, class I> POP_SIMD_INLINE I integerBinary(I a, I b) {
  using T = typename I::Element;
  if constexpr (OP == MapOp::ADD)
    return a + b;
  else if constexpr (OP == MapOp::BITWISE_AND)
    return a & b;
  else if constexpr (OP == MapOp::BITWISE_OR)
    return a | b;
  else if constexpr (OP == MapOp::BITWISE_XOR)
    return a ^ b;
  else if constexpr (OP == MapOp::BITWISE_XNOR)
    return ~(a ^ b);
  else if constexpr (OP == MapOp::DIVIDE)
    return divideInteger(a, b);
  else if constexpr (OP == MapOp::MAXIMUM)
    return I::max(a, b);
  else if constexpr (OP == MapOp::MINIMUM)
    return I::min(a, b);
  else if constexpr (OP == MapOp::MULTIPLY)
    return a * b;
  else if constexpr (OP == MapOp::POWER)
    return eachLane(a, b, [](T x, T y) { return powInteger(x, y); });
  else if constexpr (OP == MapOp::REMAINDER)
    return a - divideInteger(a, b) * b;
  else if constexpr (OP == MapOp::SHIFT_LEFT)
    return I::shiftLeft(a, b);
  else if constexpr (OP == MapOp::SHIFT_RIGHT)
    return I::shiftRight(a, b);
  else if constexpr (OP == MapOp::SHIFT_RIGHT_SIGN_EXTEND)
    return I::shiftRightArithmetic(a, b);
  else {
    static_assert(OP == MapOp::SUBTRACT);
    return a - b;
  }
}

/// Vectors of a pack of powers.
template <class V, class T>
inline constexpr std::size_t PACKED_POWERS = V::width == 16 && std::is_same_v<T, half> ? 4 : 2;

/// Powers of up to `packs` packs P, as easyPacks.
template <class P, class T>
[[gnu::noinline]] std::size_t easyPowers(T *out, const T *a, const T *b, std::size_t packs,
                                         std::size_t k, std::size_t step, Walk walk) {
  const bool past = walk == Walk::PAST;
  for (; packs != 0; --packs, k += step) {
    if (walk == Walk::FAR) {
      fetchAhead(a, k, P::width, fetchDistance(walk));
      fetchAhead(b, k, P::width, fetchDistance(walk));
    }
    const P x = P::load(a + k), y = P::load(b + k);
    if (math::detail::anyHardPow(x, y)) [[unlikely]]
      break;
    if constexpr (std::is_same_v<T, half>)
      putLanes(math::ofHalf::powOfEasy(x, y), out + k, past);
    else
      putLanes(math::powOfEasy(x, y), out + k, past);
  }
  return packs;
}

/// Powers of all whole packs of vectors V; returns the elements of these.
template <class V, class T>
POP_SIMD_INLINE std::size_t eachPackOfPowers(T *out, const T *a, const T *b, std::size_t n,
                                             Walk walk, bool backward) {
  using P = arch::Pack<V, PACKED_POWERS<V, T>>;
  const std::size_t packs = n / P::width, step = backward ? std::size_t{0} - P::width : P::width;
  const std::size_t first = backward && packs != 0 ? (packs - 1) * P::width : 0;
  std::size_t left = easyPowers<P>(out, a, b, packs, first, step, walk);
  while (left != 0) {
    const std::size_t k = first + (packs - left) * step;
    for (std::size_t j = k; j != k + P::width; j += V::width) {
      const V x = V::load(a + j), y = V::load(b + j);
      putLanes(std::is_same_v<T, half> ? math::ofHalf::pow(x, y) : math::pow(x, y), out + j,
               walk == Walk::PAST);
    }
    left = easyPowers<P>(out, a, b, left - 1, k + step, step, walk);
  }
  return packs * P::width;
}

template <class Tag, class T, MapOp OP>
void binaryKernel(void *out, const void *in0, const void *in1, const void *, std::size_t n,
                  Walk walk) {
  using V = MapLanesOf<Tag, T, OP>;
  using To = std::conditional_t<vertices::givesBool(OP), bool, T>;
  const auto apply = [](V x, V y) {
    if constexpr (vertices::givesBool(OP))
      return compareLanes<OP>(x, y);
    else if constexpr (IS_HALF_BITS<V>)
      return bitsBinary<OP>(x, y);
    else if constexpr (std::is_same_v<T, half> && !std::is_same_v<typename V::Element, half>)
      return halfBinary<OP>(x, y);
    else if constexpr (IS_FLOATING<T>)
      return floatBinary<OP>(x, y);
    else
      return integerBinary<OP>(x, y);
  };
  const T *a = static_cast<const T *>(in0), *b = static_cast<const T *>(in1);
  To *result = static_cast<To *>(out);
  if constexpr (V::width > 1)
    if (const std::size_t head = elementsToLine<OP, V>(result, n)) {
      storeLanes(apply(V::loadPartial(a, head), V::loadPartial(b, head)), result, head);
      a += head, b += head, result += head, n -= head;
    }
  const auto meets = [&](bool runsBackward) POP_SIMD_LAMBDA {
    return meetsStores(result, a, runsBackward) || meetsStores(result, b, runsBackward);
  };
  const bool backward = meets(false) && !meets(true);
  walk = backward && walk == Walk::FAR ? Walk::NEAR : walk;
  if constexpr (OP == MapOp::POWER && IS_FLOATING<T> && V::width > 1) {
    const std::size_t packed = eachPackOfPowers<V>(result, a, b, n, walk, backward);
    a += packed, b += packed, result += packed, n -= packed;
  }
  const std::size_t i = eachWholeVector<OP, std::is_same_v<To, half>, V::width>(
      n, walk, backward,
      [&](std::size_t k, std::size_t count, std::size_t ahead) POP_SIMD_LAMBDA {
        // Two arrays of floats keep the processor's own prefetching busy; beside stores past the
        // caches halves do, too.
        if ((isCheap(OP) && !std::is_same_v<T, half>) || walk != Walk::FAR)
          return;
        fetchAhead(a, k, count, ahead);
        fetchAhead(b, k, count, ahead);
      },
      [&](std::size_t k) POP_SIMD_LAMBDA { return apply(V::load(a + k), V::load(b + k)); },
      [&](auto v, std::size_t k, bool by) POP_SIMD_LAMBDA { putLanes(v, result + k, by); });
  if (V::width > 1 && i < n)
    storeLanes(apply(V::loadPartial(a + i, n - i), V::loadPartial(b + i, n - i)), result + i,
               n - i);
}

/// BOOL operands are bytes 0 and 1; a < b is the order of those.
template <MapOp OP, class B> POP_SIMD_INLINE B boolBinary(B a, B b) {
  const B one = B::splat(1);
  if constexpr (OP == MapOp::LOGICAL_AND)
    return a & b;
  else if constexpr (OP == MapOp::LOGICAL_OR)
    return a | b;
  else if constexpr (OP == MapOp::EQUAL)
    return a ^ b ^ one;
  else if constexpr (OP == MapOp::NOT_EQUAL)
    return a ^ b;
  else if constexpr (OP == MapOp::GREATER_THAN)
    return a & (b ^ one);
  else if constexpr (OP == MapOp::LESS_THAN)
    return (a ^ one) & b;
  else if constexpr (OP == MapOp::GREATER_THAN_EQUAL)
    return a | (b ^ one);
  else {
    static_assert(OP == MapOp::LESS_THAN_EQUAL);
    return (a ^ one) | b;
  }
}

template <class Tag, MapOp OP>
void boolBinaryKernel(void *out, const void *in0, const void *in1, const void *, std::size_t n,
                      Walk) {
  using B = simd<std::uint8_t, Tag>;
  const auto *a = static_cast<const unsigned char *>(in0);
  const auto *b = static_cast<const unsigned char *>(in1);
  auto *result = static_cast<unsigned char *>(out);
  std::size_t i = 0;
  for (; i + B::width <= n; i += B::width)
    boolBinary<OP>(B::load(a + i), B::load(b + i)).store(result + i);
  if (i < n)
    boolBinary<OP>(B::loadPartial(a + i, n - i), B::loadPartial(b + i, n - i))
        .storePartial(result + i, n - i);
}

template <class Tag, class T>
void clampKernel(void *out, const void *in0, const void *in1, const void *in2, std::size_t n,
                 Walk walk) {
  using V = MapLanesOf<Tag, T, MapOp::CLAMP>;
  const auto apply = [](V x, V low, V high) {
    return V::select(x < low, low, V::select(x > high, high, x));
  };
  const T *a = static_cast<const T *>(in0), *b = static_cast<const T *>(in1);
  const T *c = static_cast<const T *>(in2);
  T *result = static_cast<T *>(out);
  const std::size_t i = eachWholeVector<MapOp::CLAMP, std::is_same_v<T, half>, V::width>(
      n, walk, false, [](std::size_t, std::size_t, std::size_t) {},
      [&](std::size_t k)
          POP_SIMD_LAMBDA { return apply(V::load(a + k), V::load(b + k), V::load(c + k)); },
      [&](auto v, std::size_t k, bool by) POP_SIMD_LAMBDA { putLanes(v, result + k, by); });
  if (const std::size_t m = n - i)
    apply(V::loadPartial(a + i, m), V::loadPartial(b + i, m), V::loadPartial(c + i, m))
        .storePartial(result + i, m);
}

template <class Tag, class T>
void selectKernel(void *out, const void *in0, const void *in1, const void *in2, std::size_t n,
                  Walk walk) {
  using V = MapLanesOf<Tag, T, MapOp::SELECT>;
  using M = typename V::Mask;
  const T *a = static_cast<const T *>(in0), *b = static_cast<const T *>(in1);
  const auto *c = static_cast<const unsigned char *>(in2);
  T *result = static_cast<T *>(out);
  const std::size_t i = eachWholeVector<MapOp::SELECT, std::is_same_v<T, half>, V::width>(
      n, walk, false,
      [&](std::size_t k, std::size_t count, std::size_t ahead) POP_SIMD_LAMBDA {
        fetchAhead(a, k, count, ahead);
        fetchAhead(b, k, count, ahead);
        fetchAhead(c, k, count, ahead);
      },
      [&](std::size_t k)
          POP_SIMD_LAMBDA { return V::select(M::loadBool(c + k), V::load(a + k), V::load(b + k)); },
      [&](auto v, std::size_t k, bool by) POP_SIMD_LAMBDA { putLanes(v, result + k, by); });
  if (const std::size_t m = n - i)
    V::select(M::loadBoolPartial(c + i, m), V::loadPartial(a + i, m), V::loadPartial(b + i, m))
        .storePartial(result + i, m);
}

template <class Tag>
void selectBoolKernel(void *out, const void *in0, const void *in1, const void *in2, std::size_t n,
                      Walk) {
  using B = simd<std::uint8_t, Tag>;
  const B one = B::splat(1);
  const auto apply = [&](B a, B b, B c) { return (a & c) | (b & (c ^ one)); };
  const auto *a = static_cast<const unsigned char *>(in0);
  const auto *b = static_cast<const unsigned char *>(in1);
  const auto *c = static_cast<const unsigned char *>(in2);
  auto *result = static_cast<unsigned char *>(out);
  std::size_t i = 0;
  for (; i + B::width <= n; i += B::width)
    apply(B::load(a + i), B::load(b + i), B::load(c + i)).store(result + i);
  if (const std::size_t m = n - i)
    apply(B::loadPartial(a + i, m), B::loadPartial(b + i, m), B::loadPartial(c + i, m))
        .storePartial(result + i, m);
}

template <class Tag, MapType TYPE, MapOp OP> constexpr MapKernel multiEntry() {
  using T = MapElement<TYPE>;
  if constexpr (!vertices::isSupported(OP, TYPE))
    return nullptr;
  else if constexpr (OP == MapOp::SELECT && TYPE == MapType::BOOL)
    return &selectBoolKernel<Tag>;
  else if constexpr (OP == MapOp::SELECT)
    return &selectKernel<Tag, T>;
  else if constexpr (OP == MapOp::CLAMP)
    return &clampKernel<Tag, T>;
  else if constexpr (TYPE == MapType::BOOL)
    return &boolBinaryKernel<Tag, OP>;
  else
    return &binaryKernel<Tag, T, OP>;
}

/// kernels[type][op - NUM_UNARY]
inline constexpr unsigned NUM_MULTI = vertices::NUM_MAP_OPS - NUM_UNARY;
template <class Tag> struct MultiTable { MapKernel kernels[vertices::NUM_MAP_TYPES][NUM_MULTI]; };
template <class Tag, MapType TYPE, std::size_t... OPS>
constexpr void fillMultiRow(MultiTable<Tag> &table, std::index_sequence<OPS...>) {
  ((table.kernels[static_cast<int>(TYPE)][OPS] =
        multiEntry<Tag, TYPE, static_cast<MapOp>(NUM_UNARY + OPS)>()),
   ...);
}
template <class Tag> constexpr MultiTable<Tag> makeMultiTable() {
  MultiTable<Tag> table{};
  constexpr auto ops = std::make_index_sequence<NUM_MULTI>();
  fillMultiRow<Tag, MapType::FLOAT>(table, ops);
  fillMultiRow<Tag, MapType::HALF>(table, ops);
  fillMultiRow<Tag, MapType::INT>(table, ops);
  fillMultiRow<Tag, MapType::UNSIGNED_INT>(table, ops);
  fillMultiRow<Tag, MapType::BOOL>(table, ops);
  return table;
}
} // namespace detail

/// The kernel of an operation with two or three operands; null if there is none for the type.
template <class Tag> MapKernel multiMapKernel(vertices::MapOp op, vertices::MapType type) {
  static constexpr detail::MultiTable<Tag> table = detail::makeMultiTable<Tag>();
  return table.kernels[static_cast<unsigned>(type)][static_cast<unsigned>(op) - detail::NUM_UNARY];
}

} // namespace cottonwood::kernels
