// Functors of applications on plain memory: compiled into the caller, or chosen at run time in
// files that are compiled for several instruction sets.
#pragma once

#include <popops/Kernels.hpp>

#include <codelets/popops/MapFunctorKernel.hpp>
#include <poputil/impl/TaggedCode.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace cottonwood::popops {

/// Kinds of operands (MapFunctorKernel.hpp).
template <class... Kinds> struct FunctorKinds {};

namespace detail {
template <class Kind>
using KernelKind = std::conditional_t<::popops::kernels::detail::IS_HALF<Kind>, half, Kind>;

/// N times float, if nothing else is said.
template <std::size_t N, class... Types> struct KindsOf {
  static_assert(sizeof...(Types) == N, "there must be as many kinds as operands");
  static_assert((kernels::detail::MapKind<KernelKind<Types>> && ...),
                "kinds are float, int, unsigned, bool and poplar::half");
  using type = FunctorKinds<KernelKind<Types>...>;
};
template <class Sequence> struct FloatKinds;
template <std::size_t... I> struct FloatKinds<std::index_sequence<I...>> {
  template <std::size_t> using Float = float;
  using type = FunctorKinds<Float<I>...>;
};
template <std::size_t N> struct KindsOf<N> : FloatKinds<std::make_index_sequence<N>> {
  static_assert(N <= kernels::MAP_FUNCTOR_MAX_OPERANDS, "a functor has at most 4 operands");
};
} // namespace detail

/// Kinds of N operands, as the application names them.
template <std::size_t N, class... Types>
using FunctorKindsOf = typename detail::KindsOf<N, Types...>::type;

/// An element as kernels know it.
template <class T>
using RawElement =
    std::conditional_t<::popops::kernels::detail::IS_HALF<T>, half, std::remove_const_t<T>>;
/// The kind that elements are handed over as if nothing else is said.
template <class T>
using RawKind = std::conditional_t<std::is_same_v<RawElement<T>, half>, float, RawElement<T>>;

/// Whether this file is compiled for several instruction sets. An argument of templates, so that
/// other files' instances are others.
#if defined(POPLAR_KERNELS_TAG) || defined(POPLAR_KERNELS_AVX2) || defined(POPLAR_KERNELS_AVX512)
constexpr bool RAW_CHOOSES = true;
#else
constexpr bool RAW_CHOOSES = false;
#endif

/// Runs Family's code: that of the file's own instruction set, which is compiled into the caller
/// where it can be, or the best one that the machine has.
template <class Family, bool CHOOSES, class... Args>
POP_ALWAYS_INLINE void runRaw(Args const &...args) {
  if constexpr (CHOOSES) {
    static typename Family::Code const run = [] {
      isa::Isa used;
      return poputil::codeOf<Family>(used);
    }();
    run(args...);
  } else {
    Family::template run<isa::native>(args...);
  }
}

/// Whether F takes operands of these kinds; an error that says why if it does not.
template <class F, class... Kinds> constexpr bool isRawMap(FunctorKinds<Kinds...>) {
  return kernels::detail::checkMapFunctor<F, isa::native, Kinds...>();
}

/// The loop over an elementwise functor, for TaggedCode.hpp.
template <class F, class Kinds, class Out, class... In> struct RawMapFamily;
template <class F, class... Kinds, class Out, class... In>
struct RawMapFamily<F, FunctorKinds<Kinds...>, Out, In...> {
  using Code = void (*)(F const &, Out *, std::size_t, In const *...);
  template <class Tag>
  POP_SIMD_INLINE static void run(F const &f, Out *out, std::size_t n, In const *...in) {
    kernels::mapFunctor<Tag, Kinds...>(f, kernels::Walk::NEAR, out, n, in...);
  }
  template <class Tag> static void call(F const &f, Out *out, std::size_t n, In const *...in) {
    run<Tag>(f, out, n, in...);
  }
  template <class Tag> static Code code() { return &call<Tag>; }
};

} // namespace cottonwood::popops
