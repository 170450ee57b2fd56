#pragma once
#include <poplar/MetadataCreation.hpp>

#include <cstdint>
#include <poplar/Graph.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <utility>
#include <vector>

namespace cottonwood::program::detail {

POP_INLINE unsigned char metadataByte(char const *where, poplar::QuarterMetadata::Format format,
                                      int scale) {
  if (scale < poplar::QUARTER_METADATA_SCALE_BIAS_MIN ||
      scale > poplar::QUARTER_METADATA_SCALE_BIAS_MAX)
    base::fail<poplar::poplar_error>(where, "the scale is ", scale, "; it must be ",
                                     poplar::QUARTER_METADATA_SCALE_BIAS_MIN, " to ",
                                     poplar::QUARTER_METADATA_SCALE_BIAS_MAX);
  base::requireEnumerator<poplar::poplar_error>(where, "QuarterMetadata::Format", format,
                                                {"F143", "F152"});
  return poplar::QuarterMetadata(format, static_cast<signed char>(scale)).getBinary();
}

POP_INLINE void checkOne(char const *name, poplar::Tensor const &tensor, poplar::Type type) {
  if (!tensor.valid())
    base::fail<poplar::poplar_error>("setMetadataTensor", base::quoted(name),
                                     " is an invalid tensor");
  if (tensor.numElements() != 1 || tensor.elementType() != type)
    base::fail<poplar::poplar_error>(
        "setMetadataTensor", base::quoted(name), " has shape ", base::shapeText(tensor.shape()),
        " of type ", tensor.elementType(), "; it must be one element of type ", type);
}

} // namespace cottonwood::program::detail

namespace poplar {

POP_INLINE Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                               int scale, DebugContext const &debugContext) {
  unsigned char const byte =
      cottonwood::program::detail::metadataByte("createConstantMetadataTensor", format, scale);
  Tensor const metadata = graph.addConstant(QUARTER_METADATA, {}, byte, debugContext);
  graph.setTileMapping(metadata, 0);
  return metadata;
}

POP_INLINE Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                               int scale, DebugContext const &debugContext) {
  unsigned char const byte =
      cottonwood::program::detail::metadataByte("createVariableMetadataTensor", format, scale);
  Tensor const metadata = graph.addVariable(QUARTER_METADATA, {}, debugContext);
  graph.setTileMapping(metadata, 0);
  graph.setInitialValue(metadata, byte);
  return metadata;
}

POP_INLINE Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                               Tensor const &scale, program::Sequence &prog,
                                               DebugContext const &debugContext) {
  Tensor const metadata = graph.addVariable(QUARTER_METADATA, {}, debugContext);
  graph.setTileMapping(metadata, 0);
  setMetadataTensor(graph, format, scale, metadata, prog, debugContext);
  return metadata;
}

POP_INLINE void setMetadataTensor(Graph &graph, QuarterMetadata::Format format, Tensor const &scale,
                                  Tensor const &metadataOut, program::Sequence &prog,
                                  DebugContext const &debugContext) {
  namespace detail = cottonwood::program::detail;
  detail::checkOne("scale", scale, INT);
  detail::checkOne("metadataOut", metadataOut, QUARTER_METADATA);
  // There are few values: a case for each needs no codelet.
  constexpr int first = QUARTER_METADATA_SCALE_BIAS_MIN, last = QUARTER_METADATA_SCALE_BIAS_MAX;
  std::vector<unsigned char> bytes;
  for (int value = first; value <= last; ++value)
    bytes.push_back(detail::metadataByte("setMetadataTensor", format, value));
  Tensor const all = graph.addConstant(QUARTER_METADATA, {bytes.size()},
                                       ArrayRef<unsigned char>(bytes), debugContext);
  graph.setTileMapping(all, 0);
  Tensor const out = metadataOut.flatten();
  std::vector<std::pair<std::int32_t, program::Program>> cases;
  for (int value = first; value <= last; ++value) {
    auto const i = static_cast<std::size_t>(value - first);
    cases.emplace_back(value, program::Copy(all.slice(i, i + 1), out, false, debugContext));
  }
  prog.add(program::Switch::switchWithBoundsChecking(scale, cases, debugContext));
}

} // namespace poplar
