#pragma once

#include <codelets/poplin/EpilogueVertex.hpp>
#include <poplin/Epilogue.hpp>
#include <poplin/impl/ConvCheck.hpp>
#include <poplin/impl/EpilogueEmit.hpp>
#include <poplin/impl/MatMulOperand.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Registry.hpp>
#include <poplar/impl/graph/View.hpp>

#include <algorithm>

namespace cottonwood::poplin {

namespace detail {

using ::poputil::poplibs_error;

/// \param wanted  number of operands, for the largest index that the epilogue was seen to read
template <class Error>
void checkNumOperands(char const *where, std::size_t given, std::size_t wanted) {
  if (given > kernels::EPILOGUE_MAX_OPERANDS)
    base::fail<Error>(where, "the epilogue has ", given, " operands; it may have ",
                      kernels::EPILOGUE_MAX_OPERANDS);
  if (wanted > given)
    base::fail<Error>(where, "the epilogue reads operand ", wanted - 1, "; ", given,
                      given == 1 ? " was given" : " were given");
}

POP_INLINE void checkEpilogueOperands(char const *where, EpilogueJob const &epilogue) {
  auto const &all = epilogue.operands;
  checkNumOperands<poplibs_error>(where, all.size(), epilogue.wanted);
  for (std::size_t i = 0; i != all.size(); ++i) {
    if (!all[i].valid())
      base::fail<poplibs_error>(where, "operand ", i, " of the epilogue is an invalid tensor");
    ::poplar::Type const type = all[i].elementType();
    if (type != ::poplar::FLOAT && type != ::poplar::HALF)
      base::fail<poplibs_error>(where, "operand ", i, " of the epilogue is of type ", type,
                                "; it must be float or half");
  }
}

/// The tensor with its dimensions of size 1, and those it lacks, repeated.
POP_INLINE Tensor broadcastOperand(char const *where, std::size_t index, Tensor const &t,
                                   std::vector<std::size_t> const &shape) {
  auto const fail = [&] {
    base::fail<poplibs_error>(where, "operand ", index, " of the epilogue has shape ",
                              base::shapeText(t.shape()), ", which cannot be broadcast to ",
                              base::shapeText(shape));
  };
  if (t.rank() > shape.size())
    fail();
  Tensor result = t;
  while (result.rank() < shape.size())
    result = result.expand({0});
  for (unsigned d = 0; d != shape.size(); ++d) {
    if (result.dim(d) == shape[d])
      continue;
    if (result.dim(d) != 1)
      fail();
    result = result.broadcast(static_cast<unsigned>(shape[d]), d);
  }
  return result;
}

} // namespace detail

POP_INLINE EpilogueViews productOperands(char const *where, EpilogueJob const &epilogue,
                                         std::vector<std::size_t> const &shape) {
  detail::checkEpilogueOperands(where, epilogue);
  EpilogueViews views;
  for (Tensor const &t : epilogue.operands) {
    Tensor const view = detail::broadcastOperand(where, views.size(), t, shape);
    views.push_back(view.rank() == 2 ? view.expand({0}) : view);
  }
  return views;
}

POP_INLINE EpilogueViews convOperands(char const *where, EpilogueJob const &epilogue,
                                      std::vector<std::size_t> const &shape) {
  detail::checkEpilogueOperands(where, epilogue);
  std::size_t const channels = shape[1];
  EpilogueViews views;
  for (Tensor t : epilogue.operands) {
    if (t.rank() == 1) // a value for each channel
      for (std::size_t d = 2; d != shape.size(); ++d)
        t = t.expand({t.rank()});
    Tensor const view = detail::broadcastOperand(where, views.size(), t, shape);
    Tensor const rows = convRows(view, 1); // [N, ...field, 1, channels]
    std::size_t const count = channels == 0 ? 0 : rows.numElements() / channels;
    views.push_back(rows.reshape({1, count, channels}));
  }
  return views;
}

POP_INLINE std::string epilogueVertex(char const *name, ::poplar::Type const &in,
                                      ::poplar::Type const &out, EpilogueJob const &epilogue) {
  std::string text = ::poputil::templateVertex(name, in, out);
  text.back() = ',';
  return text + epilogue.name + ">";
}

namespace detail {

/// A list of runs for a field; empty ones are fields without elements.
POP_INLINE void connectRuns(::poplar::Graph &graph, ::poplar::FieldRef const &field,
                            std::vector<Tensor> const &runs) {
  graph.setFieldSize(field, runs.size());
  for (std::size_t i = 0; i != runs.size(); ++i)
    graph.connect(field[i], runs[i]);
}

} // namespace detail

POP_INLINE EpilogueEmitter::EpilogueEmitter(::poplar::Graph &graph, EpilogueJob const &epilogue,
                                            EpilogueViews const &views, Tensor const &written,
                                            ::poplar::program::Sequence &prog,
                                            ::poplar::DebugContext const &debugContext)
    : graph_(graph), epilogue_(epilogue) {
  codelet::addToGraph(graph, epilogue.codelets);
  for (Tensor const &view : views) {
    auto operand = stridedOperand(graph, view);
    if (!operand || operand->run.intersectsWith(written)) {
      Tensor const copy =
          graph.addVariable(view.elementType(), view.shape(), {debugContext, "operand"});
      graph.setTileMapping(copy, 0);
      prog.add(::poplar::program::Copy(view, copy, false, debugContext));
      operand = stridedOperand(graph, copy);
    }
    bool const isHalf = view.elementType() == ::poplar::HALF;
    auto &runs = isHalf ? halves_ : floats_;
    for (std::int64_t number :
         {isHalf ? std::int64_t{1} : 0, static_cast<std::int64_t>(runs.size()), operand->offset,
          operand->batch, operand->row, operand->column})
      numbers_.push_back(number);
    runs.push_back(operand->run);
  }
}

POP_INLINE void EpilogueEmitter::setFields(::poplar::VertexRef const &v,
                                           std::vector<unsigned> const &place) const {
  detail::connectRuns(graph_, v["floats"], floats_);
  detail::connectRuns(graph_, v["halves"], halves_);
  graph_.setInitialValue(v["operands"], numbers_);
  graph_.setInitialValue(v["functor"], epilogue_.words);
  graph_.setInitialValue(v["place"], place);
}

namespace detail {

/// The vertex of one tile: pieces of rows of the result, with all that belongs to them.
class FinishVertex {
public:
  FinishVertex(Tensor const &sums, Tensor const &out, EpilogueViews const &views)
      : sums_(sums.flatten()), out_(out.flatten()), rows_(sums.dim(1)), columns_(sums.dim(2)) {
    for (Tensor const &view : views)
      views_.push_back(view.flatten());
  }

  /// Elements [begin, end) of the flattened result.
  void add(std::size_t begin, std::size_t end) {
    while (begin != end) {
      std::size_t const row = begin / columns_, column = begin % columns_;
      std::size_t const n = std::min(end - begin, columns_ - column);
      addSegment(row, column, begin, n);
      begin += n;
    }
  }

  void emit(::poplar::Graph &graph, ::poplar::ComputeSet const &cs, std::string const &type,
            EpilogueJob const &epilogue, unsigned tile) const {
    auto const v = graph.addVertex(cs, type);
    connectRuns(graph, v["sums"], sumRuns_);
    connectRuns(graph, v["out"], outRuns_);
    connectRuns(graph, v["floats"], floats_);
    connectRuns(graph, v["halves"], halves_);
    std::vector<unsigned> operands;
    unsigned counts[2] = {0, 0};
    for (Tensor const &view : views_) {
      unsigned const isHalf = view.elementType() == ::poplar::HALF ? 1 : 0;
      operands.push_back(isHalf);
      operands.push_back(counts[isHalf]++);
    }
    graph.setInitialValue(v["operands"], operands);
    graph.setInitialValue(v["functor"], epilogue.words);
    graph.setInitialValue(v["segments"], segments_);
    graph.setTileMapping(v, tile);
  }

private:
  void addSegment(std::size_t row, std::size_t column, std::size_t begin, std::size_t n) {
    for (std::size_t number : {row / rows_, row % rows_, column, n})
      segments_.push_back(static_cast<unsigned>(number));
    sumRuns_.push_back(sums_.slice(begin, begin + n));
    outRuns_.push_back(out_.slice(begin, begin + n));
    for (Tensor const &view : views_)
      (view.elementType() == ::poplar::HALF ? halves_ : floats_)
          .push_back(view.slice(begin, begin + n));
  }

  Tensor sums_, out_;
  EpilogueViews views_;
  std::size_t rows_, columns_;
  std::vector<Tensor> sumRuns_, outRuns_, floats_, halves_;
  std::vector<unsigned> segments_;
};

} // namespace detail

POP_INLINE void emitFinish(::poplar::Graph &graph, EpilogueJob const &epilogue,
                           EpilogueViews const &views, Tensor const &sums, Tensor const &out,
                           ::poplar::program::Sequence &prog,
                           ::poplar::DebugContext const &debugContext) {
  codelet::addToGraph(graph, epilogue.codelets);
  ::poplar::DebugContext const context(debugContext, "epilogue");
  auto const cs = graph.addComputeSet(context);
  auto const type =
      epilogueVertex("poplin::Finish", sums.elementType(), out.elementType(), epilogue);
  auto const mapping = graph.getTileMapping(out);
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    detail::FinishVertex vertex(sums, out, views);
    for (auto const &interval : mapping[tile])
      vertex.add(interval.begin(), interval.end());
    vertex.emit(graph, cs, type, epilogue, tile);
  }
  prog.add(::poplar::program::Execute(cs, context));
}

POP_INLINE void checkRawOperands(char const *where,
                                 std::vector<::poplin::kernels::EpilogueOperand> const &operands,
                                 std::size_t wanted) {
  detail::checkNumOperands<::poplar::poplar_error>(where, operands.size(), wanted);
  for (std::size_t i = 0; i != operands.size(); ++i)
    if (!operands[i].data)
      base::fail<::poplar::poplar_error>(where, "operand ", i,
                                         " of the epilogue is a null pointer");
}

} // namespace cottonwood::poplin
