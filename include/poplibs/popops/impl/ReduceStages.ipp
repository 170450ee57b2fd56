#pragma once

#include <popops/impl/ReduceStages.hpp>
#include <poputil/VertexTemplates.hpp>

#include <codelets/popops/ReduceFar.hpp>
#include <codelets/popops/ReduceFunctor.hpp>
#include <poplar/impl/codelet/Registry.hpp>

#include <string>

namespace cottonwood::popops {

POP_INLINE ReduceStage ReduceStage::behind(::poplar::Tensor const &partials) const {
  ReduceStage stage = *this;
  stage.in = partials;
  // Squares are taken once.
  stage.op = op == ::popops::Operation::SQUARE_ADD ? ::popops::Operation::ADD : op;
  stage.maps = false;
  stage.far = false;
  return stage;
}

POP_INLINE ReduceStage ReduceStage::partial(::poplar::Tensor const &part,
                                            ::poplar::Tensor const &result) const {
  return {part, result, op, false, ::poplar::Tensor(), maps, false, false, far};
}

POP_INLINE ReduceVertices::ReduceVertices(::poplar::Graph &graph,
                                          std::vector<::poplar::ComputeSet> &css,
                                          ::poplar::DebugContext const &debugContext,
                                          ReduceFunctorJob const *functor)
    : graph_(graph), css_(css), debugContext_(debugContext), functor_(functor) {
  if (functor_)
    codelet::addToGraph(graph_, functor_->codelets);
}

POP_INLINE ::poplar::ComputeSet ReduceVertices::nextSet() {
  if (stage_ == css_.size())
    css_.push_back(graph_.addComputeSet(debugContext_));
  return css_[stage_++];
}

POP_INLINE void ReduceVertices::addInterval(::poplar::ComputeSet cs, unsigned tile,
                                            ReduceStage const &stage,
                                            ::poplar::Interval const &interval) {
  std::size_t const inner = stage.out.dim(1);
  for (std::size_t at = interval.begin(); at != interval.end();) {
    std::size_t const row = at / inner, column = at % inner, rest = interval.end() - at;
    if (column == 0 && rest >= inner) {
      addRows(cs, tile, stage, row, row + rest / inner);
      at += rest / inner * inner;
      continue;
    }
    std::size_t const end = std::min(inner, column + rest);
    ReduceStage part = stage;
    part.in = stage.in.slice(row, row + 1, 0).slice(column, end, 2);
    part.out = stage.out[row].slice(column, end);
    add(cs, tile, part);
    at += end - column;
  }
}

POP_INLINE void ReduceVertices::addRows(::poplar::ComputeSet cs, unsigned tile,
                                        ReduceStage const &stage, std::size_t begin,
                                        std::size_t end) {
  ReduceStage part = stage;
  part.in = stage.in.slice(begin, end, 0);
  part.out = stage.out.slice(begin, end, 0);
  add(cs, tile, part);
}

POP_INLINE void ReduceVertices::add(::poplar::ComputeSet cs, unsigned tile,
                                    ReduceStage const &part) {
  if (functor_)
    return addFunctorVertex(cs, tile, part);
  bool const useScale = part.scale.valid();
  std::string name = "popops::Reduce";
  name += useScale ? "Scale" : "";
  name += part.update ? "Update" : "";
  auto const v = graph_.addVertex(
      cs, ::poputil::templateVertex(name, part.in.elementType(), part.out.elementType()),
      {{"in", part.in.flatten()}, {"out", part.out.flatten()}});
  if (useScale)
    graph_.connect(v["scale"], part.scale);
  graph_.setInitialValue(v["op"],
                         static_cast<unsigned>(part.op) | (part.far ? vertices::REDUCE_FAR : 0U));
  graph_.setInitialValue(v["reduced"], part.in.dim(1));
  graph_.setInitialValue(v["inner"], part.in.dim(2));
  graph_.setTileMapping(v, tile);
}

POP_INLINE void ReduceVertices::addFunctorVertex(::poplar::ComputeSet cs, unsigned tile,
                                                 ReduceStage const &part) {
  std::string name = ::poputil::templateVertex("popops::ReduceWith", part.in.elementType(),
                                               part.out.elementType());
  name.back() = ',';
  auto const v = graph_.addVertex(cs, name + functor_->name + ">",
                                  {{"in", part.in.flatten()}, {"out", part.out.flatten()}});
  graph_.setInitialValue(v["reduced"], part.in.dim(1));
  graph_.setInitialValue(v["inner"], part.in.dim(2));
  graph_.setInitialValue(v["stage"], (part.maps ? vertices::REDUCE_MAPS : 0U) |
                                         (part.finishes ? vertices::REDUCE_FINISHES : 0U));
  graph_.setInitialValue(v["functor"], functor_->words);
  graph_.setTileMapping(v, tile);
}

} // namespace cottonwood::popops
