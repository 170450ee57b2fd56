#pragma once

#include <poplin/impl/NormBoxes.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <codelets/popops/FarBytes.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cottonwood::poplin {

POP_INLINE NormView normView(Tensor const &acts, NormSets const &sets) {
  NormView view;
  if (!sets.grouped) {
    view.t = acts;
    view.stat.assign(acts.rank(), false);
    view.stat[1] = true;
    view.chan = view.stat;
    return view;
  }
  std::size_t const each = acts.dim(1) / sets.groups;
  view.t = sets.strided ? acts.reshapePartial(1, 2, {each, sets.groups})
                        : acts.reshapePartial(1, 2, {sets.groups, each});
  view.stat.assign(view.t.rank(), false);
  view.chan = view.stat;
  view.chan[1] = view.chan[2] = true;
  view.stat[0] = view.stat[sets.strided ? 2 : 1] = true;
  return view;
}

POP_INLINE std::size_t numNormStatistics(Tensor const &acts, NormSets const &sets) {
  return acts.dim(1) == 0 ? 0 : sets.grouped ? acts.dim(0) * sets.groups : acts.dim(1);
}

namespace detail {

/// Places each box: of the tiles that hold some of it on the one that has least to do, what it
/// receives included.
POP_INLINE void placeBoxes(::poplar::Graph const &graph, Tensor const &flat, NormBoxes &boxes) {
  boxes.tiles.assign(boxes.boxes.size(), 0);
  if (graph.getTarget().getNumTiles() == 1)
    return;
  struct Held {
    std::size_t begin, end;
    unsigned tile;
  };
  std::vector<Held> held;
  auto const mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (auto const &interval : mapping[tile])
      held.push_back({interval.begin(), interval.end(), tile});
  std::sort(held.begin(), held.end(),
            [](Held const &a, Held const &b) { return a.begin < b.begin; });
  std::vector<std::size_t> load(mapping.size(), 0), local(mapping.size(), 0),
      moved(mapping.size(), 0);
  for (std::size_t i = 0; i != boxes.boxes.size(); ++i) {
    std::size_t const size = boxes.boxes[i].elements();
    std::vector<unsigned> holders;
    for (auto const &interval : boxes.boxes[i].intervals) {
      auto h = std::prev(
          std::upper_bound(held.begin(), held.end(), interval.begin(),
                           [](std::size_t at, Held const &each) { return at < each.begin; }));
      for (; h != held.end() && h->begin < interval.end(); ++h) {
        std::size_t const end = std::min(h->end, interval.end());
        std::size_t const begin = std::max(h->begin, interval.begin());
        if (local[h->tile] == 0)
          holders.push_back(h->tile);
        local[h->tile] += end - begin;
      }
    }
    auto const work = [&](unsigned tile) { return load[tile] + size - local[tile]; };
    unsigned const tile = *std::min_element(
        holders.begin(), holders.end(), [&](unsigned a, unsigned b) { return work(a) < work(b); });
    boxes.tiles[i] = tile;
    moved[tile] += size - local[tile];
    boxes.moved = std::max(boxes.moved, moved[tile]);
    load[tile] += size;
    for (unsigned holder : holders)
      local[holder] = 0;
  }
}

/// Boxes as they are planned, or what tiles hold if that is cheaper.
POP_INLINE NormBoxes placedBoxes(::poplar::Graph const &graph, NormLayout const &layout,
                                 Tensor const &flat) {
  NormBoxes planned = normBoxes(graph, layout);
  placeBoxes(graph, flat, planned);
  if (graph.getTarget().getNumTiles() == 1)
    return planned;
  NormBoxes held = heldBoxes(graph, layout, flat);
  bool const isCheaper =
      !held.boxes.empty() && cyclesOf(graph, layout, held) < cyclesOf(graph, layout, planned);
  return isCheaper ? held : planned;
}

/// Emits sums of one tensor (or the products of two) for each box of its layout.
class NormSumEmitter {
public:
  NormSumEmitter(NormCall const &call, Tensor const &t, std::vector<bool> const &kept)
      : call_(call), layout_(call.graph, t, kept), in_(layout_.flat(t)),
        boxes_(placedBoxes(call.graph, layout_, in_)) {}

  NormLayout const &layout() const { return layout_; }
  std::size_t parts() const { return boxes_.parts; }

  /// {second, first} moments of `in`, or with other factors b: sums over all boxes times `scale`,
  /// in the order of memory.
  TensorPair moments(Tensor const *b, double scale) {
    Tensor const first = partials("first"), second = partials("second");
    Tensor const other = b ? layout_.flat(*b) : Tensor();
    auto const cs = call_.graph.addComputeSet(call_.debugContext);
    for (std::size_t i = 0; i != boxes_.boxes.size(); ++i) {
      auto const v = addVertex(cs, b ? "poplin::NormProducts" : "poplin::NormSums", i);
      call_.graph.setInitialValue(v["fetches"], comesFromMemory(b ? 2 : 1) ? 1U : 0U);
      call_.graph.connect(v[b ? "a" : "in"], part(in_, i));
      if (b)
        call_.graph.connect(v["b"], part(other, i));
      call_.graph.connect(v["first"], result(first, i));
      call_.graph.connect(v["second"], result(second, i));
    }
    call_.prog.add(::poplar::program::Execute(cs, call_.debugContext));
    auto const sums = combined({second, first}, scale);
    return {sums[0], sums[1]};
  }

  /// Sums of (in - centre)^2 times `scale`; `centre` in the order of memory.
  Tensor deviations(Tensor const &centre, double scale) {
    Tensor const second = partials("deviations");
    auto const cs = call_.graph.addComputeSet(call_.debugContext);
    Tensor const centres = centre.reshape({1, layout_.sizes()[0], layout_.sizes()[2]})
                               .broadcast(static_cast<unsigned>(boxes_.parts), 0);
    for (std::size_t i = 0; i != boxes_.boxes.size(); ++i) {
      auto const v = addVertex(cs, "poplin::NormDeviations", i);
      call_.graph.setInitialValue(v["fetches"], comesFromMemory(1) ? 1U : 0U);
      call_.graph.connect(v["in"], part(in_, i));
      call_.graph.connect(v["centre"], keptPart(centres, i));
      call_.graph.connect(v["second"], result(second, i));
    }
    call_.prog.add(::poplar::program::Execute(cs, call_.debugContext));
    return combined({second}, scale)[0];
  }

  /// Mean and inverse standard deviation of boxes that share nothing.
  TensorPair statistics(NormStatisticsArgs const &args, float factor) {
    auto &graph = call_.graph;
    auto const variable = [&](char const *name) {
      return graph.addVariable(in_.elementType(), {1, layout_.sizes()[0], layout_.sizes()[2]},
                               {call_.debugContext, name});
    };
    Tensor const mean = variable("mean"), invStdDev = variable("invStdDev");
    auto const cs = graph.addComputeSet(call_.debugContext);
    // Boxes of large activations go through the cache one after the other.
    bool const fetches = graph.getTarget().getNumTiles() == 1 && bytesOfInput() >= FETCHED_BYTES;
    for (std::size_t i = 0; i != boxes_.boxes.size(); ++i) {
      auto const v = addVertex(cs, "poplin::NormStatistics", i);
      graph.connect(v["in"], part(in_, i));
      graph.connect(v["mean"], result(mean, i));
      graph.connect(v["invStdDev"], result(invStdDev, i));
      graph.setInitialValue(v["eps"], args.eps);
      graph.setInitialValue(v["factor"], factor);
      graph.setInitialValue(v["stable"], args.stable ? 1U : 0U);
      graph.setInitialValue(v["fetches"], fetches && i + 1 != boxes_.boxes.size() ? 1U : 0U);
    }
    call_.prog.add(::poplar::program::Execute(cs, call_.debugContext));
    return {mean.flatten(), invStdDev.flatten()};
  }

private:
  static constexpr std::size_t FETCHED_BYTES = std::size_t{8} << 20U;

  std::size_t bytesOfInput() const {
    return in_.numElements() * call_.graph.getTarget().getTypeSize(in_.elementType());
  }
  /// So many tensors like the input.
  bool comesFromMemory(std::size_t tensors) const {
    return call_.graph.getTarget().getNumTiles() == 1 &&
           tensors * bytesOfInput() >= kernels::FAR_BYTES;
  }

  Tensor partials(char const *name) {
    auto const &sizes = layout_.sizes();
    return call_.graph.addVariable(::poplar::FLOAT, {boxes_.parts, sizes[0], sizes[2]},
                                   {call_.debugContext, name});
  }

  ::poplar::VertexRef addVertex(::poplar::ComputeSet cs, char const *name, std::size_t i) {
    auto const v = call_.graph.addVertex(cs, ::poputil::templateVertex(name, in_.elementType()));
    auto const &size = boxes_.boxes[i].size;
    call_.graph.setInitialValue(v["r1"], size[1]);
    call_.graph.setInitialValue(v["k2"], size[2]);
    call_.graph.setInitialValue(v["r2"], size[3]);
    call_.graph.setTileMapping(v, boxes_.tiles[i]);
    return v;
  }

  Tensor part(Tensor const &flat, std::size_t i) const {
    return popops::partOf(flat, {boxes_.tiles[i], boxes_.boxes[i].intervals});
  }

  /// Elements of [parts, k1, k2] that belong to a box.
  Tensor keptPart(Tensor const &t, std::size_t i) const {
    NormBox const &box = boxes_.boxes[i];
    return t[box.part]
        .slice(box.begin[0], box.begin[0] + box.size[0], 0)
        .slice(box.begin[2], box.begin[2] + box.size[2], 1)
        .flatten();
  }

  Tensor result(Tensor const &t, std::size_t i) {
    Tensor const own = keptPart(t, i);
    call_.graph.setTileMapping(own, boxes_.tiles[i]);
    return own;
  }

  std::vector<Tensor> combined(std::vector<Tensor> const &partials, double scale) {
    auto &graph = call_.graph;
    Tensor const factor = graph.addConstant(::poplar::FLOAT, {}, static_cast<float>(scale),
                                            {call_.debugContext, "scale"});
    graph.setTileMapping(factor, 0);
    std::vector<::popops::SingleReduceOp> reductions;
    for (Tensor const &t : partials)
      reductions.emplace_back(t.flatten(1, 3), std::vector<std::size_t>{0},
                              ::popops::ReduceParams(::popops::Operation::ADD, false, factor));
    std::vector<Tensor> sums;
    ::popops::reduceMany(graph, reductions, sums, call_.prog, call_.debugContext);
    return sums;
  }

  NormCall const &call_;
  NormLayout layout_;
  Tensor in_;
  NormBoxes boxes_;
};

POP_INLINE Tensor withType(NormCall const &call, Tensor const &t, ::poplar::Type const &type) {
  return t.elementType() == type
             ? t
             : ::popops::cast(call.graph, t, type, call.prog, call.debugContext);
}

/// A new vector of one value.
POP_INLINE Tensor filled(NormCall const &call, ::poplar::Type const &type, std::size_t count,
                         float value) {
  Tensor const t = call.graph.addVariable(type, {count}, call.debugContext);
  ::poputil::mapTensorLinearly(call.graph, t);
  if (count != 0)
    ::popops::fill(call.graph, t, call.prog, value, call.debugContext);
  return t;
}

/// 1 / sqrt((variance + eps) factor) of moments, in the type of the activations: the variance, or
/// the mean of squares with `mean`.
POP_INLINE Tensor invStdDevOf(NormCall const &call, Tensor const &power, Tensor const &mean,
                              NormStatisticsArgs const &args, float factor,
                              ::poplar::Type const &type) {
  namespace pe = ::popops::expr;
  auto const finish = [&](pe::Expr const &variance) {
    pe::Any result = pe::Rsqrt(pe::Mul(pe::Add(variance, pe::Const(args.eps)), pe::Const(factor)));
    if (type != ::poplar::FLOAT)
      result = pe::Cast(result, type);
    return ::popops::map(call.graph, result, {power, mean}, call.prog, call.debugContext);
  };
  if (args.stable)
    return finish(pe::_1);
  // Clamp keeps NaN, Max would not.
  return finish(pe::Clamp(pe::Sub(pe::_1, pe::Square(pe::_2)), pe::Const(0.f),
                          pe::Const(std::numeric_limits<float>::infinity())));
}

} // namespace detail

POP_INLINE std::vector<Tensor> sumReplicas(NormCall const &call, NormReplicas const &replicas,
                                           std::vector<Tensor> sums) {
  if (!replicas.callback)
    return sums;
  for (Tensor &t : sums)
    t = detail::withType(call, t, replicas.type);
  auto results =
      (*replicas.callback)(call.graph, sums, call.prog, replicas.groupSize, call.debugContext, {});
  if (results.size() != sums.size())
    base::fail<::poputil::poplibs_error>(call.where, "the callback returned ", results.size(),
                                         " tensors; it must return one for each of the ",
                                         sums.size(), " it is given");
  for (std::size_t i = 0; i != sums.size(); ++i) {
    if (!results[i].valid() || results[i].numElements() != sums[i].numElements())
      base::fail<::poputil::poplibs_error>(call.where, "result ", i,
                                           " of the callback must have the shape of input ", i,
                                           ", ", base::shapeText(sums[i].shape()));
    results[i] = detail::withType(call, results[i].reshape(sums[i].shape()), ::poplar::FLOAT);
  }
  return results;
}

POP_INLINE TensorPair emitNormStatistics(NormCall const &call, Tensor const &acts,
                                         NormSets const &sets, NormStatisticsArgs const &args,
                                         NormReplicas const &replicas) {
  if (acts.numElements() == 0) {
    std::size_t const count = numNormStatistics(acts, sets);
    return {detail::filled(call, acts.elementType(), count, 0),
            detail::filled(call, acts.elementType(), count, 1 / std::sqrt(args.eps))};
  }
  NormView const view = normView(acts, sets);
  detail::NormSumEmitter sums(call, view.t, view.stat);
  double const n = static_cast<double>(sums.layout().numReduced()) * replicas.groupSize;
  auto const factor = static_cast<float>(args.unbiased && n > 1 ? n / (n - 1) : 1);
  TensorPair result;
  if (sums.parts() == 1 && !replicas.callback) {
    result = sums.statistics(args, factor);
  } else {
    TensorPair moments = sums.moments(nullptr, 1 / n);
    if (args.stable) {
      moments.second = sumReplicas(call, replicas, {moments.second})[0];
      moments.first = sums.deviations(moments.second, 1 / n);
      moments.first = sumReplicas(call, replicas, {moments.first})[0];
    } else {
      auto const all = sumReplicas(call, replicas, {moments.second, moments.first});
      moments = {all[1], all[0]};
    }
    result.first = detail::withType(call, moments.second, acts.elementType());
    result.second =
        detail::invStdDevOf(call, moments.first, moments.second, args, factor, acts.elementType());
  }
  return {sums.layout().inOrderOfDims(result.first), sums.layout().inOrderOfDims(result.second)};
}

POP_INLINE TensorPair emitNormProducts(NormCall const &call, Tensor const &a, Tensor const &b,
                                       std::vector<bool> const &kept, double scale) {
  if (a.numElements() == 0) {
    std::size_t count = 1;
    for (unsigned d = 0; d != a.rank(); ++d)
      count *= kept[d] ? a.dim(d) : 1;
    return {detail::filled(call, ::poplar::FLOAT, count, 0),
            detail::filled(call, ::poplar::FLOAT, count, 0)};
  }
  detail::NormSumEmitter sums(call, a, kept);
  TensorPair const result = sums.moments(&b, scale);
  return {sums.layout().inOrderOfDims(result.first), sums.layout().inOrderOfDims(result.second)};
}

} // namespace cottonwood::poplin
