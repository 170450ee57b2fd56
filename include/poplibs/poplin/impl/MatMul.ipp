#pragma once

#include <poplin/MatMul.hpp>
#include <poplin/impl/MatMulCheck.hpp>
#include <poplin/impl/MatMulEmit.hpp>
#include <poplin/impl/MatMulPlanning.hpp>
#include <poplin/impl/QuarterOperands.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::poplin {

POP_INLINE planner::MatMulProblem MatMulJob::problem() const {
  planner::MatMulProblem problem;
  problem.g = out.dim(0), problem.m = out.dim(1), problem.n = out.dim(2), problem.k = a.dim(2);
  problem.input = plannerType(a.elementType());
  problem.output = plannerType(out.elementType());
  return problem;
}

POP_INLINE void emitMatMul(::poplar::Graph &graph, MatMulJob job, ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext) {
  auto const operands = castForProduct(graph, {job.a, job.b}, prog, debugContext);
  job.a = operands.left, job.b = operands.right;
  if (plansForCpu(graph.getTarget()))
    emitMatMulCpu(graph, job, prog, debugContext);
  else
    emitMatMulTiles(graph, job, prog, debugContext);
}

namespace detail {

using ::poplar::DebugContext;
using ::poplar::Graph;
using ::poplar::OptionFlags;
using ::poplar::Type;
using ::poplar::program::Sequence;
using ::poplin::PlanningCache;

/// What all functions that run a product are given, and how they run it.
class MatMulCall {
public:
  MatMulCall(char const *where, bool grouped, Graph &graph, Sequence &prog,
             DebugContext const &debugContext, OptionFlags const &options, PlanningCache *cache)
      : where_(where), grouped_(grouped), graph_(graph), prog_(prog), debugContext_(debugContext),
        options_(readMatMulOptions(where, options)), cache_(cache ? cache : &ownCache_) {}

  /// A * B as a new tensor.
  Tensor run(Tensor const &a, Tensor const &b, Type const &outputType) {
    return product(a, b, checkMatMul(where_, grouped_, graph_, a, b, outputType), outputType);
  }

  /// All further products of this call pass through an epilogue.
  MatMulCall &with(EpilogueJob const &epilogue) {
    epilogue_ = &epilogue;
    return *this;
  }

  void runInto(Tensor const &a, Tensor const &b, Tensor const &out) {
    checkMatMulTensor(where_, out, "out");
    MatMulCheck const check = checkMatMul(where_, grouped_, graph_, a, b, out.elementType());
    checkMatMulOutput(where_, check, out, "out");
    countMapping(check, a, b);
    completeMapping(check, out);
    emit(check, a, b, out);
  }

  /// \param scale  a number or a tensor
  template <class Scale>
  void accumulate(Tensor const &c, Scale const &scale, Tensor const &a, Tensor const &b) {
    checkMatMulTensor(where_, c, "C");
    MatMulCheck const check = checkMatMul(where_, grouped_, graph_, a, b, c.elementType());
    checkMatMulOutput(where_, check, c, "C");
    checkScale(scale, a);
    if (check.isEmpty())
      return;
    Tensor const result = product(a, b, check, c.elementType());
    ::popops::scaledAddTo(graph_, c, result, scale, prog_, {debugContext_, "add"});
  }

private:
  Tensor product(Tensor const &a, Tensor const &b, MatMulCheck const &check,
                 Type const &outputType) {
    Tensor const out = graph_.addVariable(outputType, check.outShape(), debugContext_);
    countMapping(check, a, b);
    completeMapping(check, out);
    emit(check, a, b, out);
    return out;
  }

  /// Where options ask for it the plan is one for operands that lie where they are.
  void countMapping(MatMulCheck const &check, Tensor const &a, Tensor const &b) {
    if (!options_.useOperandMapping || check.isTrivial() || plansForCpu(graph_.getTarget()) ||
        options_.fullyConnectedPass.starts_with("TRAINING"))
      return;
    cache_ = &ownCache_;
    planForMapping(where_, graph_, check.problem, options_, asGroups(a), asGroups(b), ownCache_);
  }

  /// Maps what is mapped nowhere as the plan says.
  void completeMapping(MatMulCheck const &check, Tensor const &out) {
    bool complete = true;
    auto const mapping = graph_.getTileMapping(out, &complete);
    if (complete || check.isEmpty())
      return;
    if (check.isTrivial() || plansForCpu(graph_.getTarget())) {
      graph_.setTileMapping(out, 0);
    } else {
      auto const plan =
          planMatMul(where_, graph_.getTarget(), check.problem, options_, cache_).tiles.plan;
      mapForPlan(graph_, asGroups(out), MatMulSide::OUTPUT, check.problem, options_, plan);
    }
    graph_.setTileMapping(out, mapping);
  }

  void emit(MatMulCheck const &check, Tensor const &a, Tensor const &b, Tensor const &out) {
    EpilogueViews operands;
    if (epilogue_)
      operands = productOperands(where_, *epilogue_, check.outShape());
    if (check.isEmpty())
      return;
    MatMulJob job;
    job.where = where_;
    job.a = asGroups(a), job.b = asGroups(b), job.out = asGroups(out);
    job.options = options_, job.cache = cache_;
    // Partial products, and vertices for tiles, leave their sums to an epilogue that comes
    // afterwards.
    bool const fused = plansForCpu(graph_.getTarget()) && !check.isTrivial() &&
                       planner::cpuDepthParts(check.problem) == 1;
    if (fused)
      job.epilogue = epilogue_, job.operands = operands;
    if (!epilogue_ || fused)
      return emitSums(check, job);
    Tensor const result = job.out;
    job.out = sumsLike(result);
    emitSums(check, job);
    emitFinish(graph_, *epilogue_, operands, job.out, result, prog_, debugContext_);
  }

  void emitSums(MatMulCheck const &check, MatMulJob const &job) {
    if (check.isTrivial())
      ::popops::zero(graph_, job.out, prog_, debugContext_);
    else
      emitMatMul(graph_, job, prog_, debugContext_);
  }

  /// A variable for sums that an epilogue reads: not rounded to half, unless partial results are.
  Tensor sumsLike(Tensor const &out) {
    bool const half =
        out.elementType() == ::poplar::HALF && options_.partials == planner::MatMulType::HALF;
    Tensor const sums = graph_.addVariable(half ? ::poplar::HALF : ::poplar::FLOAT, out.shape(),
                                           {debugContext_, "sums"});
    graph_.setTileMapping(sums, graph_.getTileMapping(out));
    return sums;
  }

  void checkScale(float, Tensor const &) const {}
  void checkScale(Tensor const &scale, Tensor const &a) const {
    using ::poputil::poplibs_error;
    checkMatMulTensor(where_, scale, "k");
    if (scale.numElements() != 1)
      base::fail<poplibs_error>(where_, "'k' has shape ", base::shapeText(scale.shape()),
                                "; it must have one element");
    Type const type = resultType(a.elementType());
    if (scale.elementType() != type)
      base::fail<poplibs_error>(where_, "'k' is of type ", scale.elementType(), ", 'A' of type ",
                                a.elementType(), "; 'k' must be ", type);
  }

  char const *where_;
  bool grouped_;
  Graph &graph_;
  Sequence &prog_;
  DebugContext const &debugContext_;
  MatMulOptions options_;
  PlanningCache ownCache_; ///< mapping and emission ask for one plan
  PlanningCache *cache_;
  EpilogueJob const *epilogue_ = nullptr;
};

} // namespace detail

POP_INLINE Tensor matMulWithEpilogue(::poplar::Graph &graph, EpilogueProduct const &product,
                                     EpilogueJob const &epilogue, ::poplar::program::Sequence &prog,
                                     ::poplar::DebugContext const &debugContext,
                                     ::poplar::OptionFlags const &options,
                                     ::poplin::PlanningCache *cache) {
  detail::MatMulCall call(product.where, product.grouped, graph, prog, debugContext, options,
                          cache);
  call.with(epilogue);
  if (!product.out.valid())
    return call.run(product.a, product.b, product.outputType);
  call.runInto(product.a, product.b, product.out);
  return product.out;
}

} // namespace cottonwood::poplin

namespace poplin {

POP_INLINE poplar::Tensor matMul(poplar::Graph &graph, poplar::Tensor const &A,
                                 poplar::Tensor const &B, poplar::program::Sequence &prog,
                                 poplar::Type const &outputType,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMul");
  poplar::DebugContext const context(di);
  return cottonwood::poplin::detail::MatMulCall("poplin::matMul", false, graph, prog, context,
                                                options, cache)
      .run(A, B, outputType);
}

POP_INLINE poplar::Tensor matMul(poplar::Graph &graph, poplar::Tensor const &A,
                                 poplar::Tensor const &B, poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options, PlanningCache *cache) {
  cottonwood::poplin::checkMatMulTensor("poplin::matMul", A, "A");
  return matMul(graph, A, B, prog, cottonwood::poplin::resultType(A.elementType()), debugContext,
                options, cache);
}

POP_INLINE void matMulWithOutput(poplar::Graph &graph, poplar::Tensor const &A_,
                                 poplar::Tensor const &B_, poplar::Tensor &out,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options_, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulWithOutput");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MatMulCall("poplin::matMulWithOutput", false, graph, prog, context,
                                         options_, cache)
      .runInto(A_, B_, out);
}

POP_INLINE poplar::Tensor matMulGrouped(poplar::Graph &graph, poplar::Tensor const &A,
                                        poplar::Tensor const &B, poplar::program::Sequence &prog,
                                        poplar::Type const &outputType,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulGrouped");
  poplar::DebugContext const context(di);
  return cottonwood::poplin::detail::MatMulCall("poplin::matMulGrouped", true, graph, prog, context,
                                                options, cache)
      .run(A, B, outputType);
}

POP_INLINE void matMulGroupedWithOutput(poplar::Graph &graph, poplar::Tensor const &A_,
                                        poplar::Tensor const &B_, poplar::Tensor &out,
                                        poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext,
                                        poplar::OptionFlags const &options_, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulGroupedWithOutput");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MatMulCall("poplin::matMulGroupedWithOutput", true, graph, prog,
                                         context, options_, cache)
      .runInto(A_, B_, out);
}

POP_INLINE void matMulAcc(poplar::Graph &graph, poplar::Tensor const &C, float k,
                          poplar::Tensor const &A, poplar::Tensor const &B,
                          poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                          poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulAcc");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MatMulCall("poplin::matMulAcc", false, graph, prog, context, options,
                                         cache)
      .accumulate(C, k, A, B);
}

POP_INLINE void matMulAcc(poplar::Graph &graph, poplar::Tensor const &C, poplar::Tensor const &k,
                          poplar::Tensor const &A, poplar::Tensor const &B,
                          poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                          poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulAcc");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MatMulCall("poplin::matMulAcc", false, graph, prog, context, options,
                                         cache)
      .accumulate(C, k, A, B);
}

POP_INLINE void matMulGroupedAcc(poplar::Graph &graph, poplar::Tensor const &C, float k,
                                 poplar::Tensor const &A, poplar::Tensor const &B,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulGroupedAcc");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MatMulCall("poplin::matMulGroupedAcc", true, graph, prog, context,
                                         options, cache)
      .accumulate(C, k, A, B);
}

POP_INLINE void matMulGroupedAcc(poplar::Graph &graph, poplar::Tensor const &C,
                                 poplar::Tensor const &k, poplar::Tensor const &A,
                                 poplar::Tensor const &B, poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &options, PlanningCache *cache) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "matMulGroupedAcc");
  poplar::DebugContext const context(di);
  cottonwood::poplin::detail::MatMulCall("poplin::matMulGroupedAcc", true, graph, prog, context,
                                         options, cache)
      .accumulate(C, k, A, B);
}

POP_INLINE poplar::Tensor transposeGroupedMatrix(poplar::Tensor const &A) {
  char const *const where = "poplin::transposeGroupedMatrix";
  cottonwood::poplin::checkMatMulTensor(where, A, "A");
  if (A.rank() != 3)
    cottonwood::base::fail<poputil::poplibs_error>(
        where, "'A' has shape ", cottonwood::base::shapeText(A.shape()), " of rank ", A.rank(),
        "; it must have rank 3: [g, m, n]");
  return A.dimShuffle({0, 2, 1});
}

} // namespace poplin
