#pragma once

#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <popops/impl/TopKEmit.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckApart.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

POP_INLINE void checkSort(char const *where, char const *what, Tensor const &t, unsigned dim) {
  checkOrderedType(where, what, t);
  if (dim >= t.rank())
    base::fail<::poputil::poplibs_error>(where, "'dim' = ", dim, " is out of range for '", what,
                                         "' of shape ", base::shapeText(t.shape()),
                                         "; dimensions must be below ", t.rank());
}

POP_INLINE void checkSort(char const *where, Tensor const &keys, Tensor const &values,
                          unsigned dim) {
  checkSort(where, "k", keys, dim);
  checkOrderedType(where, "v", values);
  if (keys.shape() != values.shape())
    base::fail<::poputil::poplibs_error>(where, "'k' has shape ", base::shapeText(keys.shape()),
                                         " and 'v' ", base::shapeText(values.shape()),
                                         "; they must be equal");
}

/// The dimension that is sorted as the last one, and back.
POP_INLINE Tensor withLast(Tensor const &t, unsigned dim) { return t.dimRoll(dim, t.rank() - 1); }
POP_INLINE Tensor withoutLast(Tensor const &t, unsigned dim) {
  return t.dimRoll(t.rank() - 1, dim);
}

POP_INLINE ::popops::TopKParams wholeDimension(Tensor const &t, unsigned dim) {
  return {static_cast<unsigned>(t.dim(dim)), false, ::popops::SortOrder::ASCENDING};
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor sort(poplar::Graph &graph, poplar::Tensor const &t, unsigned dim,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkSort("popops::sort", "t", t, dim);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "sort");
  return detail::withoutLast(
      topK(graph, prog, detail::withLast(t, dim), detail::wholeDimension(t, dim), {di}), dim);
}

POP_INLINE void sortInPlace(poplar::Graph &graph, poplar::Tensor const &t, unsigned dim,
                            poplar::program::Sequence &prog,
                            poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkSort("popops::sortInPlace", "t", t, dim);
  cottonwood::poputil::checkWriteable("popops::sortInPlace", "'t'", t);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "sortInPlace");
  prog.add(poplar::program::Copy(sort(graph, t, dim, prog, {di}), t, false, {di}));
}

POP_INLINE poplar::Tensor sortKeyValue(poplar::Graph &graph, poplar::Tensor const &k,
                                       poplar::Tensor const &v, unsigned dim,
                                       poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  detail::checkSort("popops::sortKeyValue", k, v, dim);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "sortKeyValue");
  return detail::withoutLast(topKKeyValue(graph, prog, detail::withLast(k, dim),
                                          detail::withLast(v, dim), detail::wholeDimension(k, dim),
                                          {di})
                                 .second,
                             dim);
}

POP_INLINE void sortKeyValueInPlace(poplar::Graph &graph, poplar::Tensor const &k,
                                    poplar::Tensor const &v, unsigned dim,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  char const *const where = "popops::sortKeyValueInPlace";
  detail::checkSort(where, k, v, dim);
  cottonwood::poputil::checkWriteable(where, "'k'", k);
  cottonwood::poputil::checkWriteable(where, "'v'", v);
  if (!(k == v))
    cottonwood::poputil::checkApart(where, {k, v}, [](std::size_t i) { return i ? "'v'" : "'k'"; });
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "sortKeyValueInPlace");
  poplar::Tensor const keys = detail::withLast(k, dim), values = detail::withLast(v, dim);
  auto const sorted = topKKeyValue(graph, prog, keys, values, detail::wholeDimension(k, dim), {di});
  prog.add(poplar::program::Copy(sorted.first, keys, false, {di}));
  prog.add(poplar::program::Copy(sorted.second, values, false, {di}));
}

} // namespace popops
