#pragma once

#include <popnn/Loss.hpp>
#include <popnn/impl/Rows.hpp>
#include <popnn/impl/SharedRows.hpp>
#include <popops/Cast.hpp>
#include <popops/Reduce.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/RowExtremesEmit.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/CheckApart.hpp>
#include <poputil/impl/CheckWriteable.hpp>
#include <poputil/impl/Math.hpp>

#include <codelets/popnn/LossCost.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popnn::detail {

using ::poplar::Tensor;
using ::popnn::LossType;

/// Arguments of calcLoss; scales may be invalid tensors (no scaling).
struct LossArgs {
  Tensor outputs, expected, loss, deltas;
  Tensor deltasScale, outputScaling;
  LossType type;
};

POP_INLINE void checkRank(char const *where, char const *what, Tensor const &t, unsigned rank) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is an invalid tensor");
  if (t.rank() != rank)
    base::fail<::poputil::poplibs_error>(where, "Rank mismatch: '", what, "' of shape ",
                                         base::shapeText(t.shape()), " has rank ", t.rank(),
                                         "; it must be ", rank);
}

POP_INLINE void checkDims(char const *where, char const *what, Tensor const &t,
                          std::vector<std::size_t> const &shape) {
  if (t.shape() != shape)
    base::fail<::poputil::poplibs_error>(
        where, "Dimension mismatch: '", what, "' has shape ", base::shapeText(t.shape()),
        "; for these model outputs it must be ", base::shapeText(shape));
}

POP_INLINE void checkOutputsAndLabels(char const *where, Tensor const &outputs,
                                      Tensor const &expected) {
  checkRank(where, "modelOutputs", outputs, 2);
  checkRank(where, "expected", expected, 1);
  checkDims(where, "expected", expected, {outputs.dim(0)});
  if (outputs.elementType() != ::poplar::FLOAT && outputs.elementType() != ::poplar::HALF)
    base::fail<::poputil::poplibs_error>(where, "'modelOutputs' is of type ", outputs.elementType(),
                                         "; allowed: float, half");
  if (expected.elementType() != ::poplar::UNSIGNED_INT && expected.elementType() != ::poplar::INT)
    base::fail<::poputil::poplibs_error>(where, "labels are of type ", expected.elementType(),
                                         "; allowed: unsigned int, int");
}

POP_INLINE void checkLoss(LossArgs const &args) {
  char const *const where = "calcLoss";
  base::requireEnumerator<::poputil::poplibs_error>(where, "LossType", args.type,
                                                    {"SUM_SQUARED_LOSS", "CROSS_ENTROPY_LOSS"});
  checkOutputsAndLabels(where, args.outputs, args.expected);
  checkRank(where, "loss", args.loss, 1);
  checkRank(where, "deltas", args.deltas, 2);
  checkDims(where, "loss", args.loss, {args.outputs.dim(0)});
  checkDims(where, "deltas", args.deltas, args.outputs.shape());
  for (Tensor const *t : {&args.loss, &args.deltas})
    if (t->elementType() != args.outputs.elementType())
      base::fail<::poputil::poplibs_error>(
          where, "'", t == &args.loss ? "loss" : "deltas", "' is of type ", t->elementType(),
          "; it must be that of the model outputs, ", args.outputs.elementType());
  poputil::checkWriteable(where, "'loss'", args.loss);
  poputil::checkWriteable(where, "'deltas'", args.deltas);
  poputil::checkApart(where, {args.loss, args.deltas},
                      [](std::size_t i) { return i ? "'deltas'" : "'loss'"; });
  for (Tensor const *t : {&args.deltasScale, &args.outputScaling})
    if (t->valid() && (t->numElements() != 1 ||
                       (t->elementType() != ::poplar::FLOAT && t->elementType() != ::poplar::HALF)))
      base::fail<::poputil::poplibs_error>(
          where, "'", t == &args.deltasScale ? "deltasScale" : "modelOutputScaling", "' has shape ",
          base::shapeText(t->shape()), " and type ", t->elementType(),
          "; it must be one element of type float or half");
  if (args.type == ::popnn::SUM_SQUARED_LOSS &&
      (args.deltasScale.valid() || args.outputScaling.valid()))
    base::fail<::poputil::poplibs_error>(
        where, "Loss scaling not implemented for this loss type, the sum of squares; "
               "allowed: CROSS_ENTROPY_LOSS");
}

// The scale as vertices take it: one FLOAT.
POP_INLINE Tensor floatScale(::poplar::Graph &graph, Tensor const &scale,
                             ::poplar::program::Sequence &prog,
                             ::poplar::DebugContext const &debugContext) {
  if (!scale.valid()) {
    Tensor const one = graph.addConstant(::poplar::FLOAT, {}, 1.f, debugContext);
    graph.setTileMapping(one, 0);
    return one;
  }
  if (scale.elementType() == ::poplar::FLOAT)
    return scale;
  return ::popops::cast(graph, scale, ::poplar::FLOAT, prog, debugContext);
}

/// Whether several tiles share a row.
POP_INLINE bool sharesLossRows(::poplar::Graph const &graph, Tensor const &outputs,
                               vertices::LossKind kind) {
  return isSharingRowsBetter(graph, outputs, [&](std::uint64_t whole) {
    auto const &target = graph.getTarget();
    return vertices::lossCycles(kind, whole, outputs.dim(1),
                                static_cast<unsigned>(target.getTypeSize(outputs.elementType())),
                                target.getNumWorkerContexts());
  });
}

/// Outputs of one vertex.
struct LossBlock {
  ::poplar::Interval rows, classes;
  unsigned tile;
};

/// Whole rows, or blocks of parts of them for all tiles.
POP_INLINE std::vector<LossBlock> lossBlocks(::poplar::Graph const &graph, LossArgs const &args) {
  std::size_t const rows = args.outputs.dim(0), classes = args.outputs.dim(1);
  std::vector<LossBlock> blocks;
  if (!sharesLossRows(graph, args.outputs,
                      args.type == ::popnn::CROSS_ENTROPY_LOSS ? vertices::LossKind::CROSS_ENTROPY
                                                               : vertices::LossKind::SUM_SQUARED)) {
    for (popops::Share const &share :
         popops::rowSharesOf(graph, args.outputs, softmaxRowCycles(classes)))
      blocks.push_back({share.intervals.front(), {0, classes}, share.tile});
    return blocks;
  }
  auto const &target = graph.getTarget();
  constexpr std::size_t GRAIN = 8; // elements, of whole words
  std::size_t const down = std::min<std::size_t>(rows, target.getNumWorkerContexts());
  std::size_t const pieces =
      std::max<std::size_t>(1, target.getNumTiles() / poputil::ceilDiv(rows, down));
  std::size_t const across = poputil::roundUp(poputil::ceilDiv(classes, pieces), GRAIN);
  auto const tiles =
      popops::tilesOfPieces(graph, args.outputs.subSample(static_cast<unsigned>(down), 0)
                                       .subSample(static_cast<unsigned>(across), 1));
  for (std::size_t row = 0; row < rows; row += down)
    for (std::size_t c = 0; c < classes; c += across)
      blocks.push_back({{row, std::min(row + down, rows)},
                        {c, std::min(c + across, classes)},
                        tiles[blocks.size()]});
  return blocks;
}

/// Copies of what is read, if it is written as well. The vertices of losses may write deltas over
/// the outputs that they read, if that is all that reads them.
POP_INLINE LossArgs readApart(::poplar::Graph &graph, LossArgs args, bool mayReplaceOutputs,
                              ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext) {
  Tensor const written = ::poplar::concat(args.loss, args.deltas.flatten());
  for (Tensor *t : {&args.outputs, &args.deltasScale, &args.outputScaling})
    if (t->valid() && t->intersectsWith(written) && !(mayReplaceOutputs && *t == args.deltas))
      *t = ::poputil::duplicate(graph, *t, prog, debugContext);
  return args;
}

POP_INLINE void emitLoss(::poplar::Graph &graph, LossArgs const &args,
                         ::poplar::program::Sequence &prog,
                         ::poplar::DebugContext const &debugContext) {
  if (args.outputs.dim(1) == 0) {
    ::popops::zero(graph, args.loss, prog, debugContext);
    return;
  }
  bool const crossEntropy = args.type == ::popnn::CROSS_ENTROPY_LOSS;
  Tensor deltasScale, outputScaling;
  if (crossEntropy) {
    deltasScale = floatScale(graph, args.deltasScale, prog, debugContext);
    outputScaling = floatScale(graph, args.outputScaling, prog, debugContext);
  }
  auto const &type = args.outputs.elementType();
  std::string const name =
      ::poputil::templateVertex(crossEntropy ? "popnn::CrossEntropyLoss" : "popnn::SumSquaredLoss",
                                type, args.expected.elementType());
  auto const cs = graph.addComputeSet(debugContext);
  auto const blocks = lossBlocks(graph, args);
  // Blocks side by side have losses of their own.
  auto const across = static_cast<std::size_t>(
      std::count_if(blocks.begin(), blocks.end(), [&](LossBlock const &block) {
        return block.rows.begin() == blocks.front().rows.begin();
      }));
  Tensor const losses =
      across > 1 ? graph.addVariable(type, {across, args.loss.dim(0)}, {debugContext, "losses"})
                 : args.loss.expand({0});
  for (std::size_t i = 0; i != blocks.size(); ++i) {
    LossBlock const &block = blocks[i];
    auto const part = [&](Tensor const &t) {
      return t.slice(block.rows).slice(block.classes, 1).flatten();
    };
    Tensor const loss = losses[i % across].slice(block.rows);
    if (across > 1)
      graph.setTileMapping(loss, block.tile);
    auto const v = graph.addVertex(cs, name,
                                   {{"outputs", part(args.outputs)},
                                    {"labels", args.expected.slice(block.rows)},
                                    {"deltas", part(args.deltas)},
                                    {"loss", loss}});
    if (crossEntropy) {
      graph.connect(v["deltasScale"], deltasScale);
      graph.connect(v["outputScaling"], outputScaling);
    }
    graph.setInitialValue(v["firstClass"], static_cast<unsigned>(block.classes.begin()));
    graph.setInitialValue(v["classes"], block.classes.size());
    graph.setTileMapping(v, block.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
  if (across > 1)
    ::popops::reduceWithOutput(graph, losses, args.loss, {0}, ::popops::Operation::ADD, prog,
                               debugContext);
}

/// UNSIGNED_INT 1 for each row whose first maximum is at its label, else 0.
POP_INLINE Tensor correctRows(RowsCall const &call, Tensor const &outputs, Tensor const &expected) {
  auto &graph = call.graph;
  if (sharesLossRows(graph, outputs, vertices::LossKind::CORRECT_ROWS))
    return emitSharedCorrectRows(call, outputs, expected);
  Tensor const correct = graph.clone(::poplar::UNSIGNED_INT, expected, call.debugContext);
  auto const cs = graph.addComputeSet(call.debugContext);
  std::string const name = ::poputil::templateVertex("popnn::CorrectRows", outputs.elementType(),
                                                     expected.elementType());
  for (popops::Share const &share :
       popops::rowSharesOf(graph, outputs, softmaxRowCycles(outputs.dim(1)))) {
    auto const &rows = share.intervals.front();
    auto const v = graph.addVertex(cs, name,
                                   {{"outputs", rowsOf(outputs, share)},
                                    {"labels", expected.slice(rows)},
                                    {"correct", correct.slice(rows)}});
    graph.setInitialValue(v["classes"], outputs.dim(1));
    graph.setTileMapping(v, share.tile);
  }
  call.prog.add(::poplar::program::Execute(cs, call.debugContext));
  return correct;
}

POP_INLINE void checkNumCorrect(char const *where, Tensor const &numCorrect) {
  if (!numCorrect.valid())
    base::fail<::poputil::poplibs_error>(where, "'numCorrect' is an invalid tensor");
  if (numCorrect.numElements() != 1 || numCorrect.elementType() != ::poplar::UNSIGNED_INT)
    base::fail<::poputil::poplibs_error>(
        where, "'numCorrect' has shape ", base::shapeText(numCorrect.shape()), " of type ",
        numCorrect.elementType(), "; it must be one element of type unsigned int");
  poputil::checkWriteable(where, "'numCorrect'", numCorrect);
}

POP_INLINE ::poplar::program::Program lossProgram(::poplar::Graph &graph, LossArgs const &args,
                                                  Tensor const *numCorrect,
                                                  ::poplar::DebugContext const &debugContext) {
  checkLoss(args);
  if (numCorrect)
    checkNumCorrect("calcLoss", *numCorrect);
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, "calcLoss");
  ::poplar::DebugContext const context(di);
  ::poplar::program::Sequence prog(context);
  LossArgs const apart = readApart(graph, args, !numCorrect, prog, context);
  emitLoss(graph, apart, prog, context);
  if (numCorrect)
    prog.add(::popnn::calcAccuracy(graph, apart.outputs, args.expected, *numCorrect, context));
  return prog;
}

POP_INLINE void checkExtremesInput(char const *where, Tensor const &input, bool boolToo) {
  using ::poputil::poplibs_error;
  if (!input.valid())
    base::fail<poplibs_error>(where, "'input' is an invalid tensor");
  if (input.rank() != 2)
    base::fail<poplibs_error>(where, "'input' of shape ", base::shapeText(input.shape()),
                              " has rank ", input.rank(), "; it must be 2");
  auto const type = input.elementType();
  if (type != ::poplar::FLOAT && type != ::poplar::HALF && type != ::poplar::INT &&
      type != ::poplar::UNSIGNED_INT && !(boolToo && type == ::poplar::BOOL))
    base::fail<poplibs_error>(where, "'input' is of type ", type,
                              "; allowed: float, half, int, unsigned int", boolToo ? ", bool" : "");
}

/// What the four functions of one extreme element a row have in common.
struct RowExtreme {
  char const *name; ///< of the function
  bool largest;
};

/// The extreme elements of rows and their indices, [B] each.
POP_INLINE std::pair<Tensor, Tensor> rowExtremes(::poplar::Graph &graph, RowExtreme const &extreme,
                                                 Tensor const &input,
                                                 ::poplar::program::Sequence &prog,
                                                 ::poplar::DebugContext const &debugContext) {
  std::string const where = std::string("popnn::") + extreme.name;
  checkExtremesInput(where.c_str(), input, false);
  if (input.dim(1) == 0)
    base::fail<::poputil::poplibs_error>(
        where, "'input' has shape ", base::shapeText(input.shape()), "; rows must have an element");
  ::poputil::PoplibsOpDebugInfo di(debugContext, {}, extreme.name);
  ::poplar::DebugContext const context(di);
  return popops::emitRowExtremes(graph, input, extreme.largest, prog, context);
}

} // namespace cottonwood::popnn::detail

namespace popnn {

POP_INLINE poplar::program::Program
calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs, poplar::Tensor const &expected,
         poplar::Tensor const &loss, poplar::Tensor const &deltas,
         poplar::Tensor const &deltasScale, poplar::Tensor const &modelOutputScaling,
         LossType lossType, poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::lossProgram(
      graph, {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, lossType},
      nullptr, debugContext);
}

POP_INLINE poplar::program::Program
calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs, poplar::Tensor const &expected,
         poplar::Tensor const &loss, poplar::Tensor const &deltas, LossType lossType,
         poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::lossProgram(
      graph, {modelOutputs, expected, loss, deltas, poplar::Tensor(), poplar::Tensor(), lossType},
      nullptr, debugContext);
}

POP_INLINE poplar::program::Program
calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs, poplar::Tensor const &expected,
         poplar::Tensor const &loss, poplar::Tensor const &deltas,
         poplar::Tensor const &deltasScale, poplar::Tensor const &modelOutputScaling,
         poplar::Tensor const &numCorrect, LossType lossType,
         poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::lossProgram(
      graph, {modelOutputs, expected, loss, deltas, deltasScale, modelOutputScaling, lossType},
      &numCorrect, debugContext);
}

POP_INLINE poplar::program::Program
calcLoss(poplar::Graph &graph, poplar::Tensor const &modelOutputs, poplar::Tensor const &expected,
         poplar::Tensor const &loss, poplar::Tensor const &deltas, poplar::Tensor const &numCorrect,
         LossType lossType, poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::lossProgram(
      graph, {modelOutputs, expected, loss, deltas, poplar::Tensor(), poplar::Tensor(), lossType},
      &numCorrect, debugContext);
}

POP_INLINE poplar::program::Program calcAccuracy(poplar::Graph &graph,
                                                 poplar::Tensor const &modelOutputs,
                                                 poplar::Tensor const &expected,
                                                 poplar::Tensor const &numCorrect,
                                                 poplar::DebugContext const &debugContext) {
  namespace detail = cottonwood::popnn::detail;
  char const *const where = "calcAccuracy";
  detail::checkOutputsAndLabels(where, modelOutputs, expected);
  detail::checkNumCorrect(where, numCorrect);
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "calcAccuracy");
  poplar::DebugContext const context(di);
  poplar::program::Sequence prog(context);
  if (modelOutputs.numElements() == 0)
    return prog;
  poplar::Tensor const correct =
      detail::correctRows({graph, prog, context}, modelOutputs, expected);
  popops::reduceWithOutput(graph, correct, numCorrect, {0}, {popops::Operation::ADD, true}, prog,
                           context);
  return prog;
}

POP_INLINE poplar::Tensor argMax(poplar::Graph &graph, poplar::Tensor const &input,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::rowExtremes(graph, {"argMax", true}, input, prog, debugContext)
      .second;
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
maxAndArgMax(poplar::Graph &graph, poplar::Tensor const &input, poplar::program::Sequence &prog,
             poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::rowExtremes(graph, {"maxAndArgMax", true}, input, prog,
                                                debugContext);
}

POP_INLINE poplar::Tensor argMin(poplar::Graph &graph, poplar::Tensor const &input,
                                 poplar::program::Sequence &prog,
                                 poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::rowExtremes(graph, {"argMin", false}, input, prog, debugContext)
      .second;
}

POP_INLINE std::pair<poplar::Tensor, poplar::Tensor>
minAndArgMin(poplar::Graph &graph, poplar::Tensor const &input, poplar::program::Sequence &prog,
             poplar::DebugContext const &debugContext) {
  return cottonwood::popnn::detail::rowExtremes(graph, {"minAndArgMin", false}, input, prog,
                                                debugContext);
}

POP_INLINE poplar::Tensor topK(poplar::Graph &graph, poplar::Tensor const &input,
                               poplar::Tensor &indices, unsigned K, bool sort,
                               poplar::program::Sequence &prog,
                               poplar::DebugContext const &debugContext) {
  char const *const where = "popnn::topK";
  cottonwood::popnn::detail::checkExtremesInput(where, input, true);
  if (K > input.dim(1))
    cottonwood::base::fail<poputil::poplibs_error>(where, "K = ", K, " of an input of shape ",
                                                   cottonwood::base::shapeText(input.shape()),
                                                   "; it must be at most ", input.dim(1));
  poputil::PoplibsOpDebugInfo di(debugContext, {}, "topK");
  poplar::DebugContext const context(di);
  bool const isBool = input.elementType() == poplar::BOOL;
  poplar::Tensor const keys =
      isBool ? popops::cast(graph, input, poplar::UNSIGNED_INT, prog, context) : input;
  auto const result = popops::topKWithPermutation(
      graph, prog, keys, {K, true, sort ? popops::SortOrder::DESCENDING : popops::SortOrder::NONE},
      context);
  indices = result.second.expand({1});
  poplar::Tensor const values = result.first.expand({1});
  return isBool ? popops::cast(graph, values, poplar::BOOL, prog, context) : values;
}

} // namespace popnn
