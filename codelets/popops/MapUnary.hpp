/// \file MapUnary.hpp
/// Kernels of the one-operand operations of MapProgram.hpp.
#pragma once

#include <codelets/arch/SimdMathHalf.hpp>
#include <codelets/popops/CastKernel.hpp>
#include <codelets/popops/MapProgram.hpp>

#include <utility>

namespace cottonwood::kernels {

/// out[i] = op(a[i], b[i], c[i]) for i < n; arrays of the operation's types, unused ones ignored.
/// `out` may be exactly one of the operands whose elements have the same size. With `past`, which
/// operations that are not storesPast() ignore, results are written past the caches; `out` is then
/// aligned to 64 bytes.
using MapKernel = void (*)(void *out, const void *a, const void *b, const void *c, std::size_t n,
                           bool past);

/// Operations whose kernels can write past the caches.
constexpr bool storesPast(vertices::MapOp op, vertices::MapType type) {
  return (type == vertices::MapType::FLOAT || type == vertices::MapType::HALF) &&
         vertices::arity(op) < 3 && !vertices::givesBool(op) && op != vertices::MapOp::COPY &&
         op != vertices::MapOp::CAST;
}

namespace detail {
using vertices::MapOp;
using vertices::MapType;

/// A whole vector, past the caches if its lanes are floating and it shall be.
template <class V, class T> POP_SIMD_INLINE void putLanes(V v, T *p, bool past) {
  if constexpr (IS_FLOATING<T>)
    past ? v.stream(p) : v.store(p);
  else
    storeLanes(v, p);
}

/// Operations of one or two instructions a vector: the loop around them shows.
constexpr bool isCheap(MapOp op) {
  return op == MapOp::ABSOLUTE || op == MapOp::ADD || op == MapOp::MAXIMUM ||
         op == MapOp::MINIMUM || op == MapOp::MULTIPLY || op == MapOp::NEGATE ||
         op == MapOp::RELU || op == MapOp::SQUARE || op == MapOp::SUBTRACT;
}

/// Those that wait for the divider.
constexpr bool isDivision(MapOp op) {
  return op == MapOp::DIVIDE || op == MapOp::INVERSE || op == MapOp::SQRT;
}

/// Operations on half that half arithmetic computes: their result in float, rounded to half, is
/// what one of its instructions gives, since float has the bits that make the two roundings one.
/// Divisions have that property, too, but half's take almost twice as long as float's.
constexpr bool isOfHalf(MapOp op) {
  return vertices::isSupported(op, MapType::HALF) &&
         (isCheap(op) || op == MapOp::SIGNUM || op == MapOp::RELU_GRADIENT ||
          (vertices::givesBool(op) && vertices::arity(op) == 2));
}

/// Bytes that operands are fetched ahead of their use while results go past the caches. The
/// processor's own prefetching stops at the ends of small pages and beside such stores.
inline constexpr std::size_t FETCH_AHEAD = 2048;

/// The lines that elements [i, i + n) of operands will be in FETCH_AHEAD later; they need not
/// exist.
template <class T> POP_SIMD_INLINE void fetchAhead(const T *p, std::size_t i, std::size_t n) {
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(p + i) + FETCH_AHEAD;
  for (std::size_t line = 0; line < n * sizeof(T); line += 64)
    __builtin_prefetch(reinterpret_cast<const void *>(begin + line));
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
/// these. With `past`, fetch(i, n) is called before elements [i, i + n). `past` is a constant to
/// `put` in the loops of cheap operations, and these go `backward` over the elements if that is
/// set. HALVES: elements are half, a vector of which is half a cache line; past the caches both
/// halves go together, or the line would be written in two pieces.
template <MapOp OP, bool HALVES, int WIDTH, class Fetch, class Value, class Put>
POP_SIMD_INLINE std::size_t eachWholeVector(std::size_t n, bool past, bool backward, Fetch fetch,
                                            Value value, Put put) {
  std::size_t i = 0;
  if constexpr (isCheap(OP)) {
    constexpr std::size_t BLOCK = 4 * WIDTH;
    const std::size_t blocks = n / BLOCK;
    const auto four = [&](auto always, std::size_t k, std::size_t step) POP_SIMD_LAMBDA {
      for (std::size_t left = blocks; left != 0; --left, k += step) {
        if constexpr (always)
          fetch(k, BLOCK);
        const auto a = value(k), b = value(k + WIDTH);
        const auto c = value(k + 2 * WIDTH), d = value(k + 3 * WIDTH);
        put(a, k, always);
        put(b, k + WIDTH, always);
        put(c, k + 2 * WIDTH, always);
        put(d, k + 3 * WIDTH, always);
      }
    };
    if (past)
      four(std::true_type(), 0, BLOCK);
    else
      four(std::false_type(), backward && blocks != 0 ? (blocks - 1) * BLOCK : 0,
           backward ? std::size_t{0} - BLOCK : BLOCK);
    i = blocks * BLOCK;
  } else if constexpr (HALVES && WIDTH > 1) {
    for (; past && i + 2 * WIDTH <= n; i += 2 * WIDTH) {
      fetch(i, 2 * WIDTH);
      const auto first = value(i), second = value(i + WIDTH);
      put(first, i, true);
      put(second, i + WIDTH, true);
    }
  }
  for (; i + WIDTH <= n; i += WIDTH) {
    if (past)
      fetch(i, WIDTH);
    put(value(i), i, past);
  }
  return i;
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

/// The type that kernels hold an element of a MapType in.
template <MapType TYPE>
using MapElement = std::conditional_t<
    TYPE == MapType::FLOAT, float,
    std::conditional_t<TYPE == MapType::HALF, half,
                       std::conditional_t<TYPE == MapType::INT, std::int32_t,
                                          std::conditional_t<TYPE == MapType::UNSIGNED_INT,
                                                             std::uint32_t, bool>>>>;

/// The lanes that arithmetic on the element type happens in.
template <class Tag, class T>
using MapLanes = simd<std::conditional_t<IS_FLOATING<T>, float, T>, Tag>;

/// The same for one operation. Where half has no arithmetic of its own, cheap operations on it are
/// mostly conversions, of which eight lanes at a time take fewer cycles than sixteen; and sixteen
/// lanes wait for the divider twice as long as eight.
template <class Tag, class T, MapOp OP> struct MapLanesOfOp {
  static constexpr bool IN_EIGHT =
      std::is_same_v<T, half> && (isCheap(OP) || isDivision(OP)) && arch::Avx512Tag<Tag>;
  using type = MapLanes<std::conditional_t<IN_EIGHT, isa::avx2, Tag>, T>;
};
template <class Tag, MapOp OP>
requires(Tag::HALF_ARITHMETIC &&isOfHalf(OP)) struct MapLanesOfOp<Tag, half, OP> {
  using type = simd<half, Tag>;
};
template <class Tag, class T, MapOp OP> using MapLanesOf = typename MapLanesOfOp<Tag, T, OP>::type;

/// f of every lane, for integer operations without a vector form.
template <class V, class F> POP_SIMD_INLINE V eachLane(V a, F f) {
  typename V::Element lanes[V::width];
  a.store(lanes);
  for (int i = 0; i < V::width; ++i)
    lanes[i] = f(lanes[i]);
  return V::load(lanes);
}

/// Floor of the root; 0 for negative numbers.
template <class T> POP_SIMD_INLINE T integerRoot(T x) {
  return x > T{0} ? static_cast<T>(__builtin_sqrt(static_cast<double>(x))) : T{0};
}

/// y = 1 / sqrt(x) for positive normal x, 3.5% off: half the exponent, negated.
template <class V> POP_SIMD_INLINE V rsqrtGuess(V x) {
  using I = typename V::Int;
  return V::fromBits(I::splat(0x5f3759df) - x.bits().template shiftRightArithmetic<1>());
}

/// z / sqrt(1 - e) for |e| <= 0.07, relative error 2^-29, or 2^-19.8 with two steps fewer.
template <bool TO_HALF, class V> POP_SIMD_INLINE V timesInverseRoot(V z, V e) {
  static constexpr float SHORT[] = {0x1.000006p-1f, 0x1.811aa6p-2f, 0x1.4067a6p-2f};
  static constexpr float LONG[] = {0x1p-1f, 0x1.7fff6cp-2f, 0x1.400022p-2f, 0x1.19887ep-2f,
                                   0x1.f927aep-3f};
  const V ze = z * e;
  if constexpr (TO_HALF)
    return V::fma(ze, math::polynomial(e, SHORT), z);
  else
    return V::fma(ze, math::polynomial(e, LONG), z);
}

/// 1 / sqrt(x); 1.1 ulp, or a relative error of 2^-19. Root and quotient occupy the divider for
/// longer than these operations take.
template <bool TO_HALF, class V> POP_SIMD_INLINE V rsqrt(V x) {
  const V one = V::splat(1.f), y = rsqrtGuess(x);
  const V root = timesInverseRoot<TO_HALF>(y, V::fnma(x * y, y, one));
  const auto special = math::detail::notPositiveNormal(x);
  return special.any() ? V::select(special, one / V::sqrt(x), root) : root;
}

/// The operation on float lanes; the result is a vector, or a mask where it is BOOL.
template <MapOp OP, class V> POP_SIMD_INLINE auto floatUnary(V x) {
  const V one = V::splat(1.f), zero = V::zero(), inf = V::splat(__builtin_inff());
  if constexpr (OP == MapOp::ABSOLUTE)
    return V::abs(x);
  else if constexpr (OP == MapOp::ASIN)
    return math::asin(x);
  else if constexpr (OP == MapOp::CBRT)
    return math::cbrt(x);
  else if constexpr (OP == MapOp::CEIL)
    return V::ceil(x);
  else if constexpr (OP == MapOp::COS)
    return math::cos(x);
  else if constexpr (OP == MapOp::ERF)
    return math::erf(x);
  else if constexpr (OP == MapOp::EXPONENT)
    return math::exp(x);
  else if constexpr (OP == MapOp::EXPONENT_MINUS_ONE)
    return math::expm1(x);
  else if constexpr (OP == MapOp::EXPONENT2)
    return math::exp2(x);
  else if constexpr (OP == MapOp::FLOOR)
    return V::floor(x);
  else if constexpr (OP == MapOp::GELU_ERF)
    return math::geluErf(x);
  else if constexpr (OP == MapOp::INVERSE)
    return one / x;
  else if constexpr (OP == MapOp::IS_FINITE)
    return V::abs(x) < inf;
  else if constexpr (OP == MapOp::IS_INF)
    return V::abs(x) == inf;
  else if constexpr (OP == MapOp::IS_NAN)
    return x != x;
  else if constexpr (OP == MapOp::LOGARITHM)
    return math::log(x);
  else if constexpr (OP == MapOp::LOGARITHM_ONE_PLUS)
    return math::log1p(x);
  else if constexpr (OP == MapOp::NEGATE)
    return -x;
  else if constexpr (OP == MapOp::NEARBY_INT)
    return V::nearest(x);
  else if constexpr (OP == MapOp::RELU)
    return V::max(x, zero);
  else if constexpr (OP == MapOp::SIGNUM)
    return V::select(x > zero, one, V::select(x < zero, -one, zero));
  else if constexpr (OP == MapOp::SIN)
    return math::sin(x);
  else if constexpr (OP == MapOp::TAN)
    return math::tan(x);
  else if constexpr (OP == MapOp::TANH)
    return math::tanh(x);
  else if constexpr (OP == MapOp::ROUND)
    return math::roundAway(x);
  else if constexpr (OP == MapOp::SQRT)
    return V::sqrt(x);
  else if constexpr (OP == MapOp::SQUARE)
    return x * x;
  else if constexpr (OP == MapOp::SIGMOID)
    return math::sigmoid(x);
  else if constexpr (OP == MapOp::RSQRT)
    return rsqrt<false>(x);
  else if constexpr (OP == MapOp::TRUNC)
    return V::trunc(x);
  else if constexpr (OP == MapOp::GELU)
    return math::gelu(x);
  else if constexpr (OP == MapOp::SWISH)
    return math::swish(x);
  else {
    static_assert(OP == MapOp::HARD_SIGMOID);
    const V line = V::fma(x, V::splat(0.2f), V::splat(0.5f));
    return V::min(one, V::max(zero, line)); // NaN stays
  }
}

/// The same for operands that are halves, with a result that is rounded to half.
template <MapOp OP, class V> POP_SIMD_INLINE auto halfUnary(V x) {
  namespace ofHalf = math::ofHalf;
  if constexpr (OP == MapOp::COS)
    return ofHalf::cos(x);
  else if constexpr (OP == MapOp::ERF)
    return ofHalf::erf(x);
  else if constexpr (OP == MapOp::EXPONENT)
    return ofHalf::exp(x);
  else if constexpr (OP == MapOp::LOGARITHM)
    return ofHalf::log(x);
  else if constexpr (OP == MapOp::SIN)
    return ofHalf::sin(x);
  else if constexpr (OP == MapOp::TANH)
    return ofHalf::tanh(x);
  else if constexpr (OP == MapOp::SIGMOID)
    return ofHalf::sigmoid(x);
  else if constexpr (OP == MapOp::RSQRT)
    return rsqrt<true>(x);
  else if constexpr (OP == MapOp::GELU)
    return ofHalf::gelu(x);
  else if constexpr (OP == MapOp::GELU_ERF)
    return ofHalf::geluErf(x);
  else if constexpr (OP == MapOp::SWISH)
    return ofHalf::swish(x);
  else
    return floatUnary<OP>(x);
}

/// The operation on integer lanes.
template <MapOp OP, class I> POP_SIMD_INLINE I integerUnary(I x) {
  using T = typename I::Element;
  if constexpr (OP == MapOp::ABSOLUTE)
    return std::is_signed_v<T> ? I::select(x < I::zero(), -x, x) : x;
  else if constexpr (OP == MapOp::BITWISE_NOT)
    return ~x;
  else if constexpr (OP == MapOp::COUNT_LEADING_ZEROS)
    return I::countLeadingZeros(x);
  else if constexpr (OP == MapOp::NEGATE)
    return -x;
  else if constexpr (OP == MapOp::POPCOUNT)
    return I::populationCount(x);
  else if constexpr (OP == MapOp::SIGNUM)
    return I::select(x > I::zero(), I::splat(1),
                     I::select(x < I::zero(), I::splat(static_cast<T>(-1)), I::zero()));
  else if constexpr (OP == MapOp::SQRT)
    return eachLane(x, [](T a) { return integerRoot(a); });
  else {
    static_assert(OP == MapOp::SQUARE);
    return x * x;
  }
}

template <class Tag, class T, MapOp OP>
void unaryKernel(void *out, const void *in, const void *, const void *, std::size_t n, bool past) {
  using V = MapLanesOf<Tag, T, OP>;
  using To = std::conditional_t<vertices::givesBool(OP), bool, T>;
  const auto apply = [](V x) {
    if constexpr (std::is_same_v<T, half>)
      return halfUnary<OP>(x);
    else if constexpr (IS_FLOATING<T>)
      return floatUnary<OP>(x);
    else
      return integerUnary<OP>(x);
  };
  const T *a = static_cast<const T *>(in);
  To *result = static_cast<To *>(out);
  if (const std::size_t head = elementsToLine<OP, V>(result, n)) {
    storeLanes(apply(V::loadPartial(a, head)), result, head);
    a += head, result += head, n -= head;
  }
  const bool backward = meetsStores(result, a, false) && !meetsStores(result, a, true);
  const std::size_t i = eachWholeVector<OP, std::is_same_v<To, half>, V::width>(
      n, past, backward,
      [&](std::size_t k, std::size_t count) POP_SIMD_LAMBDA { fetchAhead(a, k, count); },
      [&](std::size_t k) POP_SIMD_LAMBDA { return apply(V::load(a + k)); },
      [&](auto v, std::size_t k, bool by) POP_SIMD_LAMBDA { putLanes(v, result + k, by); });
  if (i < n)
    storeLanes(apply(V::loadPartial(a + i, n - i)), result + i, n - i);
}

template <class Tag>
void logicalNotKernel(void *out, const void *in, const void *, const void *, std::size_t n, bool) {
  using B = simd<std::uint8_t, Tag>;
  const B one = B::splat(1);
  const auto *a = static_cast<const unsigned char *>(in);
  auto *result = static_cast<unsigned char *>(out);
  std::size_t i = 0;
  for (; i + B::width <= n; i += B::width)
    (B::load(a + i) ^ one).store(result + i);
  if (i < n)
    (B::loadPartial(a + i, n - i) ^ one).storePartial(result + i, n - i);
}

/// SIZE bytes an element; moves bits, NaN payloads included.
template <class Tag, std::size_t SIZE>
void copyKernel(void *out, const void *in, const void *, const void *, std::size_t n, bool) {
  if (out != in)
    __builtin_memcpy(out, in, n * SIZE);
}

template <class Tag, class From, class To>
void castKernel(void *out, const void *in, const void *, const void *, std::size_t n, bool) {
  cast<Tag>(static_cast<const From *>(in), static_cast<To *>(out), n);
}

template <class Tag, MapType TYPE, MapOp OP> constexpr MapKernel unaryEntry() {
  using T = MapElement<TYPE>;
  if constexpr (!vertices::isSupported(OP, TYPE) || OP == MapOp::CAST)
    return nullptr;
  else if constexpr (OP == MapOp::COPY)
    return &copyKernel<Tag, sizeof(T)>;
  else if constexpr (OP == MapOp::LOGICAL_NOT)
    return &logicalNotKernel<Tag>;
  else
    return &unaryKernel<Tag, T, OP>;
}

/// kernels[type][op]
inline constexpr unsigned NUM_UNARY = static_cast<unsigned>(vertices::FIRST_BINARY_MAP_OP);
template <class Tag> struct UnaryTable { MapKernel kernels[vertices::NUM_MAP_TYPES][NUM_UNARY]; };

template <class Tag, MapType TYPE, std::size_t... OPS>
constexpr void fillUnaryRow(UnaryTable<Tag> &table, std::index_sequence<OPS...>) {
  ((table.kernels[static_cast<int>(TYPE)][OPS] = unaryEntry<Tag, TYPE, static_cast<MapOp>(OPS)>()),
   ...);
}
template <class Tag> constexpr UnaryTable<Tag> makeUnaryTable() {
  UnaryTable<Tag> table{};
  constexpr auto ops = std::make_index_sequence<NUM_UNARY>();
  fillUnaryRow<Tag, MapType::FLOAT>(table, ops);
  fillUnaryRow<Tag, MapType::HALF>(table, ops);
  fillUnaryRow<Tag, MapType::INT>(table, ops);
  fillUnaryRow<Tag, MapType::UNSIGNED_INT>(table, ops);
  fillUnaryRow<Tag, MapType::BOOL>(table, ops);
  return table;
}

template <class Tag, MapType FROM> constexpr MapKernel castEntry(MapType to) {
  using T = MapElement<FROM>;
  switch (to) {
  case MapType::FLOAT:
    return &castKernel<Tag, T, float>;
  case MapType::HALF:
    return &castKernel<Tag, T, half>;
  case MapType::INT:
    return &castKernel<Tag, T, std::int32_t>;
  case MapType::UNSIGNED_INT:
    return &castKernel<Tag, T, std::uint32_t>;
  case MapType::BOOL:
    return &castKernel<Tag, T, bool>;
  }
  return nullptr;
}
} // namespace detail

/// The kernel of a one-operand operation other than CAST; null if there is none for the type.
template <class Tag> MapKernel unaryMapKernel(vertices::MapOp op, vertices::MapType type) {
  static constexpr detail::UnaryTable<Tag> table = detail::makeUnaryTable<Tag>();
  return table.kernels[static_cast<unsigned>(type)][static_cast<unsigned>(op)];
}

/// The kernel that converts elements.
template <class Tag> MapKernel castMapKernel(vertices::MapType from, vertices::MapType to) {
  using vertices::MapType;
  switch (from) {
  case MapType::FLOAT:
    return detail::castEntry<Tag, MapType::FLOAT>(to);
  case MapType::HALF:
    return detail::castEntry<Tag, MapType::HALF>(to);
  case MapType::INT:
    return detail::castEntry<Tag, MapType::INT>(to);
  case MapType::UNSIGNED_INT:
    return detail::castEntry<Tag, MapType::UNSIGNED_INT>(to);
  case MapType::BOOL:
    return detail::castEntry<Tag, MapType::BOOL>(to);
  }
  return nullptr;
}

} // namespace cottonwood::kernels
