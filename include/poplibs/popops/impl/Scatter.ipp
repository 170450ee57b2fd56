#pragma once

#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Loop.hpp>
#include <popops/Scatter.hpp>
#include <popops/impl/IndexVectors.hpp>
#include <popops/impl/MultiCall.hpp>
#include <popops/impl/SliceCall.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/Math.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

struct ScatterDims {
  std::size_t indexVectorDim;
  Sizes updateWindowDims, insertWindowDims;
  std::vector<unsigned> scatterDimsToOperandDims;
};

/// The updates as slices of the operand: [N] + window, with the window's inserted dimensions.
POP_INLINE Tensor windowsOf(char const *where, Tensor const &operand, Tensor const &updates,
                            Sizes const &batch, ScatterDims const &dims) {
  using ::poputil::poplibs_error;
  checkAscending(where, "updateWindowDims", dims.updateWindowDims, updates.rank());
  checkAscending(where, "insertWindowDims", dims.insertWindowDims, operand.rank());
  if (dims.updateWindowDims.size() + dims.insertWindowDims.size() != operand.rank())
    base::fail<poplibs_error>(
        where, dims.updateWindowDims.size(), " updateWindowDims and ", dims.insertWindowDims.size(),
        " insertWindowDims; together there must be ", operand.rank(), ", the rank of 'operand'");
  auto order = rowsFirst(updates.rank(), dims.updateWindowDims);
  std::rotate(order.begin(),
              order.begin() + static_cast<std::ptrdiff_t>(dims.updateWindowDims.size()),
              order.end());
  Tensor const ordered = updates.dimShuffle(order);
  Sizes const shape = ordered.shape();
  auto const numBatch = static_cast<std::ptrdiff_t>(shape.size() - dims.updateWindowDims.size());
  if (Sizes(shape.begin(), shape.begin() + numBatch) != batch)
    base::fail<poplibs_error>(where, "'updates' of shape ", base::shapeText(updates.shape()),
                              " with updateWindowDims ", base::shapeText(dims.updateWindowDims),
                              " has batch dimensions ",
                              base::shapeText(Sizes(shape.begin(), shape.begin() + numBatch)),
                              ", 'indices' ", base::shapeText(batch), "; they must be the same");
  Sizes windows{poputil::product(batch)};
  std::size_t next = static_cast<std::size_t>(numBatch);
  for (unsigned d = 0; d != operand.rank(); ++d) {
    bool const inserted = std::binary_search(dims.insertWindowDims.begin(),
                                             dims.insertWindowDims.end(), std::size_t(d));
    windows.push_back(inserted ? 1 : shape[next++]);
    if (updates.numElements() != 0 && windows.back() > operand.dim(d))
      base::fail<poplibs_error>(where, "windows of 'updates' have size ", windows.back(),
                                " in dimension ", d, " of 'operand' of shape ",
                                base::shapeText(operand.shape()), "; they must fit in");
  }
  return ordered.reshape(windows);
}

/// Checks; slices and offsets of the call are set and, if there are slices, its table is what
/// windows may cover.
POP_INLINE MultiCall scatterCall(char const *where, Tensor const &operand, Tensor const &indices,
                                 Tensor const &updates, ScatterDims const &dims,
                                 ::poplar::OptionFlags const &optionFlags) {
  using ::poputil::poplibs_error;
  MultiCall call;
  call.options = readSliceOptions(where, optionFlags);
  call.way.flags = call.options.vertexFlags();
  if (!operand.valid() || !updates.valid())
    base::fail<poplibs_error>(where, operand.valid() ? "'updates'" : "'operand'",
                              " is an invalid tensor");
  if (operand.elementType() != updates.elementType())
    base::fail<poplibs_error>(where, "'operand' is ", operand.elementType(), " and 'updates' ",
                              updates.elementType(), "; they must have the same type");
  auto const &toOperand = dims.scatterDimsToOperandDims;
  auto const vectors = indexVectors(where, indices, dims.indexVectorDim, toOperand.size(),
                                    "scatterDimsToOperandDims");
  checkOperandDims(where, "scatterDimsToOperandDims", operand.shape(), toOperand);
  call.offsets = vectors.offsets;
  call.slices = windowsOf(where, operand, updates, vectors.batch, dims);
  call.dims.assign(toOperand.begin(), toOperand.end());
  call.table = operand;
  if (updates.numElements() == 0)
    return call;
  poputil::checkWriteable(where, "'operand'", operand);
  for (unsigned d = 0; d != operand.rank(); ++d)
    if (std::find(toOperand.begin(), toOperand.end(), d) == toOperand.end())
      call.table = call.table.slice(0, call.slices.dim(d + 1), d);
  for (std::size_t d : call.dims)
    call.sizes.push_back(call.slices.dim(static_cast<unsigned>(d + 1)));
  return call;
}

/// Validates the offsets, and replaces those of windows that end beyond the operand by one that is
/// out of range.
POP_INLINE void keepWholeWindows(::poplar::Graph &graph, MultiCall &call,
                                 ::poplar::program::Sequence &prog,
                                 ::poplar::DebugContext const &di) {
  namespace expr = ::popops::expr;
  Sizes starts = call.table.shape();
  std::vector<Tensor> offsets;
  for (unsigned k = 0; k != call.dims.size(); ++k) {
    std::size_t const size = call.table.dim(static_cast<unsigned>(call.dims[k]));
    std::size_t const limit = size - call.sizes[k] + 1;
    offsets.push_back(call.offsets.slice(k, k + 1, 1));
    if (limit == size)
      continue;
    if (!call.options.padding)
      starts[call.dims[k]] = limit;
    auto const bound = [](std::size_t n) { return expr::Const(static_cast<unsigned>(n)); };
    offsets[k] = ::popops::map(
        graph,
        expr::Select(expr::Const(~0U), expr::_1,
                     expr::And(expr::Gte(expr::_1, bound(limit)), expr::Lt(expr::_1, bound(size)))),
        {offsets[k]}, prog, di);
  }
  emitValidation(graph, call.offsets, starts, call.dims, call.options, prog, di);
  call.options.validate = false;
  if (!offsets.empty())
    call.offsets = ::poplar::concat(offsets, 1);
}

POP_INLINE void checkUpdate(char const *where, Tensor const &result, Tensor const &update) {
  using ::poputil::poplibs_error;
  if (!result.valid())
    base::fail<poplibs_error>(where, "'updateComputation' returned an invalid tensor");
  if (result.shape() != update.shape() || result.elementType() != update.elementType())
    base::fail<poplibs_error>(where, "'updateComputation' returned a tensor of shape ",
                              base::shapeText(result.shape()), " of type ", result.elementType(),
                              "; it must have shape ", base::shapeText(update.shape()),
                              " and type ", update.elementType());
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE void scatter(poplar::Graph &graph, poplar::Tensor const &operand,
                        poplar::Tensor const &indices, poplar::Tensor const &updates,
                        std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                        std::vector<std::size_t> insertWindowDims,
                        std::vector<unsigned> scatterDimsToOperandDims,
                        poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &optionFlags) {
  namespace detail = cottonwood::popops::detail;
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "scatter");
  auto call = detail::scatterCall("popops::scatter", operand, indices, updates,
                                  {indexVectorDim,
                                   {updateWindowDims.begin(), updateWindowDims.end()},
                                   insertWindowDims,
                                   scatterDimsToOperandDims},
                                  optionFlags);
  if (updates.numElements() == 0)
    return;
  detail::keepWholeWindows(graph, call, prog, {di});
  detail::multiOverwrite(graph, call, prog, {di});
}

POP_INLINE void scatter(poplar::Graph &graph, poplar::Tensor const &operand,
                        poplar::Tensor const &indices, poplar::Tensor const &updates,
                        std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
                        std::vector<std::size_t> insertWindowDims,
                        std::vector<unsigned> scatterDimsToOperandDims,
                        UpdateComputationFunc &updateComputation, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext,
                        poplar::OptionFlags const &optionFlags) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::scatter";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "scatter");
  if (!updateComputation)
    cottonwood::base::fail<poputil::poplibs_error>(WHERE, "'updateComputation' is empty");
  auto call = detail::scatterCall(WHERE, operand, indices, updates,
                                  {indexVectorDim,
                                   {updateWindowDims.begin(), updateWindowDims.end()},
                                   insertWindowDims,
                                   scatterDimsToOperandDims},
                                  optionFlags);
  if (updates.numElements() == 0)
    return;
  poplar::DebugContext const name{di};
  detail::keepWholeWindows(graph, call, prog, name);
  cottonwood::poputil::readBeforeWrites(graph, {&call.slices, &call.offsets}, call.table, prog,
                                        name);
  poplar::OptionFlags options = optionFlags;
  options.set("validateIndices", "false"); // they are valid
  prog.add(countedLoop(
      graph, call.lookups(),
      [&](poplar::Tensor const &i) {
        poplar::program::Sequence body({}, name);
        poplar::Tensor const at = dynamicSlice(graph, call.offsets, i, {0}, {1}, body, name)[0];
        poplar::Tensor update = dynamicSlice(graph, call.slices, i, {0}, {1}, body, name)[0];
        poplar::Tensor now =
            dynamicSlice(graph, call.table, at, call.dims, call.sizes, body, name, options);
        poplar::Tensor const next = updateComputation(graph, now, update, body);
        detail::checkUpdate(WHERE, next, call.slices[0]);
        dynamicUpdate(graph, call.table, next, at, call.dims, call.sizes, body, name, options);
        return body;
      },
      name));
}

} // namespace popops
