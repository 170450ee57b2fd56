#pragma once

#include <popops/Rearrange.hpp>
#include <popops/impl/Layouts.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/TransposeTiles.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/graph/HandleAccess.hpp>

#include <numeric>
#include <optional>

namespace cottonwood::popops::detail {

using ::poputil::GroupingInfo;

/// Unsigned integers of the size of a type.
POP_INLINE ::poplar::Type bitsOf(::poplar::Target const &target, ::poplar::Type const &type) {
  switch (target.getTypeSize(type)) {
  case 1:
    return ::poplar::UNSIGNED_CHAR;
  case 2:
    return ::poplar::UNSIGNED_SHORT;
  case 4:
    return ::poplar::UNSIGNED_INT;
  default:
    return ::poplar::UNSIGNED_LONGLONG;
  }
}

POP_INLINE void addTransposeVertex(::poplar::Graph &graph, ::poplar::ComputeSet const &cs,
                                   Tensor const &in, Tensor const &out, unsigned rows,
                                   unsigned columns, unsigned tile) {
  auto const type = bitsOf(graph.getTarget(), in.elementType());
  auto const v = graph.addVertex(
      cs, ::poputil::templateVertex("popops::Transpose", type),
      {{"in", in.flatten().reinterpret(type)}, {"out", out.flatten().reinterpret(type)}});
  graph.setInitialValue(v["rows"], rows);
  graph.setInitialValue(v["columns"], columns);
  graph.setTileMapping(v, tile);
}

POP_INLINE std::string transposeNote(planner::TransposeChoice const &choice) {
  return planner::toText(choice.plan) + ": " + std::to_string(choice.terms.total()) + " cycles (" +
         std::to_string(choice.terms.exchange) + " exchange, " +
         std::to_string(choice.terms.compute) + " compute), " +
         std::to_string(choice.cost.temporaryBytes) + " bytes of temporaries" +
         (choice.exceedsMemory ? "; no plan fits" : "");
}

/// On several tiles: in [matrices, rows, columns] to out [matrices, columns, rows], which is new.
POP_INLINE void addPlannedTransposes(::poplar::Graph &graph, ::poplar::ComputeSet const &cs,
                                     Tensor const &in, Tensor const &out,
                                     ::poplar::DebugContext const &debugContext) {
  planner::IntervalLayout const layout = intervalLayout(graph, in.flatten());
  planner::TransposeProblem const problem = transposeProblem(graph, in);
  planner::TransposeChoice const choice = planner::planTranspose(problem, layout);
  graph::HandleAccess::data(graph)->addNote(debugContext.getPathName(), transposeNote(choice));
  auto const add = [&](Tensor const &from, Tensor const &to, unsigned tile) {
    graph.setTileMapping(to, tile);
    addTransposeVertex(graph, cs, from, to, static_cast<unsigned>(from.dim(1)),
                       static_cast<unsigned>(from.dim(2)), tile);
  };
  planner::TransposePlan const &plan = choice.plan;
  if (plan.home) {
    for (planner::HomeMatrices const &home : planner::TransposeCost(problem, layout).homes())
      add(in.slice(home.begin, home.end), out.slice(home.begin, home.end), home.tile);
    return;
  }
  unsigned tile = 0;
  for (std::size_t m = 0; m < problem.matrices; m += plan.matrices)
    for (std::size_t r = 0; r < problem.rows; r += plan.rows)
      for (std::size_t c = 0; c < problem.columns; c += plan.columns) {
        std::size_t const endM = std::min<std::size_t>(m + plan.matrices, problem.matrices),
                          endR = std::min<std::size_t>(r + plan.rows, problem.rows),
                          endC = std::min<std::size_t>(c + plan.columns, problem.columns);
        add(in.slice({m, r, c}, {endM, endR, endC}), out.slice({m, c, r}, {endM, endC, endR}),
            tile++);
      }
}

POP_INLINE void checkRearranged(char const *where, char const *what, Tensor const &t) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is an invalid tensor");
}

POP_INLINE void checkGrouping(char const *what, Tensor const &t, GroupingInfo const &grouping) {
  if (grouping.first >= t.rank() || grouping.second == 0 ||
      t.dim(grouping.first) % grouping.second != 0)
    base::fail<::poputil::poplibs_error>(
        "popops::rearrange::regroupTensor", "'", what, "' is groups of ", grouping.second,
        " along dimension ", grouping.first, " of 't' of shape ", base::shapeText(t.shape()),
        "; they must divide a dimension of it");
}

/// A variable of the shape of t in which groups along a dimension lie together.
POP_INLINE Tensor addGrouped(::poplar::Graph &graph, Tensor const &t, GroupingInfo const &to,
                             ::poplar::DebugContext const &debugContext) {
  auto shape = t.shape();
  shape[to.first] /= to.second;
  shape.push_back(to.second);
  Tensor const variable = graph.addVariable(t.elementType(), t.getMetadata(), shape, debugContext);
  ::poputil::mapTensorLinearly(graph, variable, to.second, to.second);
  // The groups next to the dimension they are of.
  return variable.dimRoll(t.rank(), to.first + 1).reshape(t.shape());
}

/// What `ref` is grouped by if `in` gains from being grouped so as well.
POP_INLINE std::optional<GroupingInfo>
beneficialGrouping(::poplar::Graph const &graph, Tensor const &in, GroupingInfo const &wanted) {
  unsigned const grain = ::popops::rearrange::getMinimumRegroupGrainSize(in.elementType());
  auto const now = ::poputil::detectDimGroupings(graph, in);
  if (now.empty() || now[0].first == wanted.first || now[0].second % grain != 0 ||
      wanted.first >= in.rank())
    return std::nullopt;
  auto const size = static_cast<unsigned>(std::gcd(in.dim(wanted.first), wanted.second));
  if (size % grain != 0 || size < 2)
    return std::nullopt;
  return GroupingInfo(wanted.first, size);
}

POP_INLINE std::optional<GroupingInfo> groupingLike(::poplar::Graph const &graph, Tensor const &in,
                                                    Tensor const &ref) {
  checkRearranged("popops::rearrange::regroupIfBeneficial", "in", in);
  checkRearranged("popops::rearrange::regroupIfBeneficial", "ref", ref);
  auto const wanted = ::poputil::detectDimGroupings(graph, ref);
  if (wanted.empty() || in.rank() != ref.rank())
    return std::nullopt;
  return beneficialGrouping(graph, in, wanted[0]);
}

} // namespace cottonwood::popops::detail

namespace cottonwood::popops {

POP_INLINE planner::TransposeProblem transposeProblem(::poplar::Graph const &graph,
                                                      Tensor const &in) {
  ::poplar::Target const &target = graph.getTarget();
  planner::TransposeProblem problem;
  problem.matrices = in.dim(0);
  problem.rows = in.dim(1);
  problem.columns = in.dim(2);
  problem.tiles = target.getNumTiles();
  problem.workers = target.getNumWorkerContexts();
  problem.tilesPerBus =
      target.supportsExchangeBusSharing() ? target.getTilesPerSharedExchangeBus() : 1;
  problem.elementBytes = static_cast<unsigned>(target.getTypeSize(in.elementType()));
  problem.bytesPerTile = target.getBytesPerTile();
  return problem;
}

} // namespace cottonwood::popops

namespace popops {
namespace rearrange {

POP_INLINE bool canUseFastTranspose(poplar::Target const &target, poplar::Type const &type,
                                    unsigned numRows, unsigned numColumns,
                                    unsigned numTranspositions) {
  auto const bytes = target.getTypeSize(type);
  unsigned const grain = bytes == 1 ? 8 : bytes == 2 ? 4 : bytes == 4 ? 2 : 0;
  return grain != 0 && numTranspositions != 0 && numRows != 0 && numColumns != 0 &&
         numRows % grain == 0 && numColumns % grain == 0;
}

POP_INLINE void addTransposeVertices(
    poplar::Graph &graph, poplar::ComputeSet const &cs, poplar::Type const &dType, unsigned rows,
    unsigned cols, poplar::Graph::TileToTensorMapping const &mapping,
    std::function<std::pair<poplar::Tensor const, poplar::Tensor const>(std::size_t)> getInOut,
    poplar::DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  if (!getInOut)
    base::fail<poputil::poplibs_error>(
        "popops::rearrange::addTransposeVertices",
        "'getInOut' is empty; it must be a function of the number of a matrix");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "addTransposeVertices");
  std::size_t const elements = std::size_t(rows) * cols;
  if (elements == 0)
    return;
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    std::vector<poplar::Tensor> ins, outs;
    for (poplar::Interval const &interval : mapping[tile])
      for (std::size_t i = interval.begin(); i != interval.end(); ++i) {
        auto const pair = getInOut(i);
        for (poplar::Tensor const *t : {&pair.first, &pair.second})
          if (t->elementType() != dType || t->numElements() != elements)
            base::fail<poputil::poplibs_error>("popops::rearrange::addTransposeVertices", "matrix ",
                                               i, " has shape ", base::shapeText(t->shape()),
                                               " of type ", t->elementType(), "; it must have ",
                                               elements, " elements of type ", dType);
        ins.push_back(pair.first.flatten());
        outs.push_back(pair.second.flatten());
      }
    if (!ins.empty())
      cottonwood::popops::detail::addTransposeVertex(graph, cs, poplar::concat(ins),
                                                     poplar::concat(outs), rows, cols, tile);
  }
}

POP_INLINE poplar::Tensor partialTranspose(poplar::Graph &graph, poplar::Tensor const &in,
                                           poplar::ComputeSet const &cs,
                                           poplar::DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  cottonwood::popops::detail::checkRearranged("popops::rearrange::partialTranspose", "in", in);
  if (in.rank() < 2)
    base::fail<poputil::poplibs_error>("popops::rearrange::partialTranspose", "'in' has shape ",
                                       base::shapeText(in.shape()),
                                       "; its rank must be at least 2");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "partialTranspose");
  unsigned const rank = in.rank();
  auto shape = in.shape();
  std::swap(shape[rank - 1], shape[rank - 2]);
  auto const rows = static_cast<unsigned>(in.dim(rank - 2)),
             columns = static_cast<unsigned>(in.dim(rank - 1));
  poplar::Tensor const out = graph.addVariable(in.elementType(), in.getMetadata(), shape, {di});
  if (out.numElements() == 0)
    return out;
  std::size_t const matrices = in.numElements() / rows / columns;
  poplar::Tensor const from = in.reshape({matrices, std::size_t(rows) * columns}),
                       to = out.reshape({matrices, std::size_t(rows) * columns});
  if (graph.getTarget().getNumTiles() > 1) {
    cottonwood::popops::detail::addPlannedTransposes(graph, cs,
                                                     in.reshape({matrices, rows, columns}),
                                                     out.reshape({matrices, columns, rows}), {di});
    return out;
  }
  double const matrixCycles = 2. * rows * columns;
  for (auto const &share : cottonwood::popops::rowSharesOf(graph, from, matrixCycles)) {
    auto const &run = share.intervals.front();
    graph.setTileMapping(to.slice(run), share.tile);
    cottonwood::popops::detail::addTransposeVertex(graph, cs, from.slice(run), to.slice(run), rows,
                                                   columns, share.tile);
  }
  return out;
}

POP_INLINE unsigned getMinimumRegroupGrainSize(poplar::Type const &type) {
  if (type == poplar::QUARTER)
    return 8;
  if (type == poplar::HALF || type == poplar::SHORT || type == poplar::UNSIGNED_SHORT)
    return 4;
  return type == poplar::FLOAT || type == poplar::INT || type == poplar::UNSIGNED_INT ? 2 : 1;
}

POP_INLINE poplar::Tensor regroupTensor(poplar::Graph &graph, poplar::Tensor const &t,
                                        std::vector<poplar::program::Copy> &copies,
                                        poplar::ComputeSet const &,
                                        poputil::GroupingInfo const &from,
                                        poputil::GroupingInfo const &to,
                                        poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkRearranged("popops::rearrange::regroupTensor", "t", t);
  detail::checkGrouping("from", t, from);
  detail::checkGrouping("to", t, to);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "regroupTensor");
  poplar::Tensor const grouped = detail::addGrouped(graph, t, to, {di});
  copies.emplace_back(t, grouped, false, poplar::DebugContext(di));
  return grouped;
}

POP_INLINE poplar::Tensor
regroupTensor(poplar::Graph &graph, poplar::Tensor const &t, poplar::program::Sequence &copies,
              poplar::ComputeSet const &transposeCS, poputil::GroupingInfo const &from,
              poputil::GroupingInfo const &to, poplar::DebugContext const &debugContext) {
  std::vector<poplar::program::Copy> list;
  poplar::Tensor const grouped = regroupTensor(graph, t, list, transposeCS, from, to, debugContext);
  for (auto const &copy : list)
    copies.add(copy);
  return grouped;
}

POP_INLINE poplar::Tensor regroupIfPossible(poplar::Graph &graph, poplar::Tensor const &t,
                                            poplar::program::Sequence &prog,
                                            poputil::GroupingInfo const &to,
                                            poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkRearranged("popops::rearrange::regroupIfPossible", "t", t);
  if (to.first >= t.rank() || to.second < 2 || t.dim(to.first) % to.second != 0)
    return t;
  auto const now = poputil::detectDimGroupings(graph, t);
  if (t.numElements() == 0 ||
      (!now.empty() && now[0].first == to.first && now[0].second % to.second == 0))
    return t;
  auto const from = now.empty() ? poputil::GroupingInfo(to.first, 1) : now[0];
  return regroupTensor(graph, t, prog, poplar::ComputeSet(), from, to, debugContext);
}

POP_INLINE poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, poplar::Tensor const &in,
                                              poplar::Tensor const &ref,
                                              poplar::program::Sequence &prog,
                                              poplar::DebugContext const &debugContext) {
  auto const to = cottonwood::popops::detail::groupingLike(graph, in, ref);
  return to ? regroupIfPossible(graph, in, prog, *to, debugContext) : in;
}

POP_INLINE poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, poplar::Tensor const &in,
                                              poplar::Tensor const &ref,
                                              std::vector<poplar::program::Copy> &copies,
                                              poplar::ComputeSet transposeCS,
                                              poplar::DebugContext const &debugContext) {
  auto const to = cottonwood::popops::detail::groupingLike(graph, in, ref);
  if (!to)
    return in;
  auto const from = poputil::detectDimGroupings(graph, in)[0];
  return regroupTensor(graph, in, copies, transposeCS, from, *to, debugContext);
}

POP_INLINE poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, poplar::Tensor const &in,
                                              std::size_t preferredGrouping,
                                              poplar::program::Sequence &prog,
                                              poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkRearranged("popops::rearrange::regroupIfBeneficial", "in", in);
  if (in.rank() == 0)
    return in;
  auto const to = cottonwood::popops::detail::beneficialGrouping(
      graph, in, {in.rank() - 1, static_cast<unsigned>(preferredGrouping)});
  return to ? regroupIfPossible(graph, in, prog, *to, debugContext) : in;
}

} // namespace rearrange
} // namespace popops
