#pragma once

#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/ElementWiseTiles.hpp>
#include <popops/impl/MapEmit.hpp>
#include <popops/impl/MapFunctorEmit.hpp>
#include <popops/impl/MapOperand.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/BroadcastShape.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Registry.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

/// Cycles of a tile for 8 elements: loads, a few instructions and a store for each vector of two.
POP_INLINE unsigned functorCyclesPer8(std::size_t numOperands) {
  return static_cast<unsigned>(4 * (numOperands + 5));
}

POP_INLINE bool fitsKind(::poplar::Type const &type, ::poplar::Type const &kind) {
  return type == kind || (kind == ::poplar::FLOAT && type == ::poplar::HALF);
}
POP_INLINE std::string kindText(::poplar::Type const &kind) {
  return kind == ::poplar::FLOAT ? "float or half" : kind.toString().cloneAsString();
}

/// \returns  the shape of the result
POP_INLINE std::vector<std::size_t> checkMapFunctor(MapFunctorJob const &job,
                                                    std::vector<Tensor> const &operands) {
  using ::poputil::poplibs_error;
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i != operands.size(); ++i) {
    if (!operands[i].valid())
      base::fail<poplibs_error>(job.where, "operand ", i, " of the functor is an invalid tensor");
    if (!fitsKind(operands[i].elementType(), job.kinds[i]))
      base::fail<poplibs_error>(job.where, "operand ", i, " of the functor is of type ",
                                operands[i].elementType(), "; it must be ", kindText(job.kinds[i]));
    auto const common = poputil::commonShape(shape, operands[i].shape());
    if (!common)
      base::fail<poplibs_error>(
          job.where, "the shape ", base::shapeText(operands[i].shape()), " of operand ", i,
          " does not fit the shape ", base::shapeText(shape),
          " of those before it; dimensions, counted from the last, must be equal or 1");
    shape = *common;
  }
  return shape;
}

POP_INLINE ::poplar::Type functorOutType(MapFunctorJob const &job,
                                         std::vector<Tensor> const &operands,
                                         ::poplar::Type const &wanted) {
  if (wanted != ::poplar::Type()) {
    if (!fitsKind(wanted, job.resultKind))
      base::fail<::poputil::poplibs_error>(job.where, "the output is of type ", wanted,
                                           "; the functor gives ", kindText(job.resultKind));
    return wanted;
  }
  if (job.resultKind != ::poplar::FLOAT)
    return job.resultKind;
  bool anyHalf = false, anyFloat = false;
  for (std::size_t i = 0; i != operands.size(); ++i)
    if (job.kinds[i] == ::poplar::FLOAT)
      (operands[i].elementType() == ::poplar::HALF ? anyHalf : anyFloat) = true;
  return anyHalf && !anyFloat ? ::poplar::HALF : ::poplar::FLOAT;
}

class MapFunctorEmitter {
public:
  MapFunctorEmitter(::poplar::Graph &graph, MapFunctorJob const &job,
                    std::vector<Tensor> const &tensors, Tensor const &out, bool isNew)
      : graph_(graph), job_(job), isNew_(isNew) {
    for (Tensor const &t : tensors)
      isOutput_.push_back(t == out);
    ElementOrder const order = elementOrder(graph, out, tensors, isInPlace());
    flat_ = order.flat(out);
    operands_.reserve(tensors.size());
    for (Tensor const &t : tensors)
      operands_.emplace_back(order.ordered(t), order.shape(), *mapTypeOf(t.elementType()), false);
  }

  void emit(::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext) const {
    codelet::addToGraph(graph_, job_.codelets);
    auto const cs = graph_.addComputeSet(debugContext);
    bool const inPlace = isInPlace();
    std::string const name = std::string(inPlace ? "popops::MapWithInPlace<" : "popops::MapWith<") +
                             flat_.elementType().toString().cloneAsString() + job_.suffix;
    planner::TileMapPlan plan;
    for (Share const &share : shares(inPlace, debugContext, plan))
      addVertex(cs, name, share, plan.broadcasts);
    prog.add(::poplar::program::Execute(cs, debugContext));
  }

private:
  bool isInPlace() const {
    return std::find(isOutput_.begin(), isOutput_.end(), true) != isOutput_.end();
  }

  std::vector<Share> shares(bool inPlace, ::poplar::DebugContext const &debugContext,
                            planner::TileMapPlan &plan) const {
    if (auto job = tileMapJob(graph_, flat_, isNew_)) {
      job->problem.inPlace = inPlace;
      job->problem.cyclesPer8 = functorCyclesPer8(operands_.size());
      for (unsigned i = 0; i != operands_.size(); ++i)
        if (!isOutput_[i]) {
          job->operands.push_back(operands_[i].planned(graph_));
          job->operands.back().source = i;
        }
      return plannedShares(graph_, *job, flat_, debugContext, plan);
    }
    planner::ElementWiseProblem problem;
    problem.elements = flat_.numElements();
    problem.cyclesPer8 = functorCyclesPer8(operands_.size());
    problem.bytesPer8 = static_cast<unsigned>(32 * (operands_.size() + 1));
    return sharesOf(graph_, flat_, planner::planElementWise(problem, crewOf(graph_.getTarget())));
  }

  /// \param laidOut  see MapOperand::region()
  void addVertex(::poplar::ComputeSet const &cs, std::string const &name, Share const &share,
                 bool laidOut) const {
    static constexpr char const *FIELDS[] = {"inFloat", "inHalf", "inInt", "inUnsigned", "inBool"};
    std::vector<Tensor> regions[vertices::NUM_MAP_TYPES];
    std::vector<unsigned> words;
    for (std::size_t i = 0; i != operands_.size(); ++i) {
      auto const type = static_cast<unsigned>(operands_[i].type());
      if (isOutput_[i]) {
        auto const source = static_cast<unsigned>(vertices::MapSource::OUTPUT);
        words.insert(words.end(), {type | source << 8U, 0, 1, 0});
        continue;
      }
      OperandRegion const part = operands_[i].region(share, laidOut);
      words.insert(words.end(), {type | static_cast<unsigned>(regions[type].size()) << 16U,
                                 part.pattern.period, part.pattern.repeat, part.pattern.phase});
      regions[type].push_back(part.region);
    }
    auto const v = graph_.addVertex(cs, name);
    for (unsigned type = 0; type != vertices::NUM_MAP_TYPES; ++type)
      graph_.connect(v[FIELDS[type]], ::poplar::ArrayRef<Tensor>(regions[type]));
    graph_.connect(v["out"], partOf(flat_, share));
    graph_.setInitialValue(v["operands"], words);
    graph_.setInitialValue(v["functor"], job_.words);
    graph_.setInitialValue(v["cyclesPer8"], functorCyclesPer8(operands_.size()));
    graph_.setTileMapping(v, share.tile);
  }

  ::poplar::Graph &graph_;
  MapFunctorJob const &job_;
  bool isNew_;
  Tensor flat_;
  std::vector<MapOperand> operands_;
  std::vector<bool> isOutput_;
};

/// Into a tensor of the right shape and type that overlaps no operand but is one or none of them.
/// \param isNew  nobody has seen `out`: it may be mapped anew
POP_INLINE void emitMapFunctor(::poplar::Graph &graph, MapFunctorJob const &job,
                               std::vector<Tensor> const &operands, Tensor const &out,
                               ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &debugContext, bool isNew = false) {
  if (out.numElements() != 0)
    MapFunctorEmitter(graph, job, operands, out, isNew).emit(prog, debugContext);
}

} // namespace detail

POP_INLINE Tensor mapWithFunctor(::poplar::Graph &graph, MapFunctorJob const &job,
                                 std::vector<Tensor> const &operands, ::poplar::Type const &outType,
                                 ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &debugContext) {
  auto const shape = detail::checkMapFunctor(job, operands);
  auto const type = detail::functorOutType(job, operands, outType);
  Tensor const out = newMapResult(graph, operands, shape, type, debugContext);
  detail::emitMapFunctor(graph, job, operands, out, prog, debugContext, true);
  return out;
}

POP_INLINE void mapWithFunctorTo(::poplar::Graph &graph, MapFunctorJob const &job,
                                 std::vector<Tensor> const &operands, Tensor const &out,
                                 ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &debugContext) {
  auto const shape = detail::checkMapFunctor(job, operands);
  if (!out.valid())
    base::fail<::poputil::poplibs_error>(job.where, "the output is an invalid tensor");
  detail::functorOutType(job, operands, out.elementType());
  checkMapOutput(job.where, shape, out.elementType(), out);
  bool disturbs = false;
  for (Tensor const &t : operands)
    disturbs = disturbs || (!(t == out) && t.intersectsWith(out));
  if (!disturbs)
    return detail::emitMapFunctor(graph, job, operands, out, prog, debugContext);
  Tensor const result = graph.clone(out, debugContext);
  detail::emitMapFunctor(graph, job, operands, result, prog, debugContext);
  prog.add(::poplar::program::Copy(result, out, false, debugContext));
}

} // namespace cottonwood::popops
