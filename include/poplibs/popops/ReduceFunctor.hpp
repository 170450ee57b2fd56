// Reductions with an operation that the application writes itself.
//
//     struct LogProduct {
//       static constexpr float identity = 0;
//       template <class V> V map(V x) const { return popops::math::log(x); }  // may be left out
//       template <class V> V combine(V a, V b) const { return a + b; }
//       template <class V> V finish(V x) const { return popops::math::exp(x); } // may be left out
//     };
//     Tensor product = popops::reduce(graph, in, {1}, LogProduct(), prog);
//
// or, of lambdas,
//
//     popops::reduction(0.0f, [](auto a, auto b) { return a + b; }, [](auto x) { return abs(x); })
//
// gives out[kept] = finish(combine over all reduced indices of map(in[kept, reduced])). A reduction
// is a trivially copyable class; its members travel with the program. `identity`, a float, int or
// unsigned, static or not, says which numbers are combined: floats are read from and written to
// tensors of type float and half, integers from and to their own. V is a vector of such numbers,
// see MapFunctor.hpp for what it can do. combine must be associative and commutative, up to
// rounding, and give x for x and the identity; elements are combined in an order that is a function
// of the shape and the device alone, never of threads, mapping or the instruction set:
//   - along rows 64 partial results, folded by halves; down columns eight rows as a tree;
//   - long dimensions are first reduced in parts.
// Without elements the result is finish(identity). half is combined in float, and rounded once.
//
// What does not fit is refused by a static_assert that says what is expected: combine, map and
// finish take vectors of the identity's type, not numbers, and are const.
//
// Which instruction set a reduction is compiled for is said in MapFunctor.hpp.
//
// This header is C++20.
#include <popops/impl/Config.hpp>

#if __cplusplus < 202002L
#error "popops/ReduceFunctor.hpp needs C++20: compile with -std=c++20 or newer"
#else
#ifndef POPOPS_REDUCE_FUNCTOR_HPP
#define POPOPS_REDUCE_FUNCTOR_HPP

#include <codelets/popops/ReduceFunctor.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/MapFunctor.hpp>
#include <popops/Reduce.hpp>
#include <popops/impl/ReduceFunctorEmit.hpp>
#include <popops/impl/ReduceFunctorText.hpp>
#include <poputil/DebugInfo.hpp>

#include <concepts>
#include <type_traits>
#include <vector>

namespace popops {

/// Classes that can be a reduction.
template <class R>
concept ReduceFunctor = std::is_class_v<R> && std::is_trivially_copyable_v<R> &&
    requires(R const &r,
             cottonwood::simd<std::remove_cv_t<decltype(R::identity)>, cottonwood::isa::native> x) {
  { r.combine(x, x) } -> std::same_as<decltype(x)>;
};

/// A reduction of functors; what reduction() makes.
template <class T, class Combine, class Map = void, class Finish = void> struct Reduction {
  struct None {};
  T identity;
  [[no_unique_address]] Combine combined;
  [[no_unique_address]] std::conditional_t<std::is_void_v<Map>, None, Map> mapped = {};
  [[no_unique_address]] std::conditional_t<std::is_void_v<Finish>, None, Finish> finished = {};

  template <class V> POP_SIMD_INLINE V combine(V a, V b) const { return combined(a, b); }
  template <class V> POP_SIMD_INLINE V map(V x) const requires(!std::is_void_v<Map>) {
    return mapped(x);
  }
  template <class V> POP_SIMD_INLINE V finish(V x) const requires(!std::is_void_v<Finish>) {
    return finished(x);
  }
};

/// A reduction of lambdas, each called with vectors: combine(a, b), map(x), finish(x).
/// \param identity  a float, int or unsigned
template <class T, class Combine> constexpr auto reduction(T identity, Combine combine) {
  return Reduction<T, Combine>{identity, combine};
}
template <class T, class Combine, class Map>
constexpr auto reduction(T identity, Combine combine, Map map) {
  return Reduction<T, Combine, Map>{identity, combine, map};
}
template <class T, class Combine, class Map, class Finish>
constexpr auto reduction(T identity, Combine combine, Map map, Finish finish) {
  return Reduction<T, Combine, Map, Finish>{identity, combine, map, finish};
}

} // namespace popops

namespace cottonwood::popops {

/// What is called as a reduction, right or wrong, and not by an Operation.
template <class R>
concept ReduceClass = std::is_class_v<R> && !std::is_convertible_v<R, ::popops::ReduceParams>;

template <class V, class F, class... X>
concept GivesVector = std::is_invocable_r_v<V, F const &, X...>;

/// Whether the parts of a reduction take vectors V and return them.
template <class R, class V> struct ReduceSignatures {
  static constexpr bool COMBINES = requires(R const &r, V x) {
    { r.combine(x, x) } -> std::same_as<V>;
  };
  // What is not there is left out; members whose address is known are there.
  static constexpr bool MAPS = !requires { &R::map; }
  || requires(R const &r, V x) {
    { r.map(x) } -> std::convertible_to<V>;
  };
  static constexpr bool FINISHES = !requires { &R::finish; }
  || requires(R const &r, V x) {
    { r.finish(x) } -> std::convertible_to<V>;
  };
};
template <class T, class Combine, class Map, class Finish, class V>
struct ReduceSignatures<::popops::Reduction<T, Combine, Map, Finish>, V> {
  static constexpr bool COMBINES = GivesVector<V, Combine, V, V>;
  static constexpr bool MAPS = std::is_void_v<Map> || GivesVector<V, Map, V>;
  static constexpr bool FINISHES = std::is_void_v<Finish> || GivesVector<V, Finish, V>;
};

/// Says what is wrong with a reduction, if anything is.
template <class R> constexpr bool checkReduceFunctor() {
  static_assert(std::is_trivially_copyable_v<R>,
                "a reduction must be trivially copyable: its bytes travel with the program");
  constexpr bool HAS_IDENTITY = requires { R::identity; };
  static_assert(HAS_IDENTITY,
                "a reduction must have a member 'identity', a float, int or unsigned; "
                "popops::reduction(identity, combine) makes one of lambdas");
  if constexpr (HAS_IDENTITY) {
    using Number = kernels::detail::ReduceNumber<R>;
    constexpr bool KNOWN = std::is_same_v<Number, float> || std::is_same_v<Number, int> ||
                           std::is_same_v<Number, unsigned>;
    static_assert(KNOWN, "the identity of a reduction must be a float, int or unsigned");
    if constexpr (KNOWN) {
      using Signatures = ReduceSignatures<R, simd<Number, isa::native>>;
      static_assert(Signatures::COMBINES,
                    "combine of a reduction must be const, take two vectors of the identity's type "
                    "('auto', or 'template <class V> V combine(V a, V b) const') and return one");
      static_assert(Signatures::MAPS, "map of a reduction must be const, take a vector of the "
                                      "identity's type ('auto') and return one");
      static_assert(Signatures::FINISHES, "finish of a reduction must be const, take a vector of "
                                          "the identity's type ('auto') and return one");
      return std::is_trivially_copyable_v<R> && Signatures::COMBINES && Signatures::MAPS &&
             Signatures::FINISHES;
    }
  }
  return false;
}

/// The code of a reduction's vertices, for TaggedCode.hpp.
template <class R> struct ReduceFunctorFamily {
  using Number = kernels::detail::ReduceNumber<R>;
  template <class Tag>
  using Vertices = typename vertices::ReduceFunctorVertices<Tag, R, Number>::type;
  using Code = vertices::VertexEntries;
  template <class Tag> static Code code() { return vertices::entriesOf(Vertices<Tag>()); }
};

template <class R> ReduceFunctorJob reduceFunctorJob(char const *where, R const &reduction) {
  if constexpr (checkReduceFunctor<R>()) {
    using Family = ReduceFunctorFamily<R>;
    return {where, poputil::functorName<R>(), functorWords(reduction),
            graphKind<typename Family::Number>(), functorCodelets<Family>()};
  } else { // refused
    static_cast<void>(reduction);
    static std::vector<codelet::Codelet> const none;
    return {where, {}, {}, {}, none};
  }
}

/// The loop over a reduction, for TaggedCode.hpp.
template <class R, class In, class Out> struct RawReduceFamily {
  using Code = void (*)(R const &, kernels::ReduceFunctorArgs<In, Out> const &, std::size_t);
  template <class Tag>
  static void run(R const &r, kernels::ReduceFunctorArgs<In, Out> const &args,
                  std::size_t outputs) {
    kernels::reduceFunctor<Tag>(r, args, {true, true}, 0, outputs);
  }
  template <class Tag> static Code code() { return &run<Tag>; }
};

} // namespace cottonwood::popops

namespace popops {

/// Removes the dimensions `dims` of `in` by a reduction. \returns  a new tensor of the type of
/// `in`. \throws poputil::poplibs_error  a dimension out of range, types that do not fit.
template <cottonwood::popops::ReduceClass R>
poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in,
                      std::vector<std::size_t> const &dims, R const &reduction,
                      poplar::program::Sequence &prog,
                      poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduce");
  auto const job = lib::reduceFunctorJob("popops::reduce", reduction);
  return lib::reduceWithFunctor(graph, job, in, in.valid() ? in.elementType() : poplar::Type(), {},
                                dims, prog, {di});
}

/// The same with the type of the result: FLOAT or HALF where floats are combined.
template <cottonwood::popops::ReduceClass R>
poplar::Tensor reduce(poplar::Graph &graph, poplar::Tensor const &in, poplar::Type const &outType,
                      std::vector<std::size_t> const &dims, R const &reduction,
                      poplar::program::Sequence &prog,
                      poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduce");
  auto const job = lib::reduceFunctorJob("popops::reduce", reduction);
  return lib::reduceWithFunctor(graph, job, in, outType, {}, dims, prog, {di});
}

/// The same into `out`, whose shape is that of the result up to dimensions of size 1, and which may
/// overlap `in`. Elements of `out` that are mapped to no tile get mapped.
template <cottonwood::popops::ReduceClass R>
void reduceWithOutput(poplar::Graph &graph, poplar::Tensor const &in, poplar::Tensor const &out,
                      std::vector<std::size_t> const &dims, R const &reduction,
                      poplar::program::Sequence &prog,
                      poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "reduceWithOutput");
  auto const job = lib::reduceFunctorJob("popops::reduceWithOutput", reduction);
  lib::reduceWithFunctor(graph, job, in, out.valid() ? out.elementType() : poplar::Type(), out,
                         dims, prog, {di});
}

} // namespace popops

namespace popops::kernels {

/// out[o, i] = finish(combine over r of map(in[o, r, i])) on plain memory, [outer, reduced, inner]
/// to [outer, inner]. Elements are float, poplar::IeeeHalf or poplar::half where floats are
/// combined, else of the identity's type. In the order of one vertex: the graph's reductions of
/// long dimensions are combined in parts.
/// In a file that is compiled for one instruction set the loops are compiled into the file.
template <cottonwood::popops::ReduceClass R, MutableElement Out, Element In>
POP_ALWAYS_INLINE void reduce(R const &reduction, Out *out, ReduceShape const &shape, In *in) {
  namespace lib = cottonwood::popops;
  if constexpr (lib::checkReduceFunctor<R>()) {
    using Number = cottonwood::kernels::detail::ReduceNumber<R>;
    static_assert(std::is_same_v<lib::RawKind<In>, Number> &&
                      std::is_same_v<lib::RawKind<Out>, Number>,
                  "elements must be of the type that the reduction combines: float or half for "
                  "float, int for int, unsigned for unsigned");
    using From = lib::RawElement<In>;
    using To = lib::RawElement<Out>;
    using Family = lib::RawReduceFamily<R, From, To>;
    cottonwood::kernels::ReduceFunctorArgs<From, To> const args{reinterpret_cast<From const *>(in),
                                                                reinterpret_cast<To *>(out),
                                                                shape.reduced, shape.inner};
    lib::runRaw<Family, lib::RAW_CHOOSES>(reduction, args, shape.outer * shape.inner);
  }
}

} // namespace popops::kernels

#endif
#endif
