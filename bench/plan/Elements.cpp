#include <bench/plan/KeepChoice.hpp>
#include <bench/plan/Place.hpp>

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <popops/impl/ElementWiseTiles.hpp>
#include <popops/impl/MapEmit.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace cottonwood::plan {

namespace {

using ::poplar::Tensor;
namespace expr = ::popops::expr;

/// Operations by name, and how many operands they have.
struct Operation {
  expr::Any expression;
  unsigned operands;
};

std::map<std::string, Operation> const &operations() {
  using namespace expr;
  static std::map<std::string, Operation> const all{
      {"abs", {Abs(_1), 1}},
      {"exp", {Exp(_1), 1}},
      {"log", {Log(_1), 1}},
      {"negate", {Neg(_1), 1}},
      {"relu", {Max(_1, Const(0.0F)), 1}},
      {"rsqrt", {Rsqrt(_1), 1}},
      {"sigmoid", {Sigmoid(_1), 1}},
      {"sin", {Sin(_1), 1}},
      {"square", {Square(_1), 1}},
      {"tanh", {Tanh(_1), 1}},
      {"add", {Add(_1, _2), 2}},
      {"divide", {Divide(_1, _2), 2}},
      {"max", {Max(_1, _2), 2}},
      {"multiply", {Mul(_1, _2), 2}},
      {"power", {Pow(_1, _2), 2}},
      {"subtract", {Sub(_1, _2), 2}},
      {"multiply-add-tanh", {Tanh(Add(Mul(_1, _2), _3)), 3}}};
  return all;
}

void plan(ArrayFigures &figures, std::optional<popops::TileMapJob> const &planned,
          std::size_t keep) {
  if (!planned)
    throw std::invalid_argument("the result is in too many pieces to plan, or there is one tile");
  popops::TileMapJob const &job = *planned;
  auto const choice = timed(figures, [&] {
    return planner::planTileMap(job.problem, job.operands, job.result, job.constraints);
  });
  keepChoice(figures, choice, keep);
  figures.terms = {{"exchange", choice.terms.exchange},
                   {"gather", choice.terms.gather},
                   {"compute", choice.terms.compute},
                   {"home", choice.terms.home}};
  figures.allowedBytes = job.problem.bytesPerTile;
}

} // namespace

std::string elementOperations() {
  std::string list;
  for (auto const &entry : operations())
    list += (list.empty() ? "" : ", ") + entry.first;
  return list;
}

ArrayFigures elementFigures(Elements const &elements, Request const &request, std::size_t keep,
                            planner::Constraints const &constraints) {
  auto const found = operations().find(elements.op);
  if (found == operations().end())
    throw std::invalid_argument("there is no operation '" + elements.op + "'; there are " +
                                elementOperations());
  Operation const &operation = found->second;
  if (operation.operands == 1 &&
      (!elements.other.empty() || elements.otherMapping != Elements().otherMapping))
    throw std::invalid_argument("--with and --with-mapping are of a second operand; '" +
                                elements.op + "' has one");
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  std::vector<Tensor> operands;
  std::vector<poplar::Type> types;
  for (unsigned o = 0; o != operation.operands; ++o) {
    operands.push_back(placed(graph, request.inputType,
                              o == 1 && !elements.other.empty() ? elements.other : elements.shape,
                              o == 1 ? elements.otherMapping : elements.mapping));
    types.push_back(request.inputType);
  }
  poplar::program::Sequence prog;
  poplar::DebugContext const context("plan");
  popops::MapOptions options;
  options.plan = constraints;
  popops::MapEmitter emitter("poplar-plan", graph, operands, prog, context, options);
  popops::Term const term = popops::typedTerm("poplar-plan", operation.expression, types);
  Tensor out = operands[0];
  if (elements.inPlace)
    emitter.evaluateTo(term, out);
  else
    out = emitter.evaluate(term);
  emitter.finish();
  ArrayFigures figures;
  plan(figures, emitter.lastJob(), keep);
  figures.steps = modelledSteps(graph, prog, out);
  return figures;
}

ArrayFigures conversionFigures(Conversion const &conversion, Request const &request,
                               std::size_t keep) {
  auto const typeOf = [](std::string const &name) {
    return name == "half"    ? poplar::HALF
           : name == "float" ? poplar::FLOAT
           : name == "int"   ? poplar::INT
                             : poplar::UNSIGNED_CHAR;
  };
  poplar::Graph graph(request.target);
  ::popops::addCodelets(graph);
  Tensor const in = placed(graph, typeOf(conversion.from), conversion.shape, conversion.mapping);
  poplar::Type const to = typeOf(conversion.to);
  Tensor const out = conversion.resultMapping
                         ? placed(graph, to, conversion.shape, *conversion.resultMapping)
                         : graph.clone(to, in, "out");
  ArrayFigures figures;
  plan(figures, popops::castJob(graph, in.flatten(), out.flatten()), keep);
  poplar::program::Sequence prog;
  ::popops::castWithOutput(graph, in, out, prog, "plan");
  figures.steps = modelledSteps(graph, prog, out);
  return figures;
}

} // namespace cottonwood::plan
