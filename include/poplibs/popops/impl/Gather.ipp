#pragma once

#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <popops/Zero.hpp>
#include <popops/impl/IndexVectors.hpp>
#include <popops/impl/MultiCall.hpp>
#include <popops/impl/SliceCall.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

struct GatherDims {
  Sizes offsetDims, sliceSizes, collapsedSliceDims;
  std::vector<unsigned> startIndexMap;
};

POP_INLINE void checkSliceSizes(char const *where, Sizes const &shape, Sizes const &sliceSizes) {
  using ::poputil::poplibs_error;
  if (sliceSizes.size() != shape.size())
    base::fail<poplibs_error>(where, "there are ", sliceSizes.size(),
                              " sliceSizes for 'input' of shape ", base::shapeText(shape),
                              "; there must be one a dimension");
  for (std::size_t d = 0; d != shape.size(); ++d)
    if (sliceSizes[d] > shape[d])
      base::fail<poplibs_error>(where, "sliceSizes[", d, "] = ", sliceSizes[d],
                                " is above dimension ", d, " of 'input' of shape ",
                                base::shapeText(shape));
}

POP_INLINE void checkGather(char const *where, Tensor const &input, GatherDims const &dims,
                            std::size_t batchRank) {
  using ::poputil::poplibs_error;
  checkSliceSizes(where, input.shape(), dims.sliceSizes);
  checkOperandDims(where, "startIndexMap", input.shape(), dims.startIndexMap);
  checkAscending(where, "collapsedSliceDims", dims.collapsedSliceDims, input.rank());
  checkAscending(where, "offsetDims", dims.offsetDims, batchRank + dims.offsetDims.size());
  for (std::size_t d : dims.collapsedSliceDims)
    if (dims.sliceSizes[d] != 1)
      base::fail<poplibs_error>(where, "sliceSizes[", d, "] = ", dims.sliceSizes[d],
                                " of a dimension in collapsedSliceDims; it must be 1");
  if (dims.offsetDims.size() + dims.collapsedSliceDims.size() != input.rank())
    base::fail<poplibs_error>(
        where, dims.offsetDims.size(), " offsetDims and ", dims.collapsedSliceDims.size(),
        " collapsedSliceDims; together there must be ", input.rank(), ", the rank of 'input'");
}

/// [N] + slice becomes the result: collapsed dimensions go, batch dimensions return, and the
/// dimensions of the slice go to their places.
POP_INLINE Tensor arrangeGathered(Tensor const &slices, Sizes const &batch,
                                  GatherDims const &dims) {
  Sizes shape = batch;
  for (std::size_t d = 0; d != dims.sliceSizes.size(); ++d)
    if (std::find(dims.collapsedSliceDims.begin(), dims.collapsedSliceDims.end(), d) ==
        dims.collapsedSliceDims.end())
      shape.push_back(dims.sliceSizes[d]);
  // Dimension i of the result is dimension order[i] of [batch.., slice..].
  std::vector<unsigned> order(shape.size());
  unsigned nextBatch = 0, nextOffset = static_cast<unsigned>(batch.size());
  for (std::size_t i = 0; i != order.size(); ++i)
    order[i] = std::find(dims.offsetDims.begin(), dims.offsetDims.end(), i) != dims.offsetDims.end()
                   ? nextOffset++
                   : nextBatch++;
  return slices.reshape(shape).dimShuffle(order);
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor createGatherInput(poplar::Graph &graph, poplar::Type const &type,
                                            std::vector<std::size_t> const &operandShape,
                                            unsigned axis, GatherParams,
                                            poplar::DebugContext const &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createGatherInput");
  if (axis >= operandShape.size())
    cottonwood::base::fail<poputil::poplibs_error>(
        "popops::createGatherInput", "axis ", axis, " is out of range for shape ",
        cottonwood::base::shapeText(operandShape), "; it must be below ", operandShape.size());
  std::size_t const size = operandShape[axis] == 0 ? 0 : 1;
  return createSliceableTensor(graph, type, operandShape, {axis}, {size}, 0, {di});
}

POP_INLINE poplar::Tensor gather(poplar::Graph &graph, poplar::Tensor const &input,
                                 poplar::Tensor const &indices, unsigned axis,
                                 poplar::program::Sequence &prog, GatherParams,
                                 poplar::DebugContext const &debugContext,
                                 poplar::OptionFlags const &optionFlags) {
  namespace ours = cottonwood::popops;
  namespace base = cottonwood::base;
  using poputil::poplibs_error;
  constexpr char WHERE[] = "popops::gather";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "gather");
  auto const options = ours::readSliceOptions(WHERE, optionFlags);
  if (!input.valid() || !indices.valid())
    base::fail<poplibs_error>(WHERE, input.valid() ? "'indices'" : "'input'",
                              " is an invalid tensor");
  if (indices.elementType() != poplar::UNSIGNED_INT)
    base::fail<poplibs_error>(WHERE, "'indices' is ", indices.elementType(),
                              "; it must be unsigned int");
  if (axis >= input.rank())
    base::fail<poplibs_error>(WHERE, "axis ", axis, " is out of range for 'input' of shape ",
                              base::shapeText(input.shape()), "; it must be below ", input.rank());
  poplar::Tensor const at = indices.flatten();
  auto shape = input.shape();
  shape[axis] = at.numElements();
  if (cottonwood::poputil::product(shape) == 0 || input.dim(axis) == 0) {
    poplar::Tensor const empty =
        graph.addVariable(input.elementType(), input.getMetadata(), shape, {di});
    poputil::mapTensorLinearly(graph, empty);
    if (empty.numElements() != 0)
      zero(graph, empty, prog, {di});
    return empty;
  }
  ours::emitValidation(graph, at.expand({1}), input.shape(), {axis}, options, prog, {di});
  auto const gathered = ours::makeGathered(graph, input, axis, at.numElements(), {di, "gathered"});
  ours::SliceWay way;
  way.flags = options.vertexFlags();
  ours::emitLookups(graph, {{input, gathered.slices, at, axis, true}}, way, prog, {di});
  return gathered.result;
}

POP_INLINE poplar::Tensor createGatherInput(poplar::Graph &graph, poplar::Type const &type,
                                            std::vector<std::size_t> const &inputShape,
                                            std::vector<std::size_t> const &sliceSizes,
                                            std::vector<unsigned> startIndexMap,
                                            poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::createGatherInput";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createGatherInput");
  detail::checkSliceSizes(WHERE, inputShape, sliceSizes);
  detail::checkOperandDims(WHERE, "startIndexMap", inputShape, startIndexMap);
  std::vector<std::size_t> const dims(startIndexMap.begin(), startIndexMap.end());
  std::vector<std::size_t> sizes;
  for (std::size_t d : dims)
    sizes.push_back(sliceSizes[d]);
  return createSliceableTensor(graph, type, inputShape, dims, sizes, 0, {di});
}

POP_INLINE poplar::Tensor
gather(poplar::Graph &graph, poplar::Tensor const &input, poplar::Tensor const &indices,
       std::size_t indexVectorDim, std::vector<std::size_t> const &offsetDims,
       std::vector<std::size_t> const &sliceSizes,
       std::vector<std::size_t> const &collapsedSliceDims,
       std::vector<unsigned> const &startIndexMap, poplar::program::Sequence &prog,
       poplar::DebugContext const &debugContext, poplar::OptionFlags const &optionFlags) {
  namespace ours = cottonwood::popops;
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::gather";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "gather");
  detail::MultiCall call;
  call.options = ours::readSliceOptions(WHERE, optionFlags);
  call.way.flags = call.options.vertexFlags();
  if (!input.valid())
    cottonwood::base::fail<poputil::poplibs_error>(WHERE, "'input' is an invalid tensor");
  auto const vectors =
      detail::indexVectors(WHERE, indices, indexVectorDim, startIndexMap.size(), "startIndexMap");
  detail::GatherDims const dims{offsetDims, sliceSizes, collapsedSliceDims, startIndexMap};
  detail::checkGather(WHERE, input, dims, vectors.batch.size());
  call.offsets = vectors.offsets;
  call.dims.assign(startIndexMap.begin(), startIndexMap.end());
  call.table = input;
  for (unsigned d = 0; d != input.rank(); ++d)
    if (std::find(startIndexMap.begin(), startIndexMap.end(), d) == startIndexMap.end())
      call.table = call.table.slice(0, sliceSizes[d], d);
  for (std::size_t d : call.dims)
    call.sizes.push_back(sliceSizes[d]);
  return detail::arrangeGathered(detail::multiLookup(graph, call, prog, {di}), vectors.batch, dims);
}

} // namespace popops
