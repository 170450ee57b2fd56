#pragma once

#include <popops/NormaliseImage.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

POP_INLINE void checkImage(char const *where, ::poplar::Type const &type,
                           std::vector<std::size_t> const &shape) {
  if (type != ::poplar::UNSIGNED_CHAR && type != ::poplar::HALF && type != ::poplar::FLOAT)
    base::fail<::poputil::poplibs_error>(where, "images of type ", type,
                                         "; allowed: unsigned char, half, float");
  if (shape.size() < 2 || shape.back() != 3)
    base::fail<::poputil::poplibs_error>(where, "an image of shape ", base::shapeText(shape),
                                         "; it must be [..., 3] of rank 2 or more");
}

POP_INLINE void checkChannelValues(char const *what, Tensor const &t, ::poplar::Type const &type) {
  char const *const where = "popops::normaliseImage";
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is an invalid tensor");
  if (t.elementType() != type || t.shape() != std::vector<std::size_t>{3})
    base::fail<::poputil::poplibs_error>(where, "'", what, "' has shape ",
                                         base::shapeText(t.shape()), " of type ", t.elementType(),
                                         "; it must be [3] of type ", type);
}

/// One run of pixels a tile; on one tile as many as threads share well.
POP_INLINE std::vector<Share> pixelShares(::poplar::Graph const &graph, Tensor const &flat) {
  constexpr double PIXEL_CYCLES = 6;
  if (graph.getTarget().getNumTiles() == 1)
    return rowSharesOf(graph, flat.reshape({flat.numElements() / 3, 3}), PIXEL_CYCLES);
  std::vector<Share> shares;
  auto const mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    Interval const run = mapping[tile].front();
    if (mapping[tile].size() > 1 || run.begin() % 3 != 0 || run.end() % 3 != 0)
      base::fail<::poputil::poplibs_error>(
          "popops::normaliseImage", "tile ", tile, " holds ", mapping[tile].size(),
          " runs of 'tIn', the first of elements ", run.begin(), " to ", run.end(),
          "; it must be one run of whole pixels, see createNormaliseImageInput");
    shares.push_back({tile, {Interval(run.begin() / 3, run.end() / 3)}});
  }
  return shares;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor createNormaliseImageInput(poplar::Graph &graph, poplar::Type const &type,
                                                    poplar::ArrayRef<std::size_t> const shape,
                                                    poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkImage("popops::createNormaliseImageInput", type,
                                         {shape.begin(), shape.end()});
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createNormaliseImageInput");
  poplar::Tensor const t = graph.addVariable(type, shape, {di});
  constexpr unsigned FOUR_PIXELS = 12; // whole words of any type
  poputil::mapTensorLinearly(graph, t, FOUR_PIXELS, FOUR_PIXELS);
  return t;
}

POP_INLINE poplar::Tensor normaliseImage(poplar::Graph &graph, poplar::program::Sequence &seq,
                                         poplar::Tensor tIn, float inScale, poplar::Tensor offsets,
                                         poplar::Tensor scales,
                                         poplar::DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  namespace detail = cottonwood::popops::detail;
  char const *const where = "popops::normaliseImage";
  if (!tIn.valid())
    base::fail<poputil::poplibs_error>(where, "'tIn' is an invalid tensor");
  detail::checkImage(where, tIn.elementType(), tIn.shape());
  auto const type = tIn.elementType() == poplar::UNSIGNED_CHAR ? poplar::HALF : tIn.elementType();
  detail::checkChannelValues("offsets", offsets, type);
  detail::checkChannelValues("scales", scales, type);
  if (inScale == 0)
    base::fail<poputil::poplibs_error>(where, "'inScale' is 0; it must not be");
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "normaliseImage");
  auto shape = tIn.shape();
  shape.back() = 4;
  poplar::Tensor const out = graph.addVariable(type, shape, {di});
  if (out.numElements() == 0)
    return out;
  poplar::Tensor const flat = tIn.flatten(), flatOut = out.flatten();
  auto const cs = graph.addComputeSet({di});
  std::string const name =
      poputil::templateVertex("popops::NormaliseImage", tIn.elementType(), type);
  for (auto const &share : detail::pixelShares(graph, flat)) {
    auto const &pixels = share.intervals.front();
    poplar::Tensor const part = flatOut.slice(4 * pixels.begin(), 4 * pixels.end());
    graph.setTileMapping(part, share.tile);
    auto const v = graph.addVertex(cs, name,
                                   {{"in", flat.slice(3 * pixels.begin(), 3 * pixels.end())},
                                    {"offsets", offsets},
                                    {"scales", scales},
                                    {"out", part}});
    graph.setInitialValue(v["inScale"], inScale);
    graph.setTileMapping(v, share.tile);
  }
  seq.add(poplar::program::Execute(cs, {di}));
  return out;
}

} // namespace popops
