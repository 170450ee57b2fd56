// Matrix products and convolutions whose sums pass through a functor of the application before they
// are rounded and stored: bias, activation, residual, scaling, in the pass that computes the sums.
//
//     struct Gelu {
//       template <class V> V operator()(V sum, poplin::EpilogueAt<V> at) const {
//         return poplin::epilogue::math::gelu(sum + at.operand(0));
//       }
//     };
//     Tensor y = poplin::matMul(graph, x, weights, prog, Gelu{}, {bias});
//
// An epilogue is a trivially copyable class; its members (a scale, a bound) travel with the
// program. V is a vector of floats, neighbouring sums of the result, with the face that
// codelets/arch/Simd.hpp lists: + - * /, V::fma, V::max, V::splat, comparisons and V::select ...
// What takes or returns something else is refused by a static_assert that says what is expected.
// At edges V has fewer valid lanes, at.lanes() of them; what the others return is thrown away.
// `at` knows the row and column of the sums and gives the elements of further operands that belong
// to them. Operands are float or half, whatever the types of the product. The functor is also
// called once where the program is made, with a sum and operands of 1, to see which operands it
// reads: reading one that was not given is an error. Where that depends on the place of the sums
// and escapes notice, such operands are NaN.
//
// On a CPU the functor runs inside the vertices of the product, on blocks of the result that are
// still in the nearest cache; results have the bits of the same operations done afterwards on a
// float result, and, with half results, are rounded once instead of twice. On an IPU Model the
// functor runs in a compute set of its own, after partial results were added (which are half where
// both the result and partialsType are); reading the sums and operands there is part of its cost.
//
// The kernels are the library's, for the instruction set in use. The functor is compiled by the
// file that calls these functions: for its own flags' instruction set, or, if the CMake function
// poplar_add_kernels(target file.cpp) compiles the file, for all of them with a choice at run time.
// In header-only mode that is not needed. Epilogues that a file compiled by poplar_add_kernels uses
// must not be in an unnamed namespace.
//
// This header is C++20.
#include <poplin/impl/Config.hpp>

#if __cplusplus < 202002L
#error "poplin/Epilogue.hpp needs C++20: compile with -std=c++20 or newer"
#else
#ifndef POPLIN_EPILOGUE_HPP
#define POPLIN_EPILOGUE_HPP

#include <codelets/arch/SimdMath.hpp>
#include <codelets/poplin/EpilogueVertex.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/ConvParams.hpp>
#include <poplin/Kernels.hpp>
#include <poplin/PlanningCache.hpp>
#include <poplin/impl/EpilogueEmit.hpp>
#include <poplin/impl/EpilogueProbe.hpp>
#include <poplin/impl/EpilogueText.hpp>
#include <poplin/impl/RawConv.hpp>
#include <poplin/impl/RawParts.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/impl/TaggedCode.hpp>

#include <concepts>
#include <cstring>
#include <vector>

namespace poplin {

/// Where the sums that an epilogue is given lie in the result, and the operands that belong there.
///   V at.operand(i)    elements of operand i, as float
///   at.row(), at.column(), at.group()   of the first sum; of a convolution, the row is the place
///   in
///                      the row-major order of batch and field, the column the output channel
///   at.rows(), at.columns()             of every sum, as vectors of integers
///   at.lanes()         number of sums
template <class V> using EpilogueAt = cottonwood::kernels::EpilogueAt<V>;

/// Classes that can be an epilogue.
template <class E>
concept EpilogueFunctor = std::is_trivially_copyable_v<E> &&
    requires(E const &e, cottonwood::simd<float, cottonwood::isa::native> sum,
             EpilogueAt<cottonwood::simd<float, cottonwood::isa::native>> at) {
  { e(sum, at) } -> std::same_as<cottonwood::simd<float, cottonwood::isa::native>>;
};

/// Ready-made epilogues. OPERAND is the number of the operand that they read. They are joined by |,
/// the left one first: epilogue::Add<0>{} | epilogue::Relu{}.
namespace epilogue {

/// Functions of vectors of floats: exp, log, tanh, erf, sigmoid, gelu, swish ...
namespace math = cottonwood::math;

/// The sums as they are.
struct Identity {
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V>) const { return sum; }
};
/// sum + operand: a bias of shape [n], a residual of the result's shape.
template <unsigned OPERAND = 0> struct Add {
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V> at) const {
    return sum + at.operand(OPERAND);
  }
};
/// sum * operand: scales of rows [m, 1] or columns [n].
template <unsigned OPERAND = 0> struct Multiply {
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V> at) const {
    return sum * at.operand(OPERAND);
  }
};
/// sum * factor.
struct Scale {
  float factor;
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V>) const {
    return sum * V::splat(factor);
  }
};
/// sum > 0 ? sum : 0.
struct Relu {
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V>) const {
    return V::max(sum, V::zero());
  }
};
/// The sum if it lies between the bounds, else the nearer of them. NaN stays.
struct Clamp {
  float low, high;
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V>) const {
    return V::min(V::splat(high), V::max(V::splat(low), sum));
  }
};
/// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), as popnn's GELU.
struct Gelu {
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V>) const {
    return math::gelu(sum);
  }
};
/// second(first(sum)).
template <class First, class Second> struct Then {
  First first;
  Second second;
  template <class V> POP_SIMD_INLINE V operator()(V sum, EpilogueAt<V> at) const {
    return second(first(sum, at), at);
  }
};
template <EpilogueFunctor First, EpilogueFunctor Second>
constexpr Then<First, Second> operator|(First first, Second second) {
  return {first, second};
}

} // namespace epilogue

} // namespace poplin

namespace cottonwood::poplin {

/// What is called as an epilogue, right or wrong: no other argument that could stand there.
template <class E>
concept EpilogueClass = std::is_class_v<E> && !std::is_convertible_v<E, ::poplar::DebugContext> &&
                        !std::is_convertible_v<E, ::poplar::Type> &&
                        !std::is_convertible_v<E, ::poplin::kernels::MatMulOptions>;

/// Says what is wrong with an epilogue, if anything is.
template <class E> constexpr bool checkEpilogue() {
  using V = simd<float, isa::native>;
  constexpr bool CALLED = std::is_invocable_v<E const &, V, ::poplin::EpilogueAt<V>>;
  constexpr bool RETURNS = ::poplin::EpilogueFunctor<E> || !std::is_trivially_copyable_v<E>;
  static_assert(std::is_trivially_copyable_v<E>,
                "an epilogue must be trivially copyable: its bytes travel with the program");
  static_assert(CALLED, "the call of an epilogue must be const and take a vector of floats and its "
                        "place: '(auto sum, auto at)', or 'template <class V> V operator()(V sum, "
                        "poplin::EpilogueAt<V> at) const'");
  static_assert(!CALLED || RETURNS, "an epilogue must return a vector of floats such as it was "
                                    "given; V::splat(x) makes one of a number");
  return ::poplin::EpilogueFunctor<E>;
}

/// The code of vertices with an epilogue, for TaggedCode.hpp.
template <class E> struct MatMulEpilogue {
  template <class Tag>
  using Vertices =
      vertices::JoinLists<vertices::MatMulWithVertices<Tag, E>, vertices::FinishVertices<Tag, E>>;
  using Code = vertices::VertexEntries;
  template <class Tag> static Code code() { return vertices::entriesOf(Vertices<Tag>()); }
};
template <class E> struct ConvEpilogue {
  template <class Tag>
  using Vertices =
      vertices::JoinLists<vertices::ConvWithVertices<Tag, E>, vertices::FinishVertices<Tag, E>>;
  using Code = vertices::VertexEntries;
  template <class Tag> static Code code() { return vertices::entriesOf(Vertices<Tag>()); }
};

/// The codelets of a family, made once.
template <class Family> std::vector<codelet::Codelet> const &epilogueCodelets() {
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

template <template <class> class Family, class E>
EpilogueJob epilogueJob(E const &epilogue, std::vector<Tensor> const &operands) {
  EpilogueJob job;
  if constexpr (checkEpilogue<E>()) {
    job.name = poputil::functorName<E>();
    job.words.resize(vertices::FUNCTOR_WORDS<E>);
    std::memcpy(job.words.data(), &epilogue, sizeof epilogue);
    job.operands = operands;
    job.codelets = epilogueCodelets<Family<E>>();
    job.wanted = operandsWanted(epilogue);
  }
  return job;
}

} // namespace cottonwood::poplin

namespace poplin {

/// C[i,j] = epilogue(sum over p of A[i,p] * B[p,j]) as a new tensor [m, n].
/// \param A  [m, k] float or half  \param B  [k, n] of the same type
/// \param operands    what at.operand(i) gives: tensors, float or half, that can be broadcast to
///                    [m, n] as NumPy does: [n] (a value a column), [m, 1], [m, n] or []
/// \param outputType  the type of C; default: that of A
/// Options are those of poplin::matMul.
/// \throws poputil::poplibs_error  as poplin::matMul; operands that do not fit, more than 8, or
///                                 fewer than the epilogue reads.
template <cottonwood::poplin::EpilogueClass E>
poplar::Tensor matMul(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
                      poplar::program::Sequence &prog, E const &epilogue,
                      std::vector<poplar::Tensor> const &operands, poplar::Type const &outputType,
                      poplar::DebugContext const &debugContext = {},
                      poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr) {
  namespace lib = cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMul");
  auto const job = lib::epilogueJob<lib::MatMulEpilogue>(epilogue, operands);
  return lib::matMulWithEpilogue(graph, {"poplin::matMul", false, A, B, {}, outputType}, job, prog,
                                 {di}, options, cache);
}
template <cottonwood::poplin::EpilogueClass E>
poplar::Tensor matMul(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
                      poplar::program::Sequence &prog, E const &epilogue,
                      std::vector<poplar::Tensor> const &operands = {},
                      poplar::DebugContext const &debugContext = {},
                      poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr) {
  return matMul(graph, A, B, prog, epilogue, operands, A.elementType(), debugContext, options,
                cache);
}

/// The same into `out` [m, n], which may be any view that vertices can write and may overlap A, B
/// and the operands.
template <cottonwood::poplin::EpilogueClass E>
void matMulWithOutput(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
                      poplar::Tensor const &out, poplar::program::Sequence &prog, E const &epilogue,
                      std::vector<poplar::Tensor> const &operands = {},
                      poplar::DebugContext const &debugContext = {},
                      poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr) {
  namespace lib = cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulWithOutput");
  auto const job = lib::epilogueJob<lib::MatMulEpilogue>(epilogue, operands);
  lib::matMulWithEpilogue(graph, {"poplin::matMulWithOutput", false, A, B, out, {}}, job, prog,
                          {di}, options, cache);
}

/// The same for groups: A [g, m, k], B [g, k, n], the result [g, m, n]; operands are broadcast to
/// that.
template <cottonwood::poplin::EpilogueClass E>
poplar::Tensor
matMulGrouped(poplar::Graph &graph, poplar::Tensor const &A, poplar::Tensor const &B,
              poplar::program::Sequence &prog, E const &epilogue,
              std::vector<poplar::Tensor> const &operands, poplar::Type const &outputType,
              poplar::DebugContext const &debugContext = {},
              poplar::OptionFlags const &options = {}, PlanningCache *cache = nullptr) {
  namespace lib = cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulGrouped");
  auto const job = lib::epilogueJob<lib::MatMulEpilogue>(epilogue, operands);
  return lib::matMulWithEpilogue(graph, {"poplin::matMulGrouped", true, A, B, {}, outputType}, job,
                                 prog, {di}, options, cache);
}

/// A convolution (see poplin::convolution) whose sums pass through an epilogue: a new tensor
/// [N, channels, ...field].
/// \param operands  tensors of one dimension, a value a channel; or such that can be broadcast to
///                  the result's shape
/// \throws poputil::poplibs_error  as poplin::convolution; operands that do not fit, or fewer than
///                                 the epilogue reads.
template <cottonwood::poplin::EpilogueClass E>
poplar::Tensor
convolution(poplar::Graph &graph, poplar::Tensor const &in, poplar::Tensor const &weights,
            ConvParams const &params, bool transposeAndFlipWeights, poplar::program::Sequence &prog,
            E const &epilogue, std::vector<poplar::Tensor> const &operands = {},
            poplar::DebugContext const &debugContext = {}, poplar::OptionFlags const &options = {},
            PlanningCache *cache = nullptr) {
  namespace lib = cottonwood::poplin;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "convolution");
  auto const job = lib::epilogueJob<lib::ConvEpilogue>(epilogue, operands);
  return lib::convolutionWithEpilogue(
      graph, {"poplin::convolution", in, weights, {}, params, transposeAndFlipWeights}, job, prog,
      {di}, options, cache);
}

} // namespace poplin

namespace poplin::kernels {

/// An operand of an epilogue in memory: the value for element (i, j) of product g is
/// data[g * batch + i * row + j * column].
struct EpilogueOperand {
  const void *data = nullptr;
  std::ptrdiff_t row = 0, column = 0, batch = 0;
  bool isHalf = false;

  /// A matrix of the result's shape.
  template <detail::Element T>
  EpilogueOperand(MatrixView<T> const &m, std::ptrdiff_t batchStride = 0)
      : data(m.data), row(m.rowStride), column(m.columnStride), batch(batchStride),
        isHalf(detail::IS_HALF<T>) {}
  /// Values of columns (or channels) that lie side by side.
  template <detail::Element T>
  explicit EpilogueOperand(T *columns) : data(columns), column(1), isHalf(detail::IS_HALF<T>) {}
};

} // namespace poplin::kernels

namespace cottonwood::poplin {

/// What the parts of a product on plain memory share.
template <class E> struct RawEpilogueContext {
  E const *epilogue;
  ::poplin::kernels::EpilogueOperand const *operands;
  std::size_t numOperands;
  void (*run)(const void *context, kernels::FinishBlock const &block);

  kernels::EpilogueOperand operand(std::size_t i, std::size_t g) const {
    auto const &o = operands[i];
    std::ptrdiff_t const offset =
        static_cast<std::ptrdiff_t>(g) * o.batch * static_cast<std::ptrdiff_t>(o.isHalf ? 2 : 4);
    return {static_cast<const char *>(o.data) + offset, o.row, o.column, o.isHalf};
  }
};

/// The function that finishes blocks of parts of products on plain memory.
using BlockFunction = void (*)(const void *context, kernels::FinishBlock const &block);
template <class E> struct RawMatMulEpilogue {
  using Code = BlockFunction;
  template <class Tag> static Code code() {
    return &kernels::EpilogueContext<E>::template run<Tag>;
  }
};

/// One part of a product on plain memory.
template <class E, class In, class Out>
void runRawEpilogue(void const *erased, RawPart const &part) {
  auto const &context = *static_cast<RawEpilogueContext<E> const *>(erased);
  kernels::EpilogueOperands operands;
  for (std::size_t i = 0; i != context.numOperands; ++i)
    operands[i] = context.operand(i, part.g);
  std::size_t const row = part.transposed ? part.j : part.i;
  kernels::EpilogueContext<E> const block{context.epilogue,      operands.data(), part.g, {row},
                                          part.i + part.j - row, part.transposed};
  kernels::activeMatMulKernels().finished<In, Out>()(argsOf<In, Out>(part), part.blocking,
                                                     part.workspace, {&block, context.run});
}

/// One run of a convolution on plain memory.
template <class E> struct RawConvContext {
  RawConv const *conv;
  RawArray weights;
  void *out;
  E const *epilogue;
  kernels::EpilogueOperand const *operands;
  void (*run)(const void *context, kernels::FinishBlock const &block);
};

/// Outputs of a part as rows of the result.
struct RawConvRows {
  RawConvPart const *part;
  POP_SIMD_INLINE std::size_t operator()(std::size_t pixel) const { return part->row(pixel); }
};

template <class E> struct RawConvEpilogue {
  using Code = BlockFunction;
  template <class Tag> static Code code() {
    return &kernels::EpilogueContext<E, RawConvRows>::template run<Tag>;
  }
};

/// One part of a convolution; In is the weights' type.
template <class E, class In, class Out>
void runRawConvEpilogue(void const *erased, RawConvPart const &part, const void *in,
                        float *workspace) {
  auto const &context = *static_cast<RawConvContext<E> const *>(erased);
  RawConv const &conv = *context.conv;
  kernels::EpilogueContext<E, RawConvRows> const block{
      context.epilogue,
      context.operands,
      0,
      {&part},
      part.group * conv.check().params.outputChannelsPerConvGroup + part.column,
      false};
  kernels::ErasedFinish const finish{&block, context.run};
  auto const &known = kernels::activeConvKernels().finished<In, Out>();
  std::vector<Out *> rows;
  const void *const weights = context.weights.data;
  if (conv.channels())
    known.channels(convArgsOf<In, In, Out>(conv, part, in, weights, context.out, workspace, rows),
                   finish);
  else
    known.groups(convArgsOf<float, In, Out>(conv, part, in, weights, context.out, workspace, rows),
                 finish);
}

/// The result of a convolution without products: that of sums 0.
template <class E, class Out> void finishZeros(RawConvContext<E> const &context) {
  std::size_t const columns = context.conv->outChannels();
  auto const &params = context.conv->check().params;
  std::size_t rows = params.batchSize;
  for (std::size_t size : params.getOutputFieldShape())
    rows *= size;
  std::vector<float> const zeros(columns);
  RawConvPart const part; // all of the result
  kernels::EpilogueContext<E, RawConvRows> const block{
      context.epilogue, context.operands, 0, {&part}, 0, false};
  context.run(&block,
              {zeros.data(), 0, rows, columns, context.out, static_cast<std::ptrdiff_t>(columns), 1,
               0, 0, !std::is_same_v<Out, float>, false});
}

template <class T>
using RawElement = std::conditional_t<::poplin::kernels::detail::IS_HALF<T>, half, float>;

POP_API void checkRawOperands(char const *where,
                              std::vector<::poplin::kernels::EpilogueOperand> const &operands,
                              std::size_t wanted);

} // namespace cottonwood::poplin

namespace poplin::kernels {

/// c = epilogue(a * b), or epilogue(c + a * b) with options.accumulate.
/// \param b         a MatrixView or a PackedMatrix
/// \param operands  what at.operand(i) gives; they must not overlap c
/// \throws poplar::poplar_error  as matMul without an epilogue; operands that are null, or fewer
///                               than the epilogue reads.
template <detail::Element A, class B, detail::Element C, cottonwood::poplin::EpilogueClass E>
void matMul(MatrixView<A> a, B const &b, MatrixView<C> c, E const &epilogue,
            std::vector<EpilogueOperand> const &operands = {}, MatMulOptions const &options = {}) {
  namespace lib = cottonwood::poplin;
  if constexpr (lib::checkEpilogue<E>()) {
    char const *const where = "poplin::kernels::matMul";
    lib::checkRawOperands(where, operands, lib::operandsWanted(epilogue));
    cottonwood::isa::Isa used;
    lib::RawEpilogueContext<E> const context{
        &epilogue, operands.data(), operands.size(),
        cottonwood::poputil::codeOf<lib::RawMatMulEpilogue<E>>(used)};
    lib::forEachRawPart(where, detail::product(a, b, c, options),
                        &lib::runRawEpilogue<E, lib::RawElement<A>, lib::RawElement<C>>, &context);
  }
}

/// conv(in, weights, out) with an epilogue. Operands are indexed by the output's place in the
/// row-major order of batch and field and by its channel.
template <detail::Element In, detail::Element W, detail::Element Out,
          cottonwood::poplin::EpilogueClass E>
requires(detail::IS_HALF<In> ==
         detail::IS_HALF<W>) void convolution(Convolution const &conv, In *in, W *weights, Out *out,
                                              E const &epilogue,
                                              std::vector<EpilogueOperand> const &operands = {}) {
  namespace lib = cottonwood::poplin;
  if constexpr (lib::checkEpilogue<E>()) {
    using Result = lib::RawElement<Out>;
    lib::checkRawOperands("poplin::kernels::convolution", operands, lib::operandsWanted(epilogue));
    lib::RawArray const source{in, detail::IS_HALF<In>}, kernel{weights, detail::IS_HALF<W>};
    lib::checkRawConv(conv.impl(), source, kernel, {out, detail::IS_HALF<Out>});
    cottonwood::kernels::EpilogueOperands plain;
    for (std::size_t i = 0; i != operands.size(); ++i)
      plain[i] = {operands[i].data, operands[i].row, operands[i].column, operands[i].isHalf};
    cottonwood::isa::Isa used;
    lib::RawConvContext<E> const context{
        &conv.impl(), kernel,       out,
        &epilogue,    plain.data(), cottonwood::poputil::codeOf<lib::RawConvEpilogue<E>>(used)};
    if (conv.impl().parts().empty())
      return lib::finishZeros<E, Result>(context);
    lib::forEachRawConvPart(conv.impl(), source,
                            &lib::runRawConvEpilogue<E, lib::RawElement<In>, Result>, &context);
  }
}

} // namespace poplin::kernels

#endif
#endif
