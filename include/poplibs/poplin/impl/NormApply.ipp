#pragma once

#include <poplin/impl/NormBoxes.hpp>
#include <poplin/impl/NormWalk.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/VertexTemplates.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace cottonwood::poplin {

namespace detail {

/// A field of an elementwise vertex and what it is connected to.
struct NormField {
  enum Kind { DATA, STATISTIC, CHANNEL };
  char const *name;
  Kind kind;
  Tensor t; ///< DATA: of the shape of activations; else a vector
};

/// Vectors of statistics and parameters that are cast in one step; on one tile in a step each, so
/// that those of ranges may follow each other there.
class NormCasts {
public:
  explicit NormCasts(NormCall const &call) : call_(call) {}

  Tensor cast(Tensor const &t, ::poplar::Type const &type) {
    if (t.elementType() == type)
      return t;
    Tensor const out = ::popops::cast(call_.graph, t, type, set(), call_.debugContext);
    if (isOneTile())
      finish();
    return out;
  }
  Tensor toFloat(Tensor const &t) { return cast(t, ::poplar::FLOAT); }
  /// Statistics, by vertices for each of the ranges that passes go by.
  Tensor toFloat(Tensor const &t, std::vector<::poplar::Interval> const &ranges) {
    std::size_t end = 0; // ranges follow each other unless statistics lie in another order
    for (auto const &range : ranges)
      end = range.begin() == end ? range.end() : std::numeric_limits<std::size_t>::max();
    if (t.elementType() == ::poplar::FLOAT || end != t.numElements() || ranges.empty())
      return toFloat(t);
    auto &graph = call_.graph;
    Tensor const out = graph.addVariable(::poplar::FLOAT, t.shape(), call_.debugContext);
    graph.setTileMapping(out, 0);
    for (auto const &range : ranges)
      ::popops::cast(graph, t.slice(range), out.slice(range), set());
    if (isOneTile())
      finish();
    return out;
  }
  /// Appends the step.
  void finish() {
    if (set_)
      call_.prog.add(::poplar::program::Execute(*set_, call_.debugContext));
    set_.reset();
  }

private:
  bool isOneTile() const { return call_.graph.getTarget().getNumTiles() == 1; }
  ::poplar::ComputeSet set() {
    if (!set_)
      set_ = call_.graph.addComputeSet(call_.debugContext);
    return *set_;
  }

  NormCall const &call_;
  std::optional<::poplar::ComputeSet> set_;
};

/// The ranges of elements in the order of memory that have sums of their own, if passes over all
/// elements follow these; else none. \param order  that of view.t
POP_INLINE std::vector<::poplar::Interval>
normRanges(::poplar::Graph const &graph, NormView const &view, popops::ElementOrder const &order) {
  std::vector<::poplar::Interval> ranges;
  if (graph.getTarget().getNumTiles() != 1)
    return ranges;
  NormLayout const layout(graph, view.t, view.stat);
  if (layout.order() == order && planner::passesFollowSums(normProblem(graph, layout)))
    for (NormBox const &box : normBoxes(graph, layout).boxes)
      ranges.push_back(box.intervals.front());
  return ranges;
}

/// What the vertices of a pass work on where it goes its own way.
POP_INLINE std::vector<popops::Share> normShares(::poplar::Graph const &graph, Tensor const &flat) {
  planner::ElementWiseProblem problem;
  problem.elements = flat.numElements();
  problem.bytesPer8 = 96;
  auto plan = planner::planElementWise(problem, popops::crewOf(graph.getTarget()));
  plan.gatherAbove = 0; // all of a tile in one share: its regular runs get a vertex each
  return popops::sharesOf(graph, flat, plan);
}

/// What statistics are to vertices: what they are, if each is that of a run of elements.
POP_INLINE ::poplar::Type statisticsType(Tensor const &acts, NormSets const &sets,
                                         Tensor const &mean, Tensor const &invStdDev) {
  auto const type = acts.elementType();
  return sets.grouped && mean.elementType() == type && invStdDev.elementType() == type
             ? type
             : ::poplar::FLOAT;
}

/// Adds the vertices of one elementwise pass.
/// \param statType  of statistics that vertices of this name take
/// \param out  the field that the pass follows.
POP_INLINE void emitNormPass(NormCall const &call, std::string const &vertex,
                             ::poplar::Type const &statType, NormSets const &sets,
                             Tensor const &out, std::vector<NormField> const &fields) {
  if (out.numElements() == 0)
    return;
  auto &graph = call.graph;
  NormView const view = normView(out, sets);
  popops::ElementOrder const order = popops::elementOrder(graph, view.t);
  NormWalkTable const table(view, order);
  std::vector<popops::Share> shares;
  std::vector<::poplar::Interval> statRanges;
  for (auto const &range : normRanges(graph, view, order)) {
    shares.push_back({0, {range}});
    statRanges.push_back(table.coefficients(range, false));
  }
  std::vector<Tensor> flat;
  NormCasts casts(call);
  for (NormField const &field : fields)
    flat.push_back(field.kind == NormField::DATA       ? order.flat(normView(field.t, sets).t)
                   : field.kind == NormField::CHANNEL  ? casts.toFloat(field.t)
                   : field.t.elementType() == statType ? field.t
                                                       : casts.toFloat(field.t, statRanges));
  casts.finish();
  if (shares.empty())
    shares = normShares(graph, order.flat(view.t));
  auto const cs = graph.addComputeSet(call.debugContext);
  for (auto const &share : shares)
    for (NormWalkPart const &part : table.parts(share.intervals)) {
      auto const v = graph.addVertex(cs, vertex);
      for (std::size_t i = 0; i != fields.size(); ++i) {
        auto const kind = fields[i].kind;
        graph.connect(v[fields[i].name],
                      kind == NormField::DATA
                          ? popops::partOf(flat[i], {share.tile, part.intervals})
                          : flat[i].slice(kind == NormField::STATISTIC ? part.stats : part.chans));
      }
      graph.setInitialValue(v["table"], part.words);
      graph.setInitialValue(v["origin"], static_cast<long long>(part.origin));
      graph.setInitialValue(v["statBase"], part.statBase);
      graph.setInitialValue(v["chanBase"], part.chanBase);
      graph.setTileMapping(v, share.tile);
    }
  call.prog.add(::poplar::program::Execute(cs, call.debugContext));
}

POP_INLINE Tensor normOutput(NormCall const &call, Tensor const &acts, char const *name) {
  return ::popops::createOutputForElementWiseOp(call.graph, {acts}, acts.elementType(),
                                                {call.debugContext, name});
}

/// Whether each statistic is a row of neighbouring elements, long enough or of one element a
/// channel, and whole rows keep all tiles busy.
POP_INLINE bool hasGradientRows(::poplar::Graph const &graph, Tensor const &whitened,
                                Tensor const &grads, NormSets const &sets) {
  std::size_t const field =
      grads.numElements() / std::max<std::size_t>(1, grads.dim(0) * grads.dim(1));
  return sets.grouped && !sets.strided && (field == 1 || field >= 32) && grads.isContiguous() &&
         whitened.isContiguous() && grads.dim(0) * sets.groups >= graph.getTarget().getNumTiles();
}

/// Gradients of statistics that are rows, in one pass.
POP_INLINE Tensor emitGradientRows(NormCall const &call, Tensor const &whitened,
                                   Tensor const &grads, NormSets const &sets,
                                   Tensor const &invStdDev, Tensor const &gamma) {
  auto &graph = call.graph;
  Tensor const out = normOutput(call, grads, "gradients");
  std::size_t const rows = grads.dim(0) * sets.groups, length = grads.numElements() / rows;
  std::size_t const channels = grads.dim(1) / sets.groups;
  Tensor const w = whitened.reshape({rows, length}), g = grads.reshape({rows, length});
  Tensor const o = out.reshape({rows, length});
  auto const cs = graph.addComputeSet(call.debugContext);
  auto const name = ::poputil::templateVertex("poplin::NormGradientRows", grads.elementType());
  for (auto const &share : popops::rowSharesOf(graph, o, static_cast<double>(length) / 2)) {
    auto const &range = share.intervals.front();
    auto const v = graph.addVertex(cs, name,
                                   {{"whitened", w.slice(range).flatten()},
                                    {"grads", g.slice(range).flatten()},
                                    {"out", o.slice(range).flatten()},
                                    {"invStdDev", invStdDev.slice(range)},
                                    {"gamma", gamma}});
    graph.setInitialValue(v["channels"], channels);
    graph.setInitialValue(v["field"], length / channels);
    graph.setInitialValue(v["groups"], sets.groups);
    graph.setInitialValue(v["firstGroup"], range.begin() % sets.groups);
    graph.setTileMapping(v, share.tile);
  }
  call.prog.add(::poplar::program::Execute(cs, call.debugContext));
  return out;
}

} // namespace detail

POP_INLINE Tensor emitNormWhiten(NormCall const &call, Tensor const &acts, NormSets const &sets,
                                 Tensor const &mean, Tensor const &invStdDev) {
  using detail::NormField;
  Tensor const out = detail::normOutput(call, acts, "whitened");
  auto const type = detail::statisticsType(acts, sets, mean, invStdDev);
  detail::emitNormPass(call,
                       ::poputil::templateVertex("poplin::NormWhiten", out.elementType(), type),
                       type, sets, out,
                       {{"in", NormField::DATA, acts},
                        {"out", NormField::DATA, out},
                        {"mean", NormField::STATISTIC, mean},
                        {"invStdDev", NormField::STATISTIC, invStdDev}});
  return out;
}

POP_INLINE TensorPair emitNormalise(NormCall const &call, Tensor const &acts, NormSets const &sets,
                                    Tensor const &gamma, Tensor const &beta, Tensor const &mean,
                                    Tensor const &invStdDev) {
  using detail::NormField;
  Tensor const out = detail::normOutput(call, acts, "normalised");
  Tensor const whitened = detail::normOutput(call, acts, "whitened");
  auto const type = detail::statisticsType(acts, sets, mean, invStdDev);
  detail::emitNormPass(call,
                       ::poputil::templateVertex("poplin::Normalise", out.elementType(), type),
                       type, sets, out,
                       {{"in", NormField::DATA, acts},
                        {"out", NormField::DATA, out},
                        {"whitened", NormField::DATA, whitened},
                        {"mean", NormField::STATISTIC, mean},
                        {"invStdDev", NormField::STATISTIC, invStdDev},
                        {"gamma", NormField::CHANNEL, gamma},
                        {"beta", NormField::CHANNEL, beta}});
  return {out, whitened};
}

POP_INLINE Tensor emitNormAffine(NormCall const &call, Tensor const &acts, Tensor const &gamma,
                                 Tensor const &beta) {
  using detail::NormField;
  Tensor const out = detail::normOutput(call, acts, "out");
  std::vector<NormField> fields{{"in", NormField::DATA, acts},
                                {"out", NormField::DATA, out},
                                {"gamma", NormField::CHANNEL, gamma}};
  if (beta.valid())
    fields.push_back({"beta", NormField::CHANNEL, beta});
  char const *const name = beta.valid() ? "poplin::NormAffine" : "poplin::NormScale";
  detail::emitNormPass(call, ::poputil::templateVertex(name, out.elementType()), ::poplar::FLOAT,
                       {}, out, fields);
  return out;
}

POP_INLINE TensorPair emitNormParamGradients(NormCall const &call, Tensor const &whitened,
                                             Tensor const &grads) {
  NormView const view = normView(grads, {});
  TensorPair const sums = emitNormProducts(call, grads, whitened, view.chan, 1);
  detail::NormCasts casts(call);
  TensorPair const results{casts.cast(sums.first, grads.elementType()),
                           casts.cast(sums.second, grads.elementType())};
  casts.finish();
  return results;
}

POP_INLINE Tensor emitNormGradients(NormCall const &call, Tensor const &whitened,
                                    Tensor const &grads, NormSets const &sets,
                                    Tensor const &invStdDev, Tensor const &gamma,
                                    NormReplicas const &replicas) {
  using detail::NormField;
  if (grads.numElements() == 0)
    return detail::normOutput(call, grads, "gradients");
  detail::NormCasts casts(call);
  Tensor scale = casts.toFloat(invStdDev), g = grads;
  Tensor const factors = gamma.valid() ? casts.toFloat(gamma) : gamma;
  casts.finish();
  if (gamma.valid()) {
    if (detail::hasGradientRows(call.graph, whitened, grads, sets))
      return detail::emitGradientRows(call, whitened, grads, sets, scale, factors);
    // Where statistics are those of channels gamma is a factor of the whole gradient.
    if (sets.grouped)
      g = emitNormAffine(call, grads, factors, Tensor());
    else
      scale = ::popops::mul(call.graph, scale, factors, call.prog, call.debugContext);
  }
  NormView const a = normView(g, sets), b = normView(whitened, sets);
  double n = replicas.groupSize;
  for (unsigned d = 0; d != a.t.rank(); ++d)
    n *= a.stat[d] ? 1 : static_cast<double>(a.t.dim(d));
  TensorPair const sums = emitNormProducts(call, a.t, b.t, a.stat, 1 / n);
  auto const means = sumReplicas(call, replicas, {sums.first, sums.second});
  Tensor const out = detail::normOutput(call, grads, "gradients");
  detail::emitNormPass(call, ::poputil::templateVertex("poplin::NormGradient", out.elementType()),
                       ::poplar::FLOAT, sets, out,
                       {{"grads", NormField::DATA, g},
                        {"whitened", NormField::DATA, whitened},
                        {"out", NormField::DATA, out},
                        {"invStdDev", NormField::STATISTIC, scale},
                        {"product", NormField::STATISTIC, means[0]},
                        {"mean", NormField::STATISTIC, means[1]}});
  return out;
}

} // namespace cottonwood::poplin
