#include <popops/impl/Config.hpp>
#ifndef POPOPS_GATHER_STATISTICS_HPP
#define POPOPS_GATHER_STATISTICS_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

// Histograms. With x the elements of `input`, or their absolute values if absoluteOfInput:
//
//     hist[0] = #(x < levels[0])
//     hist[i] = #(levels[i - 1] <= x < levels[i])
//     hist[L] = #(x >= levels[L - 1])
//
// NaN is counted nowhere. Counts are exact integers modulo 2^32 whatever the options say.
//
// Options, true|false each:
//
// - useFloatArithmetic (false): deprecated; the result is FLOAT. Only for the first form.
// - useFloatArithmeticWithUnsignedIntOutput (false): accepted; the result is UNSIGNED_INT.
//
// Both throw poputil::poplibs_error when types or shapes do not fit, poplar::invalid_option on
// other options or if both are true.

namespace popops {

/// \param input   FLOAT or HALF, any shape.
/// \param levels  [L] of the type of input, ascending; L at least 1.
/// \returns  [L + 1] UNSIGNED_INT (or FLOAT, see useFloatArithmetic).
POP_API poplar::Tensor histogram(poplar::Graph &graph, poplar::Tensor const &input,
                                 poplar::Tensor const &levels, bool absoluteOfInput,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext = {},
                                 poplar::OptionFlags const &options = {});

/// Writes to `output`, or adds to it if updateOutput.
/// \param output  [L + 1] UNSIGNED_INT or FLOAT; with useFloatArithmeticWithUnsignedIntOutput it
/// must be UNSIGNED_INT.
POP_API void histogram(poplar::Graph &graph, poplar::Tensor const &input, poplar::Tensor &output,
                       bool updateOutput, poplar::Tensor const &levels, bool absoluteOfInput,
                       poplar::program::Sequence &prog,
                       poplar::DebugContext const &debugContext = {},
                       poplar::OptionFlags const &options = {});

} // namespace popops

#endif
