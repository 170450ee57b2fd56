/// \file MapUnary.hpp
/// Kernels of the one-operand operations of MapProgram.hpp.
#pragma once

#include <codelets/popops/MapPacks.hpp>

#include <utility>

namespace cottonwood::kernels {

/// out[i] = op(a[i], b[i], c[i]) for i < n; arrays of the operation's types, unused ones ignored.
/// `out` may be exactly one of the operands whose elements have the same size. Operations that are
/// not storesPast() ignore the walk; of others `out` is aligned to 64 bytes for Walk::PAST.
using MapKernel = void (*)(void *out, const void *a, const void *b, const void *c, std::size_t n,
                           Walk walk);

/// Operations whose kernels can write past the caches.
constexpr bool storesPast(vertices::MapOp op, vertices::MapType type) {
  return type != vertices::MapType::BOOL && !vertices::givesBool(op) &&
         op != vertices::MapOp::COPY && op != vertices::MapOp::CAST;
}

namespace detail {
using vertices::MapOp;
using vertices::MapType;

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

/// The same for one operation.
template <class Tag, class T, MapOp OP> struct MapLanesOfOp { using type = MapLanes<Tag, T>; };
template <class Tag, MapOp OP>
requires(Tag::HALF_ARITHMETIC &&isOfHalf(OP)) struct MapLanesOfOp<Tag, half, OP> {
  using type = simd<half, Tag>;
};
template <class Tag, MapOp OP>
requires(!Tag::HALF_ARITHMETIC && arch::HasHalfBits<Tag> &&
         isOfHalfBits(OP)) struct MapLanesOfOp<Tag, half, OP> {
  using type = arch::HalfBits<Tag>;
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

/// The operation on lanes that were loaded from elements of type T.
template <MapOp OP, class T, class V> POP_SIMD_INLINE auto unaryOf(V x) {
  if constexpr (IS_HALF_BITS<V>)
    return bitsUnary<OP>(x);
  else if constexpr (std::is_same_v<T, half>)
    return halfUnary<OP>(x);
  else if constexpr (IS_FLOATING<T>)
    return floatUnary<OP>(x);
  else
    return integerUnary<OP>(x);
}

template <class Tag, class T, MapOp OP>
void unaryKernel(void *out, const void *in, const void *, const void *, std::size_t n, Walk walk) {
  using V = MapLanesOf<Tag, T, OP>;
  using To = std::conditional_t<vertices::givesBool(OP), bool, T>;
  const auto apply = [](V x) POP_SIMD_LAMBDA { return unaryOf<OP, T>(x); };
  const T *a = static_cast<const T *>(in);
  To *result = static_cast<To *>(out);
  if constexpr (V::width > 1)
    if (const std::size_t head = elementsToLine<OP, V>(result, n)) {
      storeLanes(apply(V::loadPartial(a, head)), result, head);
      a += head, result += head, n -= head;
    }
  const bool backward = meetsStores(result, a, false) && !meetsStores(result, a, true);
  walk = backward && walk == Walk::FAR ? Walk::NEAR : walk;
  const std::size_t packed = eachPack<OP, V, PACKED<OP, V, T>>(result, a, n, walk, backward);
  a += packed, result += packed, n -= packed;
  const std::size_t i = eachWholeVector<OP, std::is_same_v<To, half>, V::width>(
      n, walk, backward,
      [&](std::size_t k, std::size_t count, std::size_t ahead)
          POP_SIMD_LAMBDA { fetchAhead(a, k, count, ahead); },
      [&](std::size_t k) POP_SIMD_LAMBDA { return apply(V::load(a + k)); },
      [&](auto v, std::size_t k, bool by) POP_SIMD_LAMBDA { putLanes(v, result + k, by); });
  if (V::width > 1 && i < n)
    storeLanes(apply(V::loadPartial(a + i, n - i)), result + i, n - i);
}

template <class Tag>
void logicalNotKernel(void *out, const void *in, const void *, const void *, std::size_t n, Walk) {
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
void copyKernel(void *out, const void *in, const void *, const void *, std::size_t n, Walk) {
  if (out != in)
    __builtin_memcpy(out, in, n * SIZE);
}

template <class Tag, class From, class To>
void castKernel(void *out, const void *in, const void *, const void *, std::size_t n, Walk) {
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
