#include <popnn/impl/Config.hpp>
#ifndef POPNN_LOG_SOFTMAX_HPP
#define POPNN_LOG_SOFTMAX_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popnn {

/// x - max - log(sum(e^(x - max))) over the innermost dimension; sums in float.
/// \param t  FLOAT or HALF, rank at least 1; writeable in parallel.
/// \throws poputil::poplibs_error  otherwise.
POP_API void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext = {});

/// The same as a new tensor laid out as t.
POP_API poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext = {});

} // namespace popnn

#endif
