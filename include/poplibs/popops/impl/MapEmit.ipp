#pragma once

#include <popops/ElementWiseUtil.hpp>
#include <popops/impl/ElementOrder.hpp>
#include <popops/impl/MapEmit.hpp>
#include <popops/impl/MapOperand.hpp>
#include <popops/impl/MapWide.hpp>
#include <popops/impl/Partition.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/BroadcastShape.hpp>
#include <poputil/impl/CheckApart.hpp>
#include <poputil/impl/CheckWriteable.hpp>

#include <codelets/popops/MapCost.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

/// What one vertex program must hold, with room to spare in each of its limits.
struct TermSize {
  std::size_t operations = 0, leaves = 0;
  unsigned slots = 0; ///< intermediate values alive at once
};

POP_INLINE TermSize sizeOf(Term const &term) {
  TermSize size;
  if (term.kind != Term::Kind::OPERATION) {
    size.leaves = 1;
    return size;
  }
  size.operations = 1;
  std::vector<unsigned> slots;
  for (Term const &arg : term.args) {
    TermSize const part = sizeOf(arg);
    size.operations += part.operations;
    size.leaves += part.leaves;
    slots.push_back(part.slots);
  }
  // Evaluating the most demanding argument first needs the fewest slots (Sethi and Ullman, 1970).
  std::sort(slots.rbegin(), slots.rend());
  for (std::size_t i = 0; i != slots.size(); ++i)
    if (slots[i] != 0)
      size.slots = std::max(size.slots, slots[i] + static_cast<unsigned>(i));
  size.slots = std::max(size.slots, 1U);
  return size;
}

POP_INLINE bool fitsProgram(TermSize const &size) {
  return size.operations < vertices::MAP_MAX_INSTRUCTIONS &&
         size.leaves <= vertices::MAP_MAX_OPERANDS && size.slots < vertices::MAP_MAX_SLOTS;
}

/// Gathers the regions that the vertices of a term read, and writes their program: the same one as
/// long as all regions are read by the same patterns.
class MapVertexBuilder {
public:
  /// \param operands  by index of the term's inputs; null for the vertex's own output and for those
  ///        that the term does not read.
  /// \param laidOut  see MapOperand::region()
  MapVertexBuilder(Term const &term, std::vector<MapOperand const *> const &operands, bool laidOut)
      : term_(term), operands_(operands), laidOut_(laidOut), indices_(operands.size(), 0),
        patterns_(operands.size()) {}

  void build(Share const &share) {
    for (auto &regions : regions_)
      regions.clear();
    bool isNew = program_.empty();
    for (std::size_t i = 0; i != operands_.size(); ++i) {
      if (!operands_[i])
        continue;
      auto &regions = regions_[static_cast<unsigned>(operands_[i]->type())];
      OperandRegion const part = operands_[i]->region(share, laidOut_);
      isNew = isNew || !(part.pattern == patterns_[i]);
      indices_[i] = static_cast<unsigned>(regions.size());
      patterns_[i] = part.pattern;
      regions.push_back(part.region);
    }
    if (isNew)
      writeProgram();
  }

  std::vector<Tensor> const &regions(MapType type) const {
    return regions_[static_cast<unsigned>(type)];
  }
  std::vector<std::uint32_t> const &program() const { return program_; }
  unsigned cyclesPer8() const { return cyclesPer8_; }

private:
  using Builder = vertices::MapProgramBuilder;

  void writeProgram() {
    Builder builder;
    program_ = builder.finish(write(builder, term_));
    cyclesPer8_ = vertices::mapCyclesPer8(program_.data());
  }

  Builder::Value write(Builder &builder, Term const &term) const {
    MapType const type = *mapTypeOf(term.type);
    if (term.isConstant())
      return builder.constant(type, constantBits(term.constant, type));
    if (!term.isInput())
      return writeOperation(builder, term);
    if (!operands_[term.input])
      return builder.output(type);
    return builder.input(type, indices_[term.input], patterns_[term.input]);
  }

  Builder::Value writeOperation(Builder &builder, Term const &term) const {
    std::vector<std::size_t> order(term.args.size());
    for (std::size_t i = 0; i != order.size(); ++i)
      order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sizeOf(term.args[a]).slots > sizeOf(term.args[b]).slots;
    });
    std::vector<Builder::Value> args(term.args.size());
    for (std::size_t i : order)
      args[i] = write(builder, term.args[i]);
    if (term.op == MapOp::CAST)
      return builder.cast(args[0], *mapTypeOf(term.type));
    return args.size() == 1   ? builder.apply(term.op, args[0])
           : args.size() == 2 ? builder.apply(term.op, args[0], args[1])
                              : builder.apply(term.op, args[0], args[1], args[2]);
  }

  Term const &term_;
  std::vector<MapOperand const *> const &operands_;
  bool laidOut_;
  std::vector<unsigned> indices_; ///< of regions among those of their type, by input
  std::vector<vertices::MapPattern> patterns_;
  std::vector<Tensor> regions_[vertices::NUM_MAP_TYPES];
  std::vector<std::uint32_t> program_;
  unsigned cyclesPer8_ = 0;
};

POP_INLINE void connectMapVertex(::poplar::Graph &graph, ::poplar::VertexRef vertex,
                                 MapVertexBuilder const &builder, Tensor const &out) {
  static constexpr char const *FIELDS[] = {"inFloat", "inHalf", "inInt", "inUnsigned", "inBool"};
  for (unsigned type = 0; type != vertices::NUM_MAP_TYPES; ++type) {
    auto const &regions = builder.regions(static_cast<MapType>(type));
    graph.connect(vertex[FIELDS[type]], ::poplar::ArrayRef<Tensor>(regions));
  }
  graph.connect(vertex["out"], out);
  graph.setInitialValue(vertex["program"], builder.program());
  graph.setInitialValue(vertex["cyclesPer8"], builder.cyclesPer8());
}

POP_INLINE planner::ElementWiseProblem mapProblem(Term const &term, std::size_t elements,
                                                  std::size_t numInputs) {
  TermSize const size = sizeOf(term);
  planner::ElementWiseProblem problem;
  problem.elements = elements;
  problem.cyclesPer8 = static_cast<unsigned>(4 * size.operations);
  problem.bytesPer8 = static_cast<unsigned>(32 * (numInputs + 1));
  return problem;
}

/// The same for several tiles, if it is to be planned there.
POP_INLINE std::optional<TileMapJob> mapJob(::poplar::Graph const &graph, Tensor const &flat,
                                            bool places, bool inPlace, Term const &term,
                                            std::vector<Tensor> const &tensors,
                                            std::vector<MapOperand const *> const &operands) {
  auto job = tileMapJob(graph, flat, places);
  if (!job)
    return job;
  job->problem.inPlace = inPlace;
  MapVertexBuilder first(term, operands, false);
  first.build({0, {Interval(0, 1)}});
  job->problem.cyclesPer8 = first.cyclesPer8();
  for (unsigned i = 0; i != operands.size(); ++i) {
    if (!operands[i])
      continue;
    job->operands.push_back(operands[i]->planned(graph));
    unsigned source = 0;
    while (!(tensors[source] == tensors[i]))
      ++source;
    job->operands.back().source = source;
  }
  return job;
}

} // namespace detail

POP_INLINE MapEmitter::MapEmitter(char const *where, ::poplar::Graph &graph,
                                  std::vector<Tensor> tensors, ::poplar::program::Sequence &prog,
                                  ::poplar::DebugContext const &debugContext, MapOptions options)
    : where_(where), graph_(graph), tensors_(std::move(tensors)), prog_(&prog),
      debugContext_(debugContext), options_(options) {}

POP_INLINE MapEmitter::MapEmitter(char const *where, ::poplar::Graph &graph,
                                  std::vector<Tensor> tensors, ::poplar::ComputeSet cs,
                                  ::poplar::DebugContext const &debugContext)
    : where_(where), graph_(graph), tensors_(std::move(tensors)), prog_(nullptr),
      debugContext_(debugContext), set_(cs), hasSet_(true) {}

POP_INLINE std::vector<std::size_t> MapEmitter::shapeOf(Term const &term) const {
  std::vector<bool> used(tensors_.size());
  collectInputs(term, used);
  std::vector<std::size_t> shape;
  for (std::size_t i = 0; i != tensors_.size(); ++i) {
    if (!used[i])
      continue;
    auto const common = poputil::commonShape(shape, tensors_[i].shape());
    if (!common)
      base::fail<::poputil::poplibs_error>(
          where_, "the shape ", base::shapeText(tensors_[i].shape()), " of operand _", i + 1,
          " does not fit the shape ", base::shapeText(shape),
          " of the others; dimensions, counted from the last, must be equal or 1");
    shape = *common;
  }
  return shape;
}

POP_INLINE void checkMapOutput(char const *where, std::vector<std::size_t> const &shape,
                               ::poplar::Type const &type, Tensor const &out) {
  if (!out.valid())
    base::fail<::poputil::poplibs_error>(where, "the output is an invalid tensor");
  if (out.shape() != shape)
    base::fail<::poputil::poplibs_error>(where, "the result has shape ", base::shapeText(shape),
                                         ", but the output has shape ",
                                         base::shapeText(out.shape()));
  if (out.elementType() != type)
    base::fail<::poputil::poplibs_error>(where, "the result is of type ", type,
                                         ", but the output is of type ", out.elementType());
  poputil::checkWriteable(where, "the output", out);
}

POP_INLINE Tensor newMapResult(::poplar::Graph &graph, std::vector<Tensor> const &operands,
                               std::vector<std::size_t> const &shape, ::poplar::Type const &type,
                               ::poplar::DebugContext const &debugContext) {
  std::vector<Tensor> candidates;
  for (bool wantsFull : {true, false}) {
    for (Tensor const &t : operands)
      if ((t.shape() == shape) == wantsFull) {
        candidates.push_back(t);
        ::poputil::broadcastToMatch(candidates.back(), shape);
      }
    if (!candidates.empty())
      return ::popops::createOutputForElementWiseOp(graph, candidates, type, debugContext);
  }
  Tensor const scalar = graph.addVariable(type, shape, debugContext);
  graph.setTileMapping(scalar, 0);
  return scalar;
}

POP_INLINE void MapEmitter::checkOutput(Term const &term, std::vector<std::size_t> const &shape,
                                        Tensor const &out) const {
  checkMapOutput(where_, shape, term.type, out);
}

POP_INLINE Tensor MapEmitter::newTensor(Term const &term, std::vector<std::size_t> const &shape) {
  std::vector<bool> used(tensors_.size());
  collectInputs(term, used);
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i != tensors_.size(); ++i)
    if (used[i])
      operands.push_back(tensors_[i]);
  return newMapResult(graph_, operands, shape, term.type, debugContext_);
}

POP_INLINE bool MapEmitter::disturbs(Tensor const &out, Term const &term) const {
  std::vector<bool> used(tensors_.size());
  collectInputs(term, used);
  for (std::size_t i = 0; i != tensors_.size(); ++i)
    if (used[i] && !(tensors_[i] == out) && tensors_[i].intersectsWith(out))
      return true;
  return false;
}

POP_INLINE Tensor MapEmitter::evaluate(Term term) {
  auto const shape = shapeOf(term);
  Tensor const out = newTensor(term, shape);
  emit(std::move(term), out, true);
  return out;
}

POP_INLINE void MapEmitter::evaluateTo(Term term, Tensor const &out) {
  checkOutput(term, shapeOf(term), out);
  if (!disturbs(out, term)) {
    emit(std::move(term), out);
  } else {
    Tensor const result = graph_.clone(out, debugContext_);
    emit(std::move(term), result);
    results_.emplace_back(result, out, false, debugContext_);
  }
}

POP_INLINE void MapEmitter::evaluateTo(std::vector<Term> terms, std::vector<Tensor> const &outs,
                                       char const *names) {
  if (terms.size() == 1)
    return evaluateTo(std::move(terms[0]), outs[0]);
  for (std::size_t i = 0; i != terms.size(); ++i)
    checkOutput(terms[i], shapeOf(terms[i]), outs[i]);
  poputil::checkApart(where_, names, outs);
  std::vector<bool> used(tensors_.size());
  for (Term const &term : terms)
    collectInputs(term, used);
  bool direct = true;
  for (Tensor const &out : outs)
    for (std::size_t i = 0; i != tensors_.size(); ++i)
      direct = direct && !(used[i] && tensors_[i].intersectsWith(out));
  for (std::size_t i = 0; i != terms.size(); ++i)
    if (direct)
      emit(std::move(terms[i]), outs[i]);
    else
      results_.emplace_back(evaluate(std::move(terms[i])), outs[i], false, debugContext_);
}

POP_INLINE void MapEmitter::fit(Term &term) {
  for (Term &arg : term.args)
    fit(arg);
  while (!detail::fitsProgram(detail::sizeOf(term))) {
    auto const largest =
        std::max_element(term.args.begin(), term.args.end(), [](Term const &a, Term const &b) {
          return detail::sizeOf(a).operations < detail::sizeOf(b).operations;
        });
    replaceByTensor(*largest);
  }
}

POP_INLINE void MapEmitter::replaceByTensor(Term &part) {
  MapEmitter emitter(where_, graph_, tensors_, *prog_, debugContext_, options_);
  ::poplar::Type const type = part.type;
  tensors_.push_back(emitter.evaluate(std::move(part)));
  emitter.finish();
  part = Term::makeInput(static_cast<unsigned>(tensors_.size() - 1), type);
}

POP_INLINE void MapEmitter::emit(Term term, Tensor const &out, bool isNew) {
  if (options_.simplify)
    term = simplified(std::move(term));
  if (term.isInput()) {
    Tensor source = tensors_[term.input];
    ::poputil::broadcastToMatch(source, out.shape());
    if (!(source == out))
      copies_.emplace_back(source, out, false, debugContext_);
    return;
  }
  if (out.numElements() == 0)
    return;
  if (term.isConstant() && !mapTypeOf(term.type))
    return emitWideConstant(term, out);
  separateWide(term);
  if (isWideOperation(term))
    return emitWide(term, out);
  fit(term);
  emitVertices(term, out, isNew);
}

POP_INLINE void MapEmitter::emitVertices(Term const &term, Tensor const &out, bool isNew) {
  std::vector<bool> used(tensors_.size());
  collectInputs(term, used);
  std::vector<Tensor> read;
  bool inPlace = false;
  for (std::size_t i = 0; i != tensors_.size(); ++i)
    if (used[i]) {
      inPlace = inPlace || tensors_[i] == out;
      read.push_back(tensors_[i]);
    }
  ElementOrder const order = elementOrder(graph_, out, read, inPlace);
  auto const shape = order.shape();
  Tensor const flat = order.flat(out);

  std::vector<MapOperand> storage;
  storage.reserve(tensors_.size());
  std::vector<MapOperand const *> operands(tensors_.size(), nullptr);
  for (std::size_t i = 0; i != tensors_.size(); ++i) {
    if (!used[i] || tensors_[i] == out)
      continue;
    storage.emplace_back(order.ordered(tensors_[i]), shape, *mapTypeOf(tensors_[i].elementType()),
                         options_.expandBroadcasts);
    operands[i] = &storage.back();
  }

  if (!hasSet_) {
    set_ = graph_.addComputeSet(debugContext_);
    hasSet_ = true;
  }
  planner::TileMapPlan plan;
  std::vector<Share> shares;
  job_ = detail::mapJob(graph_, flat, isNew, inPlace, term, tensors_, operands);
  if (job_) {
    job_->constraints = options_.plan;
    shares = plannedShares(graph_, *job_, flat, debugContext_, plan);
  } else {
    shares = sharesOf(
        graph_, flat,
        planner::planElementWise(detail::mapProblem(term, flat.numElements(), storage.size()),
                                 crewOf(graph_.getTarget())));
  }
  std::string const name =
      ::poputil::templateVertex(inPlace ? "popops::MapInPlace" : "popops::Map", out.elementType());
  detail::MapVertexBuilder builder(term, operands, plan.broadcasts);
  for (Share const &share : shares) {
    builder.build(share);
    ::poplar::VertexRef const vertex = graph_.addVertex(set_, name);
    detail::connectMapVertex(graph_, vertex, builder, partOf(flat, share));
    graph_.setTileMapping(vertex, share.tile);
  }
}

POP_INLINE void MapEmitter::finish() {
  if (!prog_)
    return;
  if (hasSet_)
    prog_->add(::poplar::program::Execute(set_, debugContext_));
  for (auto const *copies : {&copies_, &results_})
    for (auto const &copy : *copies)
      prog_->add(copy);
  hasSet_ = false;
  copies_.clear();
  results_.clear();
}

} // namespace cottonwood::popops
