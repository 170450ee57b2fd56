#include <popops/impl/Config.hpp>
#ifndef POPOPS_LOOP_HPP
#define POPOPS_LOOP_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

#include <cstddef>
#include <functional>

// Loops with a counter. All throw poputil::poplibs_error as their comments say.

namespace popops {

/// Makes the body of a loop for a counter, one UNSIGNED_INT element.
using CountedLoopBodyType = std::function<poplar::program::Program(poplar::Tensor const &)>;

/// Runs the body with counter begin, begin + step, ... below `end`.
/// \param body  called once, now; its program must not write the counter.
/// \throws poputil::poplibs_error  step is 0, begin is not below end, end above 4294967295, or
/// `body` empty
POP_API poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin,
                                              std::size_t end, std::size_t step,
                                              CountedLoopBodyType const &body,
                                              poplar::DebugContext const &debugContext = {});
/// With counter 0, 1, ... below `count`. \throws poputil::poplibs_error  count is 0
POP_API poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count,
                                              CountedLoopBodyType const &body,
                                              poplar::DebugContext const &debugContext = {});

/// Appends count += countStep.
/// \param count, countLimit  one element each, INT or UNSIGNED_INT, both of the same type
/// \param tile  where it is computed
/// \returns one BOOL: count != countLimit after the step.
/// \throws poputil::poplibs_error  other types or numbers of elements
POP_API poplar::Tensor addForLoopCounterVertex(poplar::Graph &graph, poplar::Tensor const &count,
                                               poplar::Tensor const &countLimit, int countStep,
                                               unsigned tile, poplar::program::Sequence &prog,
                                               poplar::DebugContext const &di);

/// Runs the body with count = initialCount, initialCount + countStep, ... as long as it is not
/// countLimit, which the body may change.
/// \param count  written before the body runs; left at the limit
/// \throws poputil::poplibs_error  as addForLoopCounterVertex; count is a constant or the limit
POP_API poplar::program::Sequence countedForLoop(poplar::Graph &graph, poplar::Tensor const &count,
                                                 int initialCount, poplar::Tensor const &countLimit,
                                                 int countStep,
                                                 poplar::program::Program const &body,
                                                 poplar::DebugContext const &debugContext = {});
/// With a counter of its own.
POP_API poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                                 poplar::Tensor const &countLimit, int countStep,
                                                 poplar::program::Program const &body,
                                                 poplar::DebugContext const &debugContext = {});

} // namespace popops

#endif
