#include <popops/impl/Config.hpp>
#ifndef POPOPS_ENCODING_HPP
#define POPOPS_ENCODING_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// encoded[i, c] = 1 if c = indices[i], else 0. A row whose index is no column (MASKED_LABEL_CODE,
/// say) is 0.
/// \param indices  [N] INT or UNSIGNED_INT.
/// \param encoded  [N, C] FLOAT, HALF, INT or UNSIGNED_INT; written.
/// \throws poputil::poplibs_error  shapes or types do not fit, or parts of `encoded` alias.
/// \throws poplar::invalid_tile_mapping  `encoded` is not mapped.
POP_API void encodeOneHot(poplar::Graph &graph, poplar::Tensor const &indices,
                          poplar::Tensor const &encoded, poplar::program::Sequence &prog,
                          poplar::DebugContext const &debugContext = {});

/// The same with `on` and `off` instead of 1 and 0.
/// \param on, off  one element each, of the type of `encoded`.
POP_API void encodeOneHot(poplar::Graph &graph, poplar::Tensor const &indices,
                          poplar::Tensor const &encoded, poplar::program::Sequence &prog,
                          poplar::Tensor const &on, poplar::Tensor const &off,
                          poplar::DebugContext const &debugContext = {});

/// t[i] = startInteger + i; the type of startInteger is that of t, so write 0u for UNSIGNED_INT.
/// Numbers wrap.
/// \param t  rank 0 or 1, UNSIGNED_INT or INT; mapped, written.
/// \throws poputil::poplibs_error  another rank or type, or elements of t alias.
/// \throws poplar::invalid_tile_mapping  t is not mapped.
POP_API void iota(poplar::Graph &graph, poplar::Tensor const &t, unsigned startInteger,
                  poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {});
POP_API void iota(poplar::Graph &graph, poplar::Tensor const &t, int startInteger,
                  poplar::program::Sequence &prog, poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
