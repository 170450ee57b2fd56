#pragma once

#include <popops/DynamicSlice.hpp>
#include <popops/impl/SliceCall.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/Math.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popops::detail {

/// Checks a table, and returns the offset of one slice as [dims.size()].
POP_INLINE ::poplar::Tensor checkedOffset(char const *where, ::poplar::Tensor const &t,
                                          ::poplar::Tensor const &offset, Sizes const &dims,
                                          Sizes const &sizes) {
  using ::poputil::poplibs_error;
  checkSlice(where, "t", t, dims, sizes);
  if (dims.empty())
    return {};
  ::poplar::Tensor const at = unsignedOffsets(where, "offset", offset);
  if (at.rank() < 1 || at.rank() > 2 || at.dim(0) != dims.size() ||
      (at.rank() == 2 && at.dim(1) == 0))
    base::fail<poplibs_error>(where, "'offset' has shape ", base::shapeText(at.shape()),
                              "; it must be [", dims.size(), "], one offset a dimension");
  return at.rank() == 2 ? at.slice(0, 1, 1).flatten() : at;
}

/// \throws poplar::graph_connection_error
POP_INLINE void checkSliceTensor(char const *where, char const *name, ::poplar::Tensor const &s,
                                 ::poplar::Tensor const &t, Sizes const &shape) {
  using ::poplar::graph_connection_error;
  if (!s.valid())
    base::fail<graph_connection_error>(where, "'", name, "' is an invalid tensor");
  if (s.shape() != shape)
    base::fail<graph_connection_error>(where, "'", name, "' has shape ", base::shapeText(s.shape()),
                                       "; a slice has ", base::shapeText(shape));
  if (s.elementType() != t.elementType())
    base::fail<graph_connection_error>(where, "'", name, "' is ", s.elementType(), " and 't' ",
                                       t.elementType(), "; they must have the same type");
}

/// The slice at offset 0 of t, for what has no elements.
POP_INLINE ::poplar::Tensor firstSlice(::poplar::Tensor const &t, Sizes const &dims,
                                       Sizes const &sizes) {
  ::poplar::Tensor slice = t;
  for (std::size_t k = 0; k != dims.size(); ++k)
    slice = slice.slice(0, sizes[k], static_cast<unsigned>(dims[k]));
  return slice;
}

/// Slices into `output`, whose shape is right.
POP_INLINE void sliceInto(::poplar::Graph &graph, ::poplar::Tensor const &output,
                          ::poplar::Tensor const &t, ::poplar::Tensor const &at, Sizes const &dims,
                          Sizes const &sizes, SliceOptions const &options,
                          ::poplar::program::Sequence &prog, ::poplar::DebugContext const &di) {
  if (output.numElements() == 0)
    return;
  emitValidation(graph, at, t.shape(), dims, options, prog, di);
  if (!output.intersectsWith(t) && !output.intersectsWith(at))
    return emitSlice(graph, output, t, at, dims, sizes, options.vertexFlags(), prog, di);
  ::poplar::Tensor const copy = graph.clone(output, di);
  emitSlice(graph, copy, t, at, dims, sizes, options.vertexFlags(), prog, di);
  prog.add(::poplar::program::Copy(copy, output, false, di));
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::Tensor createDynamicSliceOutput(poplar::Graph &graph, poplar::Tensor const &t,
                                                   poplar::Tensor const &offset,
                                                   std::vector<std::size_t> const &dims,
                                                   std::vector<std::size_t> const &sizes,
                                                   poplar::DebugContext const &debugContext,
                                                   poplar::OptionFlags const &options) {
  namespace ours = cottonwood::popops;
  constexpr char WHERE[] = "popops::createDynamicSliceOutput";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "createDynamicSliceOutput");
  ours::readSliceOptions(WHERE, options);
  ours::detail::checkedOffset(WHERE, t, offset, dims, sizes);
  return ours::makeSlices(graph, t, dims, sizes, 1, {di, "slice"})[0];
}

POP_INLINE poplar::Tensor
dynamicSlice(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &offset,
             std::vector<std::size_t> const &dims, std::vector<std::size_t> const &sizes,
             poplar::program::Sequence &prog, poplar::DebugContext const &debugContext,
             poplar::OptionFlags const &options) {
  namespace ours = cottonwood::popops;
  constexpr char WHERE[] = "popops::dynamicSlice";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "dynamicSlice");
  auto const parsed = ours::readSliceOptions(WHERE, options);
  poplar::Tensor const at = ours::detail::checkedOffset(WHERE, t, offset, dims, sizes);
  if (dims.empty())
    return t;
  auto const shape = ours::sliceShape(t.shape(), dims, sizes);
  if (cottonwood::poputil::product(shape) == 0)
    return ours::detail::firstSlice(t, dims, sizes);
  poplar::Tensor const output = ours::makeSlices(graph, t, dims, sizes, 1, {di, "slice"})[0];
  ours::detail::sliceInto(graph, output, t, at, dims, sizes, parsed, prog, {di});
  return output;
}

POP_INLINE void dynamicSliceWithOutput(poplar::Graph &graph, poplar::Tensor const &output,
                                       poplar::Tensor const &t, poplar::Tensor const &offset,
                                       std::vector<std::size_t> const &dims,
                                       std::vector<std::size_t> const &sizes,
                                       poplar::program::Sequence &prog,
                                       poplar::DebugContext const &debugContext,
                                       poplar::OptionFlags const &options) {
  namespace ours = cottonwood::popops;
  constexpr char WHERE[] = "popops::dynamicSliceWithOutput";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "dynamicSliceWithOutput");
  auto const parsed = ours::readSliceOptions(WHERE, options);
  poplar::Tensor const at = ours::detail::checkedOffset(WHERE, t, offset, dims, sizes);
  ours::detail::checkSliceTensor(WHERE, "output", output, t,
                                 ours::sliceShape(t.shape(), dims, sizes));
  cottonwood::poputil::checkWriteable(WHERE, "'output'", output);
  if (dims.empty())
    prog.add(poplar::program::Copy(t, output, false, {di}));
  else
    ours::detail::sliceInto(graph, output, t, at, dims, sizes, parsed, prog, {di});
}

POP_INLINE poplar::Graph::TileToTensorMapping
getSliceMapping(poplar::Graph &graph, poplar::Tensor const &t, std::vector<std::size_t> const &dims,
                std::vector<std::size_t> const &sizes) {
  namespace ours = cottonwood::popops;
  ours::checkSlice("popops::getSliceMapping", "t", t, dims, sizes);
  if (dims.empty())
    return graph.getTileMapping(t);
  if (cottonwood::poputil::product(ours::sliceShape(t.shape(), dims, sizes)) == 0)
    return poplar::Graph::TileToTensorMapping(graph.getTarget().getNumTiles());
  return graph.getTileMapping(ours::makeSlices(graph, t, dims, sizes, 1, {"sliceMapping"})[0]);
}

POP_INLINE void
dynamicUpdate(poplar::Graph &graph, poplar::Tensor const &t, poplar::Tensor const &s,
              poplar::Tensor const &offset, std::vector<std::size_t> const &dims,
              std::vector<std::size_t> const &sizes, poplar::program::Sequence &prog,
              poplar::DebugContext const &debugContext, poplar::OptionFlags const &options) {
  namespace ours = cottonwood::popops;
  constexpr char WHERE[] = "popops::dynamicUpdate";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "dynamicUpdate");
  auto const parsed = ours::readSliceOptions(WHERE, options);
  poplar::Tensor const at = ours::detail::checkedOffset(WHERE, t, offset, dims, sizes);
  ours::detail::checkSliceTensor(WHERE, "s", s, t, ours::sliceShape(t.shape(), dims, sizes));
  cottonwood::poputil::checkWriteable(WHERE, "'t'", t);
  if (s.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(poplar::program::Copy(s, t, false, {di}));
    return;
  }
  ours::emitValidation(graph, at, t.shape(), dims, parsed, prog, {di});
  ours::emitUpdate(graph, t, s, at, dims, sizes, parsed.vertexFlags(), prog, {di});
}

} // namespace popops
