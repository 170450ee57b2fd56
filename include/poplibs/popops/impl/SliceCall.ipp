#pragma once

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Reduce.hpp>
#include <popops/impl/SliceCall.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace cottonwood::popops {

POP_INLINE ::poplar::Tensor unsignedOffsets(char const *where, char const *name,
                                            ::poplar::Tensor const &offsets) {
  using ::poputil::poplibs_error;
  if (!offsets.valid())
    base::fail<poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (offsets.elementType() == ::poplar::UNSIGNED_INT)
    return offsets;
  if (offsets.elementType() == ::poplar::INT)
    return offsets.reinterpret(::poplar::UNSIGNED_INT);
  base::fail<poplibs_error>(where, "'", name, "' is ", offsets.elementType(),
                            "; it must be unsigned int or int");
}

POP_INLINE void emitValidation(::poplar::Graph &graph, ::poplar::Tensor const &offsets,
                               Sizes const &shape, Sizes const &dims, SliceOptions const &options,
                               ::poplar::program::Sequence &prog,
                               ::poplar::DebugContext const &debugContext) {
  namespace expr = ::popops::expr;
  namespace program = ::poplar::program;
  if (!options.validate || options.remap || offsets.numElements() == 0)
    return;
  std::vector<unsigned> limits;
  std::string message = options.function + ": an index is out of range:";
  for (std::size_t k = 0; k != dims.size(); ++k) {
    limits.push_back(static_cast<unsigned>(options.limit(shape[dims[k]])));
    message += base::textOf(k == 0 ? " " : ", ", "those of dimension ", dims[k], " must be below ",
                            limits[k]);
  }
  message += dims.size() == 1 ? "; the largest is" : "; the largest are";
  ::poplar::Tensor const vectors = offsets.rank() == 1 ? offsets.expand({0})
                                                       : offsets.flatten(0, offsets.rank() - 1),
                         largest = ::popops::reduce(graph, vectors, {0}, ::popops::Operation::MAX,
                                                    prog, debugContext);
  std::unique_ptr<expr::Expr> bad;
  std::vector<::poplar::Tensor> each;
  for (unsigned k = 0; k != limits.size(); ++k) {
    expr::Gte const beyond(expr::PlaceHolder(k + 1), expr::Const(limits[k]));
    bad = bad ? expr::Or(*bad, beyond).clone() : beyond.clone();
    each.push_back(largest[k]);
  }
  prog.add(program::If(::popops::map(graph, *bad, each, prog, debugContext),
                       program::ErrorProgram(message, largest, debugContext), program::Sequence(),
                       debugContext));
}

namespace detail {

/// The order in which to slice dimensions, so that the least remains: by sizes[k] / shape[dims[k]].
POP_INLINE Sizes steepestFirst(Sizes const &shape, Sizes const &dims, Sizes const &sizes) {
  Sizes order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sizes[a] * shape[dims[b]] < sizes[b] * shape[dims[a]];
  });
  return order;
}

/// output = slice in dims[order[first..]].
POP_INLINE void sliceInOrder(::poplar::Graph &graph, Tensor const &output, Tensor const &t,
                             Tensor const &offset, Sizes const &dims, Sizes const &sizes,
                             Sizes const &order, unsigned flags, ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext) {
  Tensor now = t;
  SliceWay way;
  way.flags = flags;
  for (std::size_t i = 0; i != order.size(); ++i) {
    std::size_t const k = order[i];
    bool const last = i + 1 == order.size();
    Tensor const next =
        last ? output.expand({0}) : makeSlices(graph, now, {dims[k]}, {sizes[k]}, 1, debugContext);
    emitLookups(graph, {{now, next, offset.slice(k, k + 1), dims[k]}}, way, prog, debugContext);
    now = next[0];
  }
}

/// Updates dims[order[i..]]: takes a slice of the first of them, updates it in the others, and
/// puts it back.
POP_INLINE void updateInOrder(::poplar::Graph &graph, Tensor const &t, Tensor const &s,
                              Tensor const &offset, Sizes const &dims, Sizes const &sizes,
                              Sizes const &order, unsigned flags, ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  SliceWay way;
  way.flags = flags;
  std::size_t const k = order.front();
  Tensor const at = offset.slice(k, k + 1);
  Tensor part = s.expand({0});
  if (order.size() > 1) {
    part = makeSlices(graph, t, {dims[k]}, {sizes[k]}, 1, debugContext);
    emitLookups(graph, {{t, part, at, dims[k]}}, way, prog, debugContext);
    updateInOrder(graph, part[0], s, offset, dims, sizes, Sizes(order.begin() + 1, order.end()),
                  flags, prog, debugContext);
  }
  emitUpdates(graph, {{t, part, at, dims[k]}}, {}, way, prog, debugContext);
}

} // namespace detail

POP_INLINE void emitSlice(::poplar::Graph &graph, ::poplar::Tensor const &output,
                          ::poplar::Tensor const &t, ::poplar::Tensor const &offset,
                          Sizes const &dims, Sizes const &sizes, unsigned flags,
                          ::poplar::program::Sequence &prog,
                          ::poplar::DebugContext const &debugContext) {
  detail::sliceInOrder(graph, output, t, offset, dims, sizes,
                       detail::steepestFirst(t.shape(), dims, sizes), flags, prog, debugContext);
}

POP_INLINE void emitUpdate(::poplar::Graph &graph, ::poplar::Tensor const &t,
                           ::poplar::Tensor const &s, ::poplar::Tensor const &offset,
                           Sizes const &dims, Sizes const &sizes, unsigned flags,
                           ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext) {
  detail::updateInOrder(graph, t, s, offset, dims, sizes,
                        detail::steepestFirst(t.shape(), dims, sizes), flags, prog, debugContext);
}

} // namespace cottonwood::popops
