/// \file MapWide.hpp
/// One elementwise operation on integers that fused programs (Map.hpp) do not know: of 16 and of
/// 64 bits.
///
/// Vertices (MultiVertex; T is long long, unsigned long long, short or unsigned short)
///   popops::MapWide<T>      out[i] = op(a[i], b[i]); unary operations read a alone
///   popops::CompareWide<T>  out[i] = a[i] op b[i], bool
///   popops::SelectWide<T>   out[i] = condition[i] ? a[i] : b[i]
/// Fields
///   a, b       Input<Vector<T, ONE_PTR>>     out.size() elements, or one that `single` names
///   condition  Input<Vector<bool, ONE_PTR>>  the same
///   out        Output<Vector<T or bool, SPAN>>, which may be the memory of an operand of all
///              elements
///   op         a MapOp that isWideOp() allows
///   single     bits 0, 1 and 2: a, b and condition are one element each
///
/// Values wrap. Division by 0 gives 0, its remainder the dividend. SHIFT_RIGHT shifts the lower 32
/// bits of a, as it does for narrower types; shifts count modulo the width.
#pragma once

#include <codelets/arch/EntryTable.hpp>
#include <codelets/arch/Shell.hpp>
#include <codelets/popops/MapWideCost.hpp>

#include <cstdint>
#include <type_traits>

namespace cottonwood::vertices {

inline constexpr std::size_t WIDE_GRAIN = 64;

namespace detail {

/// Calls f(g) with g(a, b) for the operation.
template <class T, class F> POP_SIMD_INLINE void withWideOp(MapOp op, F f) {
  using U = std::make_unsigned_t<T>;
  constexpr unsigned MASK = sizeof(T) * 8 - 1;
  const auto wrap = [](auto x) { return static_cast<T>(x); };
  const auto u = [](T x) { return static_cast<U>(x); };
  switch (op) {
  case MapOp::ABSOLUTE:
    return f([=](T a, T) { return a < 0 ? wrap(U{0} - u(a)) : a; });
  case MapOp::NEGATE:
    return f([=](T a, T) { return wrap(U{0} - u(a)); });
  case MapOp::BITWISE_NOT:
    return f([=](T a, T) { return wrap(~u(a)); });
  case MapOp::BITWISE_AND:
    return f([=](T a, T b) { return wrap(u(a) & u(b)); });
  case MapOp::BITWISE_OR:
    return f([=](T a, T b) { return wrap(u(a) | u(b)); });
  case MapOp::BITWISE_XOR:
    return f([=](T a, T b) { return wrap(u(a) ^ u(b)); });
  case MapOp::BITWISE_XNOR:
    return f([=](T a, T b) { return wrap(~(u(a) ^ u(b))); });
  case MapOp::ADD:
    return f([=](T a, T b) { return wrap(u(a) + u(b)); });
  case MapOp::SUBTRACT:
    return f([=](T a, T b) { return wrap(u(a) - u(b)); });
  case MapOp::MULTIPLY:
    return f([=](T a, T b) { return wrap(std::uint64_t{u(a)} * u(b)); });
  case MapOp::DIVIDE: // the most negative number has no quotient by -1
    return f([=](T a, T b) {
      return b == 0 ? T{0} : std::is_signed_v<T> && b == wrap(-1) ? wrap(U{0} - u(a)) : wrap(a / b);
    });
  case MapOp::REMAINDER:
    return f([=](T a, T b) {
      return b == 0 ? a : std::is_signed_v<T> && b == wrap(-1) ? T{0} : wrap(a % b);
    });
  case MapOp::MAXIMUM:
    return f([=](T a, T b) { return a < b ? b : a; });
  case MapOp::MINIMUM:
    return f([=](T a, T b) { return a < b ? a : b; });
  case MapOp::SHIFT_LEFT:
    return f([=](T a, T b) { return wrap(u(a) << (u(b) & MASK)); });
  case MapOp::SHIFT_RIGHT:
    return f([=](T a, T b) { return wrap(static_cast<std::uint32_t>(a) >> (u(b) & 31)); });
  case MapOp::SHIFT_RIGHT_SIGN_EXTEND:
    return f(
        [=](T a, T b) { return wrap(static_cast<std::make_signed_t<T>>(a) >> (u(b) & MASK)); });
  case MapOp::EQUAL:
    return f([=](T a, T b) { return a == b; });
  case MapOp::NOT_EQUAL:
    return f([=](T a, T b) { return a != b; });
  case MapOp::GREATER_THAN_EQUAL:
    return f([=](T a, T b) { return a >= b; });
  case MapOp::GREATER_THAN:
    return f([=](T a, T b) { return a > b; });
  case MapOp::LESS_THAN_EQUAL:
    return f([=](T a, T b) { return a <= b; });
  case MapOp::LESS_THAN:
    return f([=](T a, T b) { return a < b; });
  default:
    return;
  }
}

/// out[i] = op(a[i], b[i]) for a range; one element each of what `single` names.
template <class T, class Out>
POP_SIMD_INLINE void mapWide(MapOp op, const T *a, const T *b, Out *out, unsigned single,
                             WorkerShare share) {
  withWideOp<T>(op, [&](auto g) {
    const T a0 = *a, b0 = *b;
    if ((single & 1) != 0 && (single & 2) != 0)
      for (std::size_t i = share.begin; i < share.end; ++i)
        out[i] = static_cast<Out>(g(a0, b0));
    else if ((single & 1) != 0)
      for (std::size_t i = share.begin; i < share.end; ++i)
        out[i] = static_cast<Out>(g(a0, b[i]));
    else if ((single & 2) != 0)
      for (std::size_t i = share.begin; i < share.end; ++i)
        out[i] = static_cast<Out>(g(a[i], b0));
    else
      for (std::size_t i = share.begin; i < share.end; ++i)
        out[i] = static_cast<Out>(g(a[i], b[i]));
  });
}

} // namespace detail

template <class Tag, class T, class Out> class WideVertex : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> a;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Output<poplar::Vector<Out, poplar::VectorLayout::SPAN>> out;
  unsigned op;
  unsigned single;

  bool compute(Workers workers) {
    const WorkerShare share = workerShare(out.size(), workers, WIDE_GRAIN);
    if (share.begin < share.end)
      detail::mapWide(static_cast<MapOp>(op), a.data(), b.data(), out.data(), single, share);
    return true;
  }
};
template <class Tag, class T> using MapWide = WideVertex<Tag, T, T>;
template <class Tag, class T> using CompareWide = WideVertex<Tag, T, bool>;

template <class Tag, class T> class SelectWide : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> a;
  poplar::Input<poplar::Vector<T, poplar::VectorLayout::ONE_PTR>> b;
  poplar::Input<poplar::Vector<bool, poplar::VectorLayout::ONE_PTR>> condition;
  poplar::Output<poplar::Vector<T, poplar::VectorLayout::SPAN>> out;
  unsigned single;

  bool compute(Workers workers) {
    const WorkerShare share = workerShare(out.size(), workers, WIDE_GRAIN);
    const std::size_t stepA = (single & 1) != 0 ? 0 : 1, stepB = (single & 2) != 0 ? 0 : 1,
                      stepC = (single & 4) != 0 ? 0 : 1;
    for (std::size_t i = share.begin; i < share.end; ++i)
      out[i] = condition[i * stepC] ? a[i * stepA] : b[i * stepB];
    return true;
  }
};

/// For the registry: every vertex class of this file.
struct MapWideFamily {
  template <class Tag, class... T>
  using Of = VertexList<MapWide<Tag, T>..., CompareWide<Tag, T>..., SelectWide<Tag, T>...>;
  template <class Tag>
  using Vertices = Of<Tag, long long, unsigned long long, short, unsigned short>;
  template <class Tag> static VertexEntries entries();
};

} // namespace cottonwood::vertices
