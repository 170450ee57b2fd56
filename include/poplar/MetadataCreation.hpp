// Tensors of format and scale for 8-bit floating point tensors.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_METADATACREATION_HPP
#define POPLAR_METADATACREATION_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Tensor.hpp>

namespace poplar {

class Graph;

// All return [] QUARTER_METADATA on tile 0. Scales are -32 to 31.

/// \throws poplar_error  another scale.
POP_API Tensor createConstantMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                            DebugContext const &debugContext = {});
/// A variable with that value whenever the program is loaded. \throws poplar_error  another scale.
POP_API Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format, int scale,
                                            DebugContext const &debugContext = {});
/// A variable that prog sets from `scale`, as setMetadataTensor does.
POP_API Tensor createVariableMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                                            Tensor const &scale, program::Sequence &prog,
                                            DebugContext const &debugContext = {});

/// Appends to prog: metadataOut gets that format and the scale that the tensor then holds. Another
/// scale is an application_runtime_error when it runs.
/// \param scale        one INT element.
/// \param metadataOut  one QUARTER_METADATA element.
/// \throws poplar_error  another number of elements or type.
POP_API void setMetadataTensor(Graph &graph, QuarterMetadata::Format format, Tensor const &scale,
                               Tensor const &metadataOut, program::Sequence &prog,
                               DebugContext const &debugContext = {});

} // namespace poplar

#endif
