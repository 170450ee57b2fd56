#pragma once

#include <popops/CircBuf.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

/// Elements of an entry that stay together on a tile.
inline constexpr std::size_t CIRC_BUF_GRAIN = 4;

POP_INLINE ::poplar::Tensor makeHistory(::poplar::Graph &graph, ::poplar::Type const &type,
                                        unsigned size, std::vector<std::size_t> shape,
                                        ::poplar::DebugContext const &di) {
  if (size == 0)
    base::fail<::poputil::poplibs_error>("popops::CircBuf", "the size is 0; it must be at least 1");
  shape.insert(shape.begin(), size);
  return ::popops::createSliceableTensor(graph, type, shape, {0}, {1}, CIRC_BUF_GRAIN, di);
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE CircBuf::CircBuf(poplar::Graph &graph, poplar::Type dataType, unsigned size,
                            std::vector<std::size_t> const &shape,
                            poplar::DebugContext const &debugContext)
    : graph_(graph), size_(size), shape_(shape) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "CircBuf");
  hist_ = cottonwood::popops::detail::makeHistory(graph, dataType, size, shape, {di, "hist"});
  index_ = graph.addVariable(poplar::UNSIGNED_INT, {1}, {di, "index"});
  graph.setTileMapping(index_, 0);
  graph.setInitialValue(index_, poplar::ArrayRef<unsigned>({0U}));
}

POP_INLINE poplar::Tensor CircBuf::prev(unsigned i, poplar::program::Sequence &seq,
                                        poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "CircBuf::prev");
  if (i >= size_)
    cottonwood::base::fail<poputil::poplibs_error>("popops::CircBuf::prev", "i is ", i,
                                                   "; it must be below the size ", size_);
  // index + size - i would overflow near 2^32 with a size as large, which no machine holds.
  poplar::Tensor const at =
      map(graph_, expr::Rem(expr::Add(expr::_1, expr::Const(size_ - i)), expr::Const(size_)),
          {index_}, seq, {di});
  return dynamicSlice(graph_, hist_, at, {0}, {1}, seq, {di})[0];
}

POP_INLINE void CircBuf::add(poplar::Tensor t, poplar::program::Sequence &seq,
                             poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "CircBuf::add");
  if (!t.valid() || t.shape() != shape_ || t.elementType() != hist_.elementType())
    cottonwood::base::fail<poputil::poplibs_error>(
        "popops::CircBuf::add", "'t' is ",
        t.valid() ? cottonwood::base::textOf(t.elementType(), " of shape ",
                                             cottonwood::base::shapeText(t.shape()))
                  : std::string("an invalid tensor"),
        "; it must be ", hist_.elementType(), " of shape ", cottonwood::base::shapeText(shape_));
  mapInPlace(graph_, expr::Rem(expr::Add(expr::_1, expr::Const(1U)), expr::Const(size_)), {index_},
             seq, {di});
  dynamicUpdate(graph_, hist_, t.expand({0}), index_, {0}, {1}, seq, {di});
}

POP_INLINE poplar::Tensor CircBuf::getIndex() const { return index_; }
POP_INLINE unsigned CircBuf::size() const { return size_; }
POP_INLINE poplar::Graph::TileToTensorMapping CircBuf::getTileMapping() {
  return graph_.getTileMapping(hist_[0]);
}

} // namespace popops
