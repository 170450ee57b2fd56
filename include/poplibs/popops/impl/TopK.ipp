#pragma once

#include <popops/Encoding.hpp>
#include <popops/TopK.hpp>
#include <popops/impl/TopKEmit.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

#include <limits>
#include <ostream>

namespace cottonwood::popops::detail {

using ::popops::SortOrder;
using ::popops::TopKParams;

POP_INLINE void requireSortOrder(char const *where, SortOrder order) {
  base::requireEnumerator<::poputil::poplibs_error>(where, "SortOrder", order,
                                                    {"NONE", "ASCENDING", "DESCENDING"});
}

POP_INLINE void checkTopKShape(char const *where, std::vector<std::size_t> const &shape,
                               TopKParams const &params) {
  requireSortOrder(where, params.sortOrder);
  if (shape.empty())
    base::fail<::poputil::poplibs_error>(where, "the input has rank 0; it must have a dimension to "
                                                "select from");
  if (params.k > shape.back())
    base::fail<::poputil::poplibs_error>(where, "k = ", params.k, " of an input of shape ",
                                         base::shapeText(shape), "; it must be at most ",
                                         shape.back());
  if (shape.back() > std::numeric_limits<unsigned>::max())
    base::fail<::poputil::poplibs_error>(where, "the input has shape ", base::shapeText(shape),
                                         "; the innermost dimension must be below 2^32");
}

struct TopKResult {
  Tensor keys;  ///< of the shape of the input with k as last dimension
  Tensor other; ///< indices or values
};

/// What else is wanted of the selected places.
enum class TopKOther { NOTHING, INDICES, VALUES };

/// The rows as they are: all of them are selected, in no order.
POP_INLINE TopKResult copyRows(::poplar::Graph &graph, Tensor const &keys, TopKOther other,
                               Tensor const &values, ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &debugContext) {
  TopKResult result;
  result.keys = ::poputil::duplicate(graph, keys, prog, debugContext);
  if (other == TopKOther::VALUES)
    result.other = ::poputil::duplicate(graph, values, prog, debugContext);
  if (other != TopKOther::INDICES)
    return result;
  Tensor const row = graph.addVariable(::poplar::UNSIGNED_INT, {keys.dim(keys.rank() - 1)});
  ::poputil::mapTensorLinearly(graph, row);
  ::popops::iota(graph, row, 0U, prog, debugContext);
  result.other = graph.clone(::poplar::UNSIGNED_INT, keys, debugContext);
  std::size_t const rows = keys.numElements() / row.numElements();
  prog.add(::poplar::program::Copy(
      row.expand({0}).broadcast(static_cast<unsigned>(rows), 0).reshape(keys.shape()), result.other,
      false, debugContext));
  return result;
}

POP_INLINE TopKResult selectTopK(char const *where, ::poplar::Graph &graph, Tensor const &keys,
                                 TopKOther other, Tensor const &values, TopKParams const &params,
                                 ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &debugContext) {
  checkOrderedType(where, "keys", keys);
  checkTopKShape(where, keys.shape(), params);
  auto shape = keys.shape();
  std::size_t const n = shape.back();
  shape.back() = params.k;
  bool const all = params.k == n;
  if (keys.numElements() == 0 || params.k == 0) {
    TopKResult result{graph.addVariable(keys.elementType(), shape, debugContext), {}};
    if (other != TopKOther::NOTHING)
      result.other = graph.addVariable(other == TopKOther::INDICES ? ::poplar::UNSIGNED_INT
                                                                   : values.elementType(),
                                       shape, debugContext);
    return result;
  }
  if (all && params.sortOrder == SortOrder::NONE)
    return copyRows(graph, keys, other, values, prog, debugContext);
  TopKJob job;
  job.in = keys.flatten().reshape({keys.numElements() / n, n});
  job.k = params.k;
  job.descending = params.largest;
  job.mirrored =
      params.sortOrder == (params.largest ? SortOrder::ASCENDING : SortOrder::DESCENDING);
  if (all && job.mirrored) { // nothing is left out: the other end may come first
    job.descending = !job.descending;
    job.mirrored = false;
  }
  job.indices = other != TopKOther::NOTHING;
  auto const [selected, indices] = emitTopK(graph, job, prog, debugContext);
  TopKResult result{selected.reshape(shape), {}};
  if (other == TopKOther::INDICES)
    result.other = indices.reshape(shape);
  else if (other == TopKOther::VALUES)
    result.other = emitGatherInRows(graph, values.flatten().reshape(job.in.shape()), indices, prog,
                                    debugContext)
                       .reshape(shape);
  return result;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE std::ostream &operator<<(std::ostream &os, SortOrder const &order) {
  cottonwood::popops::detail::requireSortOrder("popops::operator<<", order);
  return os << (order == SortOrder::NONE        ? "none"
                : order == SortOrder::ASCENDING ? "ascending"
                                                : "descending");
}

POP_INLINE TopKParams::TopKParams(unsigned k_, bool largest_, SortOrder sortOrder_,
                                  bool stableSort_) noexcept
    : k(k_), largest(largest_), sortOrder(sortOrder_), stableSort(stableSort_) {}

POP_INLINE std::ostream &operator<<(std::ostream &os, TopKParams const &p) {
  return os << "{k=" << p.k << ", largest=" << (p.largest ? "true" : "false")
            << ", sortOrder=" << p.sortOrder << ", stableSort=" << (p.stableSort ? "true" : "false")
            << "}";
}

POP_INLINE poplar::Tensor createTopKInput(poplar::Graph &graph, poplar::Type const &type,
                                          std::vector<std::size_t> const &shape,
                                          TopKParams const &params,
                                          poplar::DebugContext const &debugContext) {
  char const *const where = "popops::createTopKInput";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createTopKInput");
  poplar::Tensor const t = graph.addVariable(type, shape, {di});
  cottonwood::popops::checkOrderedType(where, "t", t);
  cottonwood::popops::detail::checkTopKShape(where, shape, params);
  if (t.numElements() == 0)
    return t;
  std::size_t const rows = t.numElements() / shape.back();
  if (rows >= graph.getTarget().getNumTiles())
    poputil::mapTensorLinearly(graph, t, 1, static_cast<unsigned>(shape.back()));
  else
    poputil::mapTensorLinearly(graph, t);
  return t;
}

POP_INLINE poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog,
                               poplar::Tensor const &t, TopKParams const &params,
                               poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "topK");
  return detail::selectTopK("popops::topK", graph, t, detail::TopKOther::NOTHING, {}, params, prog,
                            {di})
      .keys;
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog, poplar::Tensor const &keys,
             poplar::Tensor const &values, TopKParams const &params,
             poplar::DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  namespace detail = cottonwood::popops::detail;
  char const *const where = "popops::topKKeyValue";
  cottonwood::popops::checkOrderedType(where, "keys", keys);
  cottonwood::popops::checkOrderedType(where, "values", values);
  if (keys.shape() != values.shape())
    base::fail<poputil::poplibs_error>(where, "'keys' has shape ", base::shapeText(keys.shape()),
                                       " and 'values' ", base::shapeText(values.shape()),
                                       "; they must be equal");
  if (params.stableSort && params.sortOrder != SortOrder::NONE)
    base::fail<poputil::poplibs_error>(where,
                                       "'stableSort' with an order is not supported; allowed: "
                                       "SortOrder::NONE, or topKWithPermutation");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "topKKeyValue");
  auto const result =
      detail::selectTopK(where, graph, keys, detail::TopKOther::VALUES, values, params, prog, {di});
  return {result.keys, result.other};
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog, poplar::Tensor const &t,
                    TopKParams const &params, poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "topKWithPermutation");
  auto const result = detail::selectTopK("popops::topKWithPermutation", graph, t,
                                         detail::TopKOther::INDICES, {}, params, prog, {di});
  return {result.keys, result.other};
}

} // namespace popops
