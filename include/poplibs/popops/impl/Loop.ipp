#pragma once

#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <poplar/impl/base/Error.hpp>

#include <limits>

namespace cottonwood::popops::detail {

POP_INLINE void checkCounter(char const *where, char const *name, ::poplar::Tensor const &t) {
  using ::poputil::poplibs_error;
  if (!t.valid())
    base::fail<poplibs_error>(where, "'", name, "' is an invalid tensor");
  if (t.numElements() != 1 ||
      (t.elementType() != ::poplar::INT && t.elementType() != ::poplar::UNSIGNED_INT))
    base::fail<poplibs_error>(where, "'", name, "' has shape ", base::shapeText(t.shape()),
                              " and type ", t.elementType(),
                              "; it must be one element of type int or unsigned int");
}

POP_INLINE void checkCounters(char const *where, ::poplar::Tensor const &count,
                              ::poplar::Tensor const &limit) {
  checkCounter(where, "count", count);
  checkCounter(where, "countLimit", limit);
  if (count.elementType() != limit.elementType())
    base::fail<::poputil::poplibs_error>(where, "'count' is ", count.elementType(),
                                         " and 'countLimit' ", limit.elementType(),
                                         "; they must have the same type");
}

/// One element of that value in the type of a counter; unsigned ones wrap.
POP_INLINE ::poplar::Tensor counterConstant(::poplar::Graph &graph, ::poplar::Type const &type,
                                            int value, unsigned tile,
                                            ::poplar::DebugContext const &di) {
  ::poplar::Tensor const t = type == ::poplar::INT
                                 ? graph.addConstant(type, {1}, value, di)
                                 : graph.addConstant(type, {1}, static_cast<unsigned>(value), di);
  graph.setTileMapping(t, tile);
  return t;
}

/// The tile of a tensor of one element.
POP_INLINE unsigned tileOf(::poplar::Graph const &graph, ::poplar::Tensor const &t) {
  auto const mapping = graph.getTileMapping(t);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    if (!mapping[tile].empty())
      return tile;
  return 0;
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t begin,
                                                 std::size_t end, std::size_t step,
                                                 CountedLoopBodyType const &body,
                                                 poplar::DebugContext const &debugContext) {
  namespace base = cottonwood::base;
  namespace program = poplar::program;
  constexpr char WHERE[] = "popops::countedLoop";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "countedLoop");
  if (step == 0)
    base::fail<poputil::poplibs_error>(WHERE, "the step is 0; it must be at least 1");
  if (begin >= end)
    base::fail<poputil::poplibs_error>(WHERE, "begin ", begin, " is not below end ", end);
  if (end > std::numeric_limits<unsigned>::max())
    base::fail<poputil::poplibs_error>(WHERE, "end ", end, " is above 4294967295");
  if (!body)
    base::fail<poputil::poplibs_error>(WHERE, "'body' is empty; it must be a function that makes "
                                              "a program");
  poplar::Tensor const counter = graph.addVariable(poplar::UNSIGNED_INT, {1}, {di, "counter"});
  poplar::Tensor const first =
      graph.addConstant(poplar::UNSIGNED_INT, {1}, static_cast<unsigned>(begin), {di, "begin"});
  poplar::Tensor const increment =
      graph.addConstant(poplar::UNSIGNED_INT, {1}, static_cast<unsigned>(step), {di, "step"});
  for (poplar::Tensor const &t : {counter, first, increment})
    graph.setTileMapping(t, 0);
  program::Sequence loop({}, {di});
  loop.add(body(counter));
  addInPlace(graph, counter, increment, loop, {di, "count"});
  program::Sequence prog({}, {di});
  prog.add(program::Copy(first, counter, false, {di}));
  prog.add(program::Repeat(static_cast<unsigned>((end - begin - 1) / step + 1), loop, {di}));
  return prog;
}

POP_INLINE poplar::program::Sequence countedLoop(poplar::Graph &graph, std::size_t count,
                                                 CountedLoopBodyType const &body,
                                                 poplar::DebugContext const &debugContext) {
  return countedLoop(graph, 0, count, 1, body, debugContext);
}

POP_INLINE poplar::Tensor addForLoopCounterVertex(poplar::Graph &graph, poplar::Tensor const &count,
                                                  poplar::Tensor const &countLimit, int countStep,
                                                  unsigned tile, poplar::program::Sequence &prog,
                                                  poplar::DebugContext const &di) {
  namespace detail = cottonwood::popops::detail;
  constexpr char WHERE[] = "popops::addForLoopCounterVertex";
  detail::checkCounters(WHERE, count, countLimit);
  cottonwood::poputil::checkWriteable(WHERE, "'count'", count);
  poplar::Tensor const step =
      detail::counterConstant(graph, count.elementType(), countStep, tile, di);
  addInPlace(graph, count.flatten(), step, prog, di);
  return neq(graph, count.flatten(), countLimit.flatten(), prog, di).reshape({});
}

POP_INLINE poplar::program::Sequence countedForLoop(poplar::Graph &graph,
                                                    poplar::Tensor const &count, int initialCount,
                                                    poplar::Tensor const &countLimit, int countStep,
                                                    poplar::program::Program const &body,
                                                    poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popops::detail;
  namespace program = poplar::program;
  constexpr char WHERE[] = "popops::countedForLoop";
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "countedForLoop");
  detail::checkCounters(WHERE, count, countLimit);
  cottonwood::poputil::checkWriteable(WHERE, "'count'", count);
  if (count.intersectsWith(countLimit))
    cottonwood::base::fail<poputil::poplibs_error>(
        WHERE, "'count' and 'countLimit' are the same element; the limit would be overwritten");
  unsigned const tile = detail::tileOf(graph, count);
  // The condition steps before it compares.
  int const before =
      static_cast<int>(static_cast<unsigned>(initialCount) - static_cast<unsigned>(countStep));
  poplar::Tensor const first =
      detail::counterConstant(graph, count.elementType(), before, tile, {di, "initialCount"});
  program::Sequence condition({}, {di});
  poplar::Tensor const goOn =
      addForLoopCounterVertex(graph, count, countLimit, countStep, tile, condition, {di});
  program::Sequence prog({}, {di});
  prog.add(program::Copy(first, count.flatten(), false, {di}));
  prog.add(program::RepeatWhileTrue(condition, goOn, body, {di}));
  return prog;
}

POP_INLINE poplar::program::Sequence countedForLoop(poplar::Graph &graph, int initialCount,
                                                    poplar::Tensor const &countLimit, int countStep,
                                                    poplar::program::Program const &body,
                                                    poplar::DebugContext const &debugContext) {
  cottonwood::popops::detail::checkCounter("popops::countedForLoop", "countLimit", countLimit);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "countedForLoop");
  poplar::Tensor const count = graph.addVariable(countLimit.elementType(), {1}, {di, "count"});
  graph.setTileMapping(count, cottonwood::popops::detail::tileOf(graph, countLimit));
  return countedForLoop(graph, count, initialCount, countLimit, countStep, body, {di});
}

} // namespace popops
