#pragma once

#include <popops/Cast.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/ElementWiseTiles.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/ReadOptions.hpp>

#include <codelets/popops/ScaledAddCost.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

#include <cmath>
#include <optional>
#include <vector>

namespace cottonwood::popops::detail {

using ::poplar::Type;

/// a = [scaleA] a + factor * scaleB * b. Scales are numbers or tensors, both of one kind.
struct ScaledAddJob {
  Tensor a, b;
  float scaleA = 1, scaleB = 1; ///< used without tensors
  Tensor tensorA, tensorB;
  bool tensors = false; ///< scales are tensors
  bool scalesA = false; ///< there is a scale of A
  bool subtract = false;
  bool oneMinusA = false; ///< a - scaleA a instead of scaleA a
};

/// Those that there are. \tparam Job  ScaledAddJob, const or not
template <class Job> auto tensorScales(Job &job) {
  std::vector<decltype(&job.tensorA)> scales;
  if (job.tensors && job.scalesA)
    scales.push_back(&job.tensorA);
  if (job.tensors)
    scales.push_back(&job.tensorB);
  return scales;
}

class ScaledAddEmitter {
public:
  ScaledAddEmitter(char const *where, ::poplar::Graph &graph, ::poplar::program::Sequence &prog,
                   ::poplar::DebugContext const &debugContext, ::poplar::OptionFlags const &options)
      : where_(where), graph_(graph), prog_(prog), debugContext_(debugContext) {
    checkOptions(options);
  }

  void run(ScaledAddJob job) {
    check(job);
    if (job.a.numElements() == 0)
      return;
    Type const type = job.a.elementType();
    Type const scaleType = type == ::poplar::HALF ? ::poplar::FLOAT : type;
    bool const mixed = type.isFloatingPoint() && job.b.elementType().isFloatingPoint();
    if (!mixed && job.b.elementType() != type)
      job.b = ::popops::cast(graph_, job.b, type, prog_, debugContext_);
    for (Tensor *scale : tensorScales(job))
      if (scale->elementType() != scaleType)
        *scale = ::popops::cast(graph_, *scale, scaleType, prog_, debugContext_);
      else if (scale->intersectsWith(job.a))
        *scale = ::poputil::duplicate(graph_, *scale, prog_, debugContext_);
    if (!(job.b == job.a) && job.b.intersectsWith(job.a))
      job.b = ::poputil::duplicate(graph_, job.b, prog_, debugContext_);
    addVertices(job);
  }

private:
  void checkOptions(::poplar::OptionFlags const &options) const {
    if (options.size() == 0)
      return;
    bool optimizeForSpeed = false;
    double tolerance =
        1e-6; // products are computed in float in any case, which is within every tolerance
    using ::poplibs::OptionHandler;
    ::poplibs::OptionSpec const spec{
        {"optimizeForSpeed", OptionHandler::createWithBool(optimizeForSpeed)},
        {"scaleFloatToHalfTolerance", poputil::numberOption(tolerance, 0.0)}};
    poputil::readOptions(where_, spec, options);
  }

  void check(ScaledAddJob const &job) const {
    using ::poputil::poplibs_error;
    for (Tensor const *t : {&job.a, &job.b})
      if (!t->valid())
        base::fail<poplibs_error>(where_, "'", t == &job.a ? "A" : "B", "' is an invalid tensor");
    if (job.a.shape() != job.b.shape())
      base::fail<poplibs_error>(where_, "'A' has shape ", base::shapeText(job.a.shape()),
                                ", 'B' has shape ", base::shapeText(job.b.shape()),
                                "; they must be equal");
    poputil::checkWriteable(where_, "'A'", job.a);
    checkType("A", job.a);
    checkType("B", job.b);
    for (Tensor const *scale : tensorScales(job)) {
      char const *const name = scale == &job.tensorA ? "scaleA" : "scaleB";
      if (!scale->valid())
        base::fail<poplibs_error>(where_, "'", name, "' is an invalid tensor");
      if (scale->numElements() != 1)
        base::fail<poplibs_error>(where_, "'", name, "' has shape ",
                                  base::shapeText(scale->shape()), "; it must have one element");
      checkType(name, *scale);
    }
    if (!job.tensors && job.scalesA)
      checkNumber("scaleA", job.scaleA, job.a.elementType());
    if (!job.tensors)
      checkNumber("scaleB", job.scaleB, job.a.elementType());
  }

  void checkNumber(char const *name, float value, Type const &type) const {
    float const limit = type == ::poplar::INT ? 0x1p31F : 0x1p32F;
    if (!type.isFloatingPoint() && !(value >= -limit && value < limit))
      base::fail<::poputil::poplibs_error>(where_, "'", name, "' is ", value,
                                           "; for elements of type ", type, " it must lie between ",
                                           -limit, " and ", limit);
  }

  void checkType(char const *name, Tensor const &t) const {
    Type const type = t.elementType();
    if (type != ::poplar::FLOAT && type != ::poplar::HALF && type != ::poplar::INT &&
        type != ::poplar::UNSIGNED_INT)
      base::fail<::poputil::poplibs_error>(where_, "'", name, "' is of type ", type,
                                           "; allowed: float, half, int, unsigned int");
  }

  void addVertices(ScaledAddJob const &job) {
    ElementOrder const order = elementOrder(graph_, job.a, {job.b}, true);
    Tensor const a = order.flat(job.a), b = order.flat(job.b);
    std::string const kind = job.scalesA ? "popops::Axpby" : "popops::ScaledAdd";
    std::string const name = ::poputil::templateVertex(kind + (job.tensors ? "Tensor" : ""),
                                                       a.elementType(), b.elementType());
    auto const cs = graph_.addComputeSet(debugContext_);
    for (Share const &share : sharesFor(job, a, b)) {
      auto const v = graph_.addVertex(cs, name, {{"a", partOf(a, share)}, {"b", partOf(b, share)}});
      if (job.tensors)
        connectScales(v, job);
      else
        setScales(v, job);
      graph_.setTileMapping(v, share.tile);
    }
    prog_.add(::poplar::program::Execute(cs, debugContext_));
  }

  /// \param a, b  in the order in which vertices go through them
  std::vector<Share> sharesFor(ScaledAddJob const &job, Tensor const &a, Tensor const &b) {
    if (auto tiles = tileMapJob(graph_, a, false)) {
      tiles->problem.inPlace = true;
      tiles->problem.cyclesPer8 = cyclesPer8(job);
      tiles->operands.push_back(tileMapOperand(graph_, b));
      planner::TileMapPlan plan;
      return plannedShares(graph_, *tiles, a, debugContext_, plan);
    }
    planner::ElementWiseProblem problem;
    problem.elements = a.numElements();
    return sharesOf(graph_, a, planner::planElementWise(problem, crewOf(graph_.getTarget())));
  }

  /// Of one worker.
  unsigned cyclesPer8(ScaledAddJob const &job) const {
    ::poplar::Target const &target = graph_.getTarget();
    unsigned const workers = target.getNumWorkerContexts();
    vertices::ScaledAddCostProblem problem;
    problem.bytesOfA = static_cast<unsigned>(target.getTypeSize(job.a.elementType()));
    problem.bytesOfB = static_cast<unsigned>(target.getTypeSize(job.b.elementType()));
    problem.integer = !job.a.elementType().isFloatingPoint();
    problem.elements = 8 * workers;
    std::uint64_t const one = vertices::scaledAddCycles(problem, workers);
    problem.elements = 16 * workers;
    return static_cast<unsigned>((vertices::scaledAddCycles(problem, workers) - one) / workers);
  }

  void connectScales(::poplar::VertexRef const &v, ScaledAddJob const &job) {
    bool const isUnsigned = job.a.elementType() == ::poplar::UNSIGNED_INT;
    graph_.connect(v["scaleB"], job.tensorB);
    if (job.scalesA) {
      graph_.connect(v["scaleA"], job.tensorA);
      graph_.setInitialValue(v["oneMinusA"], job.oneMinusA ? 1U : 0U);
    }
    // Integers wrap: the factor -1 of an unsigned one is its largest value.
    if (isUnsigned)
      graph_.setInitialValue(v["factor"], job.subtract ? ~0U : 1U);
    else
      graph_.setInitialValue(v["factor"], job.subtract ? -1 : 1);
  }

  void setScales(::poplar::VertexRef const &v, ScaledAddJob const &job) {
    Type const type = job.a.elementType();
    float const scaleB = job.subtract ? -job.scaleB : job.scaleB;
    if (type.isFloatingPoint()) {
      graph_.setInitialValue(v["scaleB"], scaleB);
      if (job.scalesA)
        graph_.setInitialValue(v["scaleA"], job.oneMinusA ? 1 - job.scaleA : job.scaleA);
      return;
    }
    // Towards zero, as tensors are cast, before anything is computed of them.
    auto const scaleA = static_cast<long long>(job.scaleA);
    setInteger(v["scaleB"], static_cast<long long>(scaleB), type);
    if (job.scalesA)
      setInteger(v["scaleA"], job.oneMinusA ? 1 - scaleA : scaleA, type);
  }

  // A negative unsigned scale wraps, so that adding it subtracts.
  void setInteger(::poplar::FieldRef const &field, long long value, Type const &type) {
    if (type == ::poplar::INT)
      graph_.setInitialValue(field, static_cast<int>(value));
    else
      graph_.setInitialValue(field, static_cast<unsigned>(value));
  }

  char const *where_;
  ::poplar::Graph &graph_;
  ::poplar::program::Sequence &prog_;
  ::poplar::DebugContext const &debugContext_;
};

POP_INLINE void scaledAdd(char const *where, char const *api, ::poplar::Graph &graph,
                          ScaledAddJob const &job, ::poplar::program::Sequence &prog,
                          ::poplar::DebugContext const &debugContext,
                          ::poplar::OptionFlags const &options) {
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, api);
  ::poplar::DebugContext const context(di);
  ScaledAddEmitter(where, graph, prog, context, options).run(job);
}

POP_INLINE ScaledAddJob numbersJob(Tensor const &a, std::optional<float> scaleA, Tensor const &b,
                                   float scaleB, bool subtract) {
  ScaledAddJob job;
  job.a = a;
  job.b = b;
  job.scalesA = scaleA && *scaleA != 1;
  job.scaleA = scaleA.value_or(1);
  job.scaleB = scaleB;
  job.subtract = subtract;
  return job;
}

POP_INLINE ScaledAddJob tensorsJob(Tensor const &a, std::optional<Tensor> const &scaleA,
                                   Tensor const &b, Tensor const &scaleB, bool subtract) {
  ScaledAddJob job;
  job.a = a;
  job.b = b;
  job.tensors = true;
  job.scalesA = scaleA.has_value();
  job.tensorA = scaleA.value_or(Tensor());
  job.tensorB = scaleB;
  job.subtract = subtract;
  return job;
}

POP_INLINE bool isOneMinusA(::popops::ScaledAddSpecialisation speciality) {
  base::requireEnumerator<::poputil::poplibs_error>("popops::scaledAddTo",
                                                    "ScaledAddSpecialisation", speciality,
                                                    {"DEFAULT", "X_MINUS_AX_PLUS_BY"});
  return speciality == ::popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B, float scaleB,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledAddTo", "scaledAddTo", graph,
      cottonwood::popops::detail::numbersJob(A, {}, B, scaleB, false), prog, debugContext, options);
}

POP_INLINE void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                            poplar::Tensor scaleB, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledAddTo", "scaledAddTo", graph,
      cottonwood::popops::detail::tensorsJob(A, {}, B, scaleB, false), prog, debugContext, options);
}

POP_INLINE void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                            poplar::Tensor B, poplar::Tensor scaleB,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledAddTo", "scaledAddTo", graph,
      cottonwood::popops::detail::tensorsJob(A, scaleA, B, scaleB, false), prog, debugContext,
      options);
}

POP_INLINE void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B,
                            float scaleB, poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledAddTo", "scaledAddTo", graph,
      cottonwood::popops::detail::numbersJob(A, scaleA, B, scaleB, false), prog, debugContext,
      options);
}

POP_INLINE void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                                   float scaleB, poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext,
                                   poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledSubtractFrom", "scaledSubtractFrom", graph,
      cottonwood::popops::detail::numbersJob(A, {}, B, scaleB, true), prog, debugContext, options);
}

POP_INLINE void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor B,
                                   poplar::Tensor scaleB, poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext,
                                   poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledSubtractFrom", "scaledSubtractFrom", graph,
      cottonwood::popops::detail::tensorsJob(A, {}, B, scaleB, true), prog, debugContext, options);
}

POP_INLINE void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                                   poplar::Tensor B, poplar::Tensor scaleB,
                                   poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext,
                                   poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledSubtractFrom", "scaledSubtractFrom", graph,
      cottonwood::popops::detail::tensorsJob(A, scaleA, B, scaleB, true), prog, debugContext,
      options);
}

POP_INLINE void scaledSubtractFrom(poplar::Graph &graph, poplar::Tensor A, float scaleA,
                                   poplar::Tensor B, float scaleB, poplar::program::Sequence &prog,
                                   poplar::DebugContext const &debugContext,
                                   poplar::OptionFlags const &options) {
  cottonwood::popops::detail::scaledAdd(
      "popops::scaledSubtractFrom", "scaledSubtractFrom", graph,
      cottonwood::popops::detail::numbersJob(A, scaleA, B, scaleB, true), prog, debugContext,
      options);
}

POP_INLINE void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, poplar::Tensor scaleA,
                            poplar::Tensor B, poplar::Tensor scaleB,
                            poplar::program::Sequence &prog,
                            ScaledAddSpecialisation const speciality,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options) {
  auto job = cottonwood::popops::detail::tensorsJob(A, scaleA, B, scaleB, false);
  job.oneMinusA = cottonwood::popops::detail::isOneMinusA(speciality);
  cottonwood::popops::detail::scaledAdd("popops::scaledAddTo", "scaledAddTo", graph, job, prog,
                                        debugContext, options);
}

POP_INLINE void scaledAddTo(poplar::Graph &graph, poplar::Tensor A, float scaleA, poplar::Tensor B,
                            float scaleB, poplar::program::Sequence &prog,
                            ScaledAddSpecialisation const speciality,
                            poplar::DebugContext const &debugContext,
                            poplar::OptionFlags const &options) {
  auto job = cottonwood::popops::detail::numbersJob(A, scaleA, B, scaleB, false);
  job.oneMinusA = cottonwood::popops::detail::isOneMinusA(speciality);
  if (job.oneMinusA && !job.scalesA)
    throw poputil::poplibs_error(
        "popops::scaledAddTo: scaleA = 1 with X_MINUS_AX_PLUS_BY leaves nothing of A; "
        "allowed: any other number");
  cottonwood::popops::detail::scaledAdd("popops::scaledAddTo", "scaledAddTo", graph, job, prog,
                                        debugContext, options);
}

} // namespace popops
