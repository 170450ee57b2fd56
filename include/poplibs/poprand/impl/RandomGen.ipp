#pragma once

#include <poprand/RandomGen.hpp>
#include <poprand/impl/Bounds.hpp>
#include <poprand/impl/Draw.hpp>

#include <popops/ElementWise.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/program/RandomSeed.hpp>

#include <cfloat>
#include <climits>
#include <cmath>
#include <initializer_list>

namespace cottonwood::poprand::detail {

using ::poplar::FLOAT;
using ::poplar::HALF;
using ::poplar::INT;
using ::poplar::Type;
using ::poputil::poplibs_error;

/// Cycles of a CPU with eight lanes for eight elements, measured to the next power of two.
inline constexpr unsigned DRAW_CYCLES = 32, NORMAL_CYCLES = 64, QUANTILE_CYCLES = 128;

POP_INLINE void checkType(char const *where, char const *what, Type const &type,
                          std::initializer_list<Type> allowed) {
  std::string list;
  for (Type const &each : allowed) {
    if (each == type)
      return;
    base::appendPart(list, list.empty() ? "" : ", ");
    base::appendPart(list, each);
  }
  base::fail<poplibs_error>(where, what, " is ", type, "; allowed: ", list);
}

POP_INLINE unsigned checkedThreshold(char const *where, char const *what, double probability) {
  if (!(probability >= 0 && probability <= 1))
    base::fail<poplibs_error>(where, what, " = ", probability, "; it must be in [0, 1]");
  return static_cast<unsigned>(probability * 65536);
}

/// A new tensor laid out as the reference. That is no operand of a vertex, so engines cannot name
/// it if it is mapped nowhere.
POP_INLINE Tensor laidOutAs(::poplar::Graph &graph, Tensor const &reference, Type const &type,
                            ::poplar::DebugContext const &debugContext) {
  graph.getTileMapping(reference);
  return graph.clone(type, reference, debugContext);
}

/// Parameters of the vertices with real results.
struct RealFields {
  double location = 0, scale = 0;
  Bounds bounds{0, 0};
  double tail = 0;
};

POP_INLINE Tensor drawReals(DrawCall const &call, Stream const &stream, char const *vertex,
                            Tensor const &reference, Type const &type, RealFields const &fields,
                            unsigned cyclesPer8) {
  Draw draw;
  draw.vertex = ::poputil::templateVertex(vertex, type);
  draw.out = laidOutAs(call.graph, reference, type, call.context);
  draw.cyclesPer8 = cyclesPer8;
  draw.setFields = [&](::poplar::VertexRef const &v) {
    call.graph.setInitialValue(v["location"], static_cast<float>(fields.location));
    call.graph.setInitialValue(v["scale"], static_cast<float>(fields.scale));
    call.graph.setInitialValue(v["low"], fields.bounds.low);
    call.graph.setInitialValue(v["high"], fields.bounds.high);
    call.graph.setInitialValue(v["tail"], static_cast<float>(fields.tail));
  };
  emitDraw(call, stream, draw);
  return draw.out;
}

/// Integers of [low, high], which is checked.
POP_INLINE Tensor drawInts(DrawCall const &call, Stream const &stream, Tensor const &reference,
                           long long low, long long high) {
  Draw draw;
  draw.vertex = "poprand::UniformInt";
  draw.out = laidOutAs(call.graph, reference, INT, call.context);
  draw.cyclesPer8 = DRAW_CYCLES;
  draw.setFields = [&](::poplar::VertexRef const &v) {
    call.graph.setInitialValue(v["low"], static_cast<int>(low));
    // The whole of INT wraps to 0, which the vertex takes for 2^32.
    call.graph.setInitialValue(v["range"], static_cast<unsigned>(high - low + 1));
  };
  emitDraw(call, stream, draw);
  return draw.out;
}

/// `value` with probability threshold / 65536, else 0.
POP_INLINE Tensor drawBernoulli(DrawCall const &call, Stream const &stream, Tensor const &reference,
                                Type const &type, unsigned threshold, double value) {
  Draw draw;
  draw.vertex = ::poputil::templateVertex("poprand::Bernoulli", type);
  draw.out = laidOutAs(call.graph, reference, type, call.context);
  draw.cyclesPer8 = DRAW_CYCLES;
  draw.setFields = [&](::poplar::VertexRef const &v) {
    if (type == INT)
      call.graph.setInitialValue(v["value"], static_cast<int>(value));
    else
      call.graph.setInitialValue(v["value"], static_cast<float>(value));
    call.graph.setInitialValue(v["threshold"], threshold);
  };
  emitDraw(call, stream, draw);
  return draw.out;
}

POP_INLINE void checkDropout(char const *where, Tensor const &input) {
  if (!input.valid())
    base::fail<poplibs_error>(where, "'input' is an invalid tensor");
  checkType(where, "the type of 'input'", input.elementType(), {FLOAT, HALF});
}

/// Whether repeating dimensions of size 1 turns the shape of `part` into that of `whole`.
POP_INLINE bool broadcastsTo(Tensor const &part, Tensor const &whole) {
  if (part.rank() > whole.rank())
    return false;
  unsigned const more = whole.rank() - part.rank();
  for (unsigned d = 0; d != part.rank(); ++d)
    if (part.dim(d) != 1 && part.dim(d) != whole.dim(d + more))
      return false;
  return true;
}

POP_INLINE void checkFinite(char const *where, char const *what, double value) {
  if (!std::isfinite(value))
    base::fail<poplibs_error>(where, what, " = ", value, "; it must be finite");
}

/// The bounds of uniform() for FLOAT and HALF.
POP_INLINE Bounds checkUniform(char const *where, Type const &type, double low, double high) {
  checkFinite(where, "minVal", low);
  checkFinite(where, "maxVal", high);
  double const most = type == HALF ? 65504 : static_cast<double>(FLT_MAX);
  if (low > most || high < -most)
    base::fail<poplibs_error>(where, "the interval [", low, ", ", high,
                              "] holds no number of type ", type, ", which ends at ",
                              low > most ? most : -most);
  return boundsOf(type, low, high);
}

/// Numbers between the bounds, about their middle, where the width of no interval overflows.
POP_INLINE RealFields uniformFields(Bounds const &bounds) {
  double const low = static_cast<double>(bounds.low), high = static_cast<double>(bounds.high);
  RealFields fields;
  fields.bounds = bounds;
  fields.location = low / 2 + high / 2;
  fields.scale = high / 2 - low / 2;
  // Where numbers lie less than some hundred to the interval, the one next to the middle is too far
  // from it.
  double const rest = fields.location - static_cast<double>(static_cast<float>(fields.location));
  if (std::fabs(rest) > fields.scale * 0x1p-9)
    fields.tail = rest;
  return fields;
}

POP_INLINE void checkLogUniform(char const *where, Type const &type, double low, double high,
                                double base) {
  double const most = type == HALF ? 65504 : type == INT ? INT_MAX : HUGE_VAL;
  if (!(low >= 1))
    base::fail<poplibs_error>(where, "minVal = ", low, "; it must be at least 1");
  if (!(high > low))
    base::fail<poplibs_error>(where, "maxVal = ", high, "; it must be above minVal = ", low);
  if (type == INT && (std::floor(low) != low || std::floor(high) != high))
    base::fail<poplibs_error>(where, "minVal = ", low, " and maxVal = ", high,
                              "; for type int both must be integers");
  if (high > most)
    base::fail<poplibs_error>(where, "maxVal = ", high, "; the largest number of type ", type,
                              " is ", most);
  if (!(base > 0) || base == 1)
    base::fail<poplibs_error>(where, "base = ", base, "; it must be above 0 and not 1");
}

POP_INLINE void warnOfLoss(char const *where, Type const &type, double low, double high,
                           Bounds const &bounds) {
  double const kept = std::log(static_cast<double>(bounds.high) / static_cast<double>(bounds.low)) /
                      std::log(high / low);
  if (kept < 0.99 && base::logEnabled("POPRAND", base::LogLevel::Warn))
    base::logLine("POPRAND", base::LogLevel::Warn,
                  base::textOf(where, ": of the interval [", low, ", ", high, "], type ", type,
                               " holds [", bounds.low, ", ", bounds.high, "] only"));
}

} // namespace cottonwood::poprand::detail

namespace poprand {

POP_INLINE poplar::Tensor uniform(poplar::Graph &graph, poplar::Tensor const *seed,
                                  std::uint32_t seedModifier, poplar::Tensor const &reference,
                                  poplar::Type const &outType, double minVal, double maxVal,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::uniform";
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  detail::checkType(where, "outType", outType, {poplar::FLOAT, poplar::HALF, poplar::INT});
  if (!(minVal <= maxVal))
    cottonwood::base::fail<poputil::poplibs_error>(
        where, "range for uniform distribution invalid: [", minVal, ", ", maxVal, "]");
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(reference, seedModifier, outType, minVal, maxVal));
  DrawCall const call{where, graph, prog, {di}};
  poplar::Tensor out;
  if (outType == poplar::INT) {
    double const low = std::ceil(minVal), high = std::floor(maxVal);
    if (low > high || low < INT_MIN || high > INT_MAX)
      cottonwood::base::fail<poputil::poplibs_error>(
          where, "range for uniform distribution invalid: [", minVal, ", ", maxVal,
          "] of type int must hold an integer and none beyond [", INT_MIN, ", ", INT_MAX, "]");
    out = detail::drawInts(call, stream, reference, static_cast<long long>(low),
                           static_cast<long long>(high));
  } else {
    Bounds const bounds = detail::checkUniform(where, outType, minVal, maxVal);
    out = detail::drawReals(call, stream, "poprand::Uniform", reference, outType,
                            detail::uniformFields(bounds), detail::DRAW_CYCLES);
  }
  di.addOutput(out);
  return out;
}

POP_INLINE poplar::Tensor logUniform(poplar::Graph &graph, poplar::Tensor const *seed,
                                     std::uint32_t seedModifier, poplar::Tensor const &reference,
                                     poplar::Type const &outType, double minVal, double maxVal,
                                     poplar::program::Sequence &prog, double base,
                                     poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::logUniform";
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  detail::checkType(where, "outType", outType, {poplar::FLOAT, poplar::HALF, poplar::INT});
  detail::checkLogUniform(where, outType, minVal, maxVal, base);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(reference, seedModifier, outType, minVal, maxVal, base));
  DrawCall const call{where, graph, prog, {di}};
  bool const isInt = outType == poplar::INT;
  Bounds const bounds = roundInwards(isInt ? poplar::FLOAT : outType, minVal, maxVal);
  poplar::Tensor out;
  if (bounds.isEmpty() && isInt) {
    // Integers that no float tells apart: on so short an interval 1 / x is constant.
    out = detail::drawInts(call, stream, reference, static_cast<long long>(minVal),
                           static_cast<long long>(maxVal));
  } else if (bounds.isEmpty()) {
    cottonwood::base::fail<poputil::poplibs_error>(where, "no number of type ", outType, " is in [",
                                                   minVal, ", ", maxVal, "]");
  } else {
    detail::warnOfLoss(where, outType, minVal, maxVal, bounds);
    double const low = std::log2(static_cast<double>(bounds.low));
    double const high = std::log2(static_cast<double>(bounds.high));
    detail::RealFields fields;
    fields.bounds = bounds;
    fields.location = (low + high) / 2;
    fields.scale = (high - low) / 2;
    out = detail::drawReals(call, stream, "poprand::LogUniform", reference, outType, fields,
                            detail::NORMAL_CYCLES);
  }
  di.addOutput(out);
  return out;
}

POP_INLINE poplar::Tensor bernoulli(poplar::Graph &graph, poplar::Tensor const *seed,
                                    std::uint32_t seedModifier, poplar::Tensor const &reference,
                                    poplar::Type const &outType, double prob,
                                    poplar::program::Sequence &prog,
                                    poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::bernoulli";
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  detail::checkType(where, "outType", outType, {poplar::FLOAT, poplar::HALF, poplar::INT});
  unsigned const threshold = detail::checkedThreshold(where, "prob", prob);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(reference, seedModifier, outType, prob));
  poplar::Tensor const out =
      detail::drawBernoulli({where, graph, prog, {di}}, stream, reference, outType, threshold, 1);
  di.addOutput(out);
  return out;
}

POP_INLINE poplar::Tensor normal(poplar::Graph &graph, poplar::Tensor const *seed,
                                 std::uint32_t seedModifier, poplar::Tensor const &reference,
                                 poplar::Type const &outType, double mean, double stdDev,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::normal";
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  detail::checkType(where, "outType", outType, {poplar::FLOAT, poplar::HALF});
  detail::checkFinite(where, "mean", mean);
  detail::checkFinite(where, "stdDev", stdDev);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(reference, seedModifier, outType, mean, stdDev));
  detail::RealFields fields;
  fields.location = mean;
  fields.scale = stdDev;
  poplar::Tensor const out =
      detail::drawReals({where, graph, prog, {di}}, stream, "poprand::Normal", reference, outType,
                        fields, detail::NORMAL_CYCLES);
  di.addOutput(out);
  return out;
}

POP_INLINE poplar::Tensor truncatedNormal(poplar::Graph &graph, poplar::Tensor const *seed,
                                          std::uint32_t seedModifier,
                                          poplar::Tensor const &reference,
                                          poplar::Type const &outType, double mean, double stdDev,
                                          double alpha, poplar::program::Sequence &prog,
                                          poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::truncatedNormal";
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  detail::checkType(where, "outType", outType, {poplar::FLOAT, poplar::HALF});
  detail::checkFinite(where, "mean", mean);
  detail::checkFinite(where, "stdDev", stdDev);
  if (!(alpha > 0))
    cottonwood::base::fail<poputil::poplibs_error>(where, "alpha = ", alpha,
                                                   "; it must be above 0");
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(reference, seedModifier, outType, mean, stdDev, alpha));
  double const reach = stdDev == 0 ? 0 : alpha * std::fabs(stdDev);
  detail::RealFields fields;
  fields.location = mean;
  fields.scale = stdDev;
  fields.bounds = boundsOf(outType, mean - reach, mean + reach);
  fields.tail = std::erfc(alpha / std::sqrt(2.0));
  poplar::Tensor const out =
      detail::drawReals({where, graph, prog, {di}}, stream, "poprand::TruncatedNormal", reference,
                        outType, fields, detail::QUANTILE_CYCLES);
  di.addOutput(out);
  return out;
}

POP_INLINE poplar::Tensor dropout(poplar::Graph &graph, poplar::Tensor const *seed,
                                  std::uint32_t const seedModifier, poplar::Tensor const &input,
                                  poplar::Tensor const &reference, double keepProbability,
                                  double scale, bool outputClonesRef,
                                  poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::dropout";
  detail::checkDropout(where, input);
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  if (input.shape() != reference.shape())
    cottonwood::base::fail<poputil::poplibs_error>(
        where, "'input' has shape ", cottonwood::base::shapeText(input.shape()),
        ", 'reference' has shape ", cottonwood::base::shapeText(reference.shape()),
        "; they must be equal");
  unsigned const threshold = detail::checkedThreshold(where, "keepProbability", keepProbability);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(input, reference, seedModifier, keepProbability, scale));
  if (threshold == 65536)
    return poputil::duplicate(graph, input, prog, {di});
  Draw draw;
  draw.vertex = poputil::templateVertex("poprand::Dropout", input.elementType());
  poplar::DebugContext const context(di);
  draw.out =
      detail::laidOutAs(graph, outputClonesRef ? reference : input, input.elementType(), context);
  draw.in = input;
  draw.cyclesPer8 = detail::DRAW_CYCLES;
  draw.setFields = [&](poplar::VertexRef const &v) {
    graph.setInitialValue(v["scale"], static_cast<float>(scale));
    graph.setInitialValue(v["threshold"], threshold);
  };
  emitDraw({where, graph, prog, context}, stream, draw);
  di.addOutput(draw.out);
  return draw.out;
}

POP_INLINE poplar::Tensor dropout(poplar::Graph &graph, poplar::Tensor const *seed,
                                  std::uint32_t const seedModifier, poplar::Tensor const &input,
                                  poplar::Tensor const &reference, double keepProbability,
                                  double scale, poplar::program::Sequence &prog,
                                  poplar::DebugContext const &debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability, scale, true, prog,
                 debugContext);
}

POP_INLINE poplar::Tensor shapedDropout(poplar::Graph &graph, poplar::Tensor const *seed,
                                        std::uint32_t const seedModifier,
                                        poplar::Tensor const &input,
                                        poplar::Tensor const &reference, double keepProbability,
                                        double scale, poplar::program::Sequence &prog,
                                        poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  char const *const where = "poprand::shapedDropout";
  detail::checkDropout(where, input);
  Stream const stream = checkedStream(where, seed, seedModifier, reference);
  if (!detail::broadcastsTo(reference, input))
    cottonwood::base::fail<poputil::poplibs_error>(
        where, "'reference' has shape ", cottonwood::base::shapeText(reference.shape()),
        "; it must broadcast to that of 'input', ", cottonwood::base::shapeText(input.shape()));
  unsigned const threshold = detail::checkedThreshold(where, "keepProbability", keepProbability);
  poputil::PoplibsOpDebugInfo di(debugContext,
                                 DI_ARGS(input, reference, seedModifier, keepProbability, scale));
  if (threshold == 65536)
    return poputil::duplicate(graph, input, prog, {di});
  poplar::Tensor mask = detail::drawBernoulli({where, graph, prog, {di}}, stream, reference,
                                              input.elementType(), threshold, scale);
  poputil::broadcastToMatch(mask, input.shape());
  poplar::Tensor const out = popops::mul(graph, input, mask, prog, {di});
  di.addOutput(out);
  return out;
}

POP_INLINE void setSeed(poplar::Graph &graph, poplar::Tensor const &masterSeed,
                        std::uint32_t seedModifier, poplar::program::Sequence &prog,
                        poplar::DebugContext const &debugContext) {
  using namespace cottonwood::poprand;
  Stream const stream = checkedStream("poprand::setSeed", &masterSeed, seedModifier, masterSeed);
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(masterSeed, seedModifier));
  poplar::Tensor const state = cottonwood::program::hwSeedsOf(graph);
  auto const workers = static_cast<unsigned>(state.dim(1));
  auto const cs = graph.addComputeSet({di});
  for (unsigned tile = 0; tile != state.dim(0); ++tile) {
    auto const v = graph.addVertex(cs, "poprand::SetSeed",
                                   {{"state", state[tile].flatten()}, {"seed", stream.seed}});
    graph.setInitialValue(v["modifier"], stream.modifier);
    graph.setInitialValue(v["firstRow"], graph.convertTileToTopLevelGraphTile(tile) * workers);
    graph.setTileMapping(v, tile);
  }
  prog.add(poplar::program::Execute(cs, {di}));
}

} // namespace poprand
