// Elementwise functions that the application writes itself.
//
//     auto y = popops::map(graph, [](auto x, auto y) { return x * y + 1; }, {a, b}, prog);
//
// A functor is a trivially copyable class or lambda; its members or captured values (a scale, a
// bound) travel with the program, so that it must not capture references. It is called with a
// vector of neighbouring elements of each of its 1 to 4 operands, and with vectors of fewer valid
// lanes at the end, where the others are 0 and what it returns for them is thrown away. So it must
// not branch on elements; it may use
//   + - * and comparisons, between vectors and with numbers; x += y and so on; x = 1
//   && || ! == != and & | ^ ~ of masks, and of masks and bools
//   min, max, select(mask, a, b); of integers & | ^ ~ << >>
//   of floats and halves: /, abs, sqrt, floor, ceil, trunc, fma(a, b, c),
//   of floats: popops::math::exp, log, tanh, erf, sigmoid, gelu, ...
// and more that codelets/arch/SimdMixed.hpp and Simd.hpp list. A functor whose parameters are
// numbers, such as [](float x) { return x > 0 ? x : 0; }, is called for each element instead; they
// must hold all values of their operands: [](int x) takes operands of kind int alone. A number that
// is returned, [](auto x) { return 1.0f; }, is that of all elements.
//
// The template arguments of the functions say how elements are handed over:
//   (none)         all operands are of kind float
//   float          tensors of type float or half, computed in float, vectors of floats
//   int, unsigned  vectors of integers, of 32 bits; arithmetic wraps
//   bool           masks
//   poplar::half   tensors of type half, as vectors of halves: each + - * / fma rounds to half.
//                  Such functors have no other operands.
// The type of the result follows from what the functor returns: vectors of floats give FLOAT, or
// HALF where all operands of kind float are HALF (or as asked), rounded once; vectors of integers
// INT or UNSIGNED_INT; masks BOOL; vectors of halves HALF.
//
// Operands combine by NumPy's rules, and vertices read broadcast ones in place. Results have the
// same bits on every instruction set if the functor keeps to the operations above.
//
// The functor is compiled by the file that calls these functions: for its own flags' instruction
// set, or, if the CMake function poplar_add_kernels(target file.cpp) compiles the file, for all of
// them with a choice at run time. In header-only mode that is not needed. Functors that a file
// compiled by poplar_add_kernels uses must be classes outside functions and unnamed namespaces, or
// lambdas that initialise `inline constexpr` variables.
//
// This header is C++20.
#include <popops/impl/Config.hpp>

#if __cplusplus < 202002L
#error "popops/MapFunctor.hpp needs C++20: compile with -std=c++20 or newer"
#else
#ifndef POPOPS_MAP_FUNCTOR_HPP
#define POPOPS_MAP_FUNCTOR_HPP

#include <codelets/arch/SimdMath.hpp>
#include <codelets/popops/MapFunctor.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Program.hpp>
#include <popops/Expr.hpp>
#include <popops/impl/MapFunctorEmit.hpp>
#include <popops/impl/MapFunctorText.hpp>
#include <popops/impl/RawFunctor.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/impl/TaggedCode.hpp>

#include <cstring>
#include <type_traits>
#include <vector>

namespace popops {

/// Functions of vectors of floats: exp, log, tanh, erf, sigmoid, gelu, swish ...
namespace math = cottonwood::math;

/// Classes that can be an elementwise function.
template <class F>
concept MapFunctor = std::is_class_v<F> && std::is_trivially_copyable_v<F> &&
    !std::is_convertible_v<F, expr::Expr const &>;

} // namespace popops

namespace cottonwood::popops {

/// The code of an elementwise functor's vertices, for TaggedCode.hpp.
template <class F, class... Kinds> struct MapFunctorFamily {
  using Result = kernels::detail::MapResult<F, isa::native, Kinds...>;
  template <class Tag>
  using Vertices = typename vertices::MapFunctorVertices<Tag, F, Result, Kinds...>::type;
  using Code = vertices::VertexEntries;
  template <class Tag> static Code code() { return vertices::entriesOf(Vertices<Tag>()); }
};

/// The codelets of a functor, made once.
template <class Family> std::vector<codelet::Codelet> const &functorCodelets() {
  static std::vector<codelet::Codelet> const codelets = [] {
    isa::Isa used;
    vertices::VertexEntries const entries = poputil::codeOf<Family>(used);
    std::vector<codelet::Codelet> all;
    // The scalar classes give names and layouts.
    poputil::appendCodelets(typename Family::template Vertices<isa::scalar>(), entries, used, all,
                            poputil::Operands::OF_ONE_ISA);
    return all;
  }();
  return codelets;
}

/// The bytes of a functor, for a field of its vertices.
template <class F> std::vector<unsigned> functorWords(F const &functor) {
  std::vector<unsigned> words(vertices::FUNCTOR_WORDS<F>);
  std::memcpy(words.data(), &functor, sizeof functor);
  return words;
}

template <class Kind>::poplar::Type graphKind() {
  return ::poplar::equivalent_device_type<vertices::GraphKind<Kind>>().value;
}

/// \tparam Kinds  as kernels know them
template <class F, class... Kinds>
MapFunctorJob mapFunctorJob(char const *where, F const &functor, FunctorKinds<Kinds...>) {
  if constexpr (kernels::detail::checkMapFunctor<F, isa::native, Kinds...>()) {
    using Family = MapFunctorFamily<F, Kinds...>;
    return {where,
            vertices::mapFunctorSuffix<F, Kinds...>(),
            functorWords(functor),
            {graphKind<Kinds>()...},
            graphKind<typename Family::Result>(),
            functorCodelets<Family>()};
  } else { // refused
    static_cast<void>(functor);
    static std::vector<codelet::Codelet> const none;
    return {where, {}, {}, {}, {}, none};
  }
}

} // namespace cottonwood::popops

namespace popops {

/// out[i] = functor(operands[0][i], operands[1][i], ...) as a new tensor, laid out as one of the
/// operands. \tparam Types  kinds of the operands, see above; default: float each.
/// \param operands  1 to 4 tensors in braces; they are broadcast as NumPy does
/// \throws poputil::poplibs_error  shapes or types that do not fit.
template <class... Types, MapFunctor F, std::size_t N>
poplar::Tensor map(poplar::Graph &graph, F const &functor, poplar::Tensor const (&operands)[N],
                   poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "map");
  auto const job = lib::mapFunctorJob("popops::map", functor, lib::FunctorKindsOf<N, Types...>());
  return lib::mapWithFunctor(graph, job, {operands, operands + N}, {}, prog, {di});
}

/// The same with the type of the result: FLOAT or HALF of functors that return vectors of floats.
template <class... Types, MapFunctor F, std::size_t N>
poplar::Tensor map(poplar::Graph &graph, F const &functor, poplar::Tensor const (&operands)[N],
                   poplar::Type const &outType, poplar::program::Sequence &prog,
                   poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "map");
  auto const job = lib::mapFunctorJob("popops::map", functor, lib::FunctorKindsOf<N, Types...>());
  return lib::mapWithFunctor(graph, job, {operands, operands + N}, outType, prog, {di});
}

/// The same into operands[0], whose shape and type the result must have.
template <class... Types, MapFunctor F, std::size_t N>
void mapInPlace(poplar::Graph &graph, F const &functor, poplar::Tensor const (&operands)[N],
                poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "mapInPlace");
  auto const job =
      lib::mapFunctorJob("popops::mapInPlace", functor, lib::FunctorKindsOf<N, Types...>());
  lib::mapWithFunctorTo(graph, job, {operands, operands + N}, operands[0], prog, {di});
}

/// The same into `out`, whose shape and type the result must have. It may overlap operands.
template <class... Types, MapFunctor F, std::size_t N>
void mapWithOutput(poplar::Graph &graph, F const &functor, poplar::Tensor const (&operands)[N],
                   poplar::Tensor const &out, poplar::program::Sequence &prog,
                   poplar::DebugContext const &debugContext = {}) {
  namespace lib = cottonwood::popops;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "mapWithOutput");
  auto const job =
      lib::mapFunctorJob("popops::mapWithOutput", functor, lib::FunctorKindsOf<N, Types...>());
  lib::mapWithFunctorTo(graph, job, {operands, operands + N}, out, prog, {di});
}

} // namespace popops

namespace popops::kernels {

/// out[i] = functor(in[i]...) for i < n, on plain memory. Elements are float, int, unsigned, bool,
/// poplar::IeeeHalf or poplar::half. `out` may be an operand whose elements have its size, else it
/// overlaps none.
/// \tparam Types  kinds of the operands, see above; default: float for floats and halves, else the
///                elements' own
/// In a file that is compiled for one instruction set the loop is compiled into the caller.
template <class... Types, class F, MutableElement Out, Element... In>
requires(std::is_class_v<F> && sizeof...(In) != 0) POP_ALWAYS_INLINE
    void map(F const &functor, Out *out, std::size_t n, In *...in) {
  namespace lib = cottonwood::popops;
  using Kinds = std::conditional_t<sizeof...(Types) == 0,
                                   lib::FunctorKindsOf<sizeof...(In), lib::RawKind<In>...>,
                                   lib::FunctorKindsOf<sizeof...(In), Types...>>;
  using Family = lib::RawMapFamily<F, Kinds, lib::RawElement<Out>, lib::RawElement<In>...>;
  if constexpr (lib::isRawMap<F>(Kinds()))
    lib::runRaw<Family, lib::RAW_CHOOSES>(functor, reinterpret_cast<lib::RawElement<Out> *>(out), n,
                                          reinterpret_cast<lib::RawElement<In> const *>(in)...);
}

} // namespace popops::kernels

#endif
#endif
