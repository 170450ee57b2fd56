// Body of planComputeSteps().
#pragma once

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Log.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Passes.hpp>
#include <poplar/impl/lower/StepCosts.hpp>
#include <poplar/impl/lower/TileLookup.hpp>
#include <poplar/impl/lower/TileOrder.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>

namespace cottonwood::lower::detail {

/// Time of a tile that hands its vertices to whichever worker context is free.
class WorkerSchedule {
public:
  explicit WorkerSchedule(unsigned contexts) : contexts_(contexts) {}
  void add(std::uint64_t cycles) {
    if (busy_.size() < contexts_) {
      busy_.push(cycles);
      makespan_ = std::max(makespan_, cycles);
      return;
    }
    std::uint64_t const end = busy_.top() + cycles;
    busy_.pop();
    busy_.push(end);
    makespan_ = std::max(makespan_, end);
  }
  /// Contexts take turns: each runs at 1 / contexts of the tile's speed.
  std::uint64_t tileCycles() const {
    return makespan_ == 0 ? 0 : contexts_ * makespan_ + cost::LAUNCH;
  }

private:
  unsigned contexts_;
  std::uint64_t makespan_ = 0;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> busy_;
};

class ComputeSteps {
public:
  explicit ComputeSteps(Context &context)
      : context_(context), graph_(context.graph), exchange_(context), compute_(context),
        gather_(context), scatter_(context) {}
  ComputeSetSteps run(graph::ComputeSetId id, std::uint32_t index);

private:
  void operandsOf(graph::VertexId id);
  void demand(graph::Region const &region, PlaceDemand demand, std::uint32_t here);
  GatheredBytes &gatheredOn(std::uint32_t tile);
  TileOrder const &orderOf(graph::VarId var);
  static void charge(StepCosts &costs, std::uint32_t tile, double cycles);
  std::uint64_t cyclesOf(graph::VertexId id);
  void computeOf(graph::ComputeSetId id, BspStep &step, std::uint32_t stepIndex);

  Context &context_;
  graph::GraphData const &graph_;
  StepCosts exchange_, compute_, gather_, scatter_;
  std::unordered_map<graph::VarId, TileOrder> orders_; ///< as far as asked for
  std::set<std::uint32_t> guessedTypes_;               ///< codelets that the log was told of
  std::map<std::uint32_t, GatheredBytes> gathered_;    ///< by tile
  ExchangeLedger brought_, taken_;
  ExchangeLedger interleaved_; ///< of brought_, what interleaved memory is wanted for
};

/// What an edge has on its vertex's own tile.
struct LocalPieces {
  std::uint64_t pieces = 0, bytes = 0;
  double cycles = 0; ///< of copying them together

  void add(graph::TileMap const &tiles, TileOrder const &order, graph::StridedBlock const &block,
           std::uint64_t size, std::uint32_t here);

private:
  graph::VarId lastVar_ = ~graph::VarId{0}; ///< of the last block, if all of it is one piece,
  std::uint64_t lastEnd_ = 0;               ///< and where that ends on the tile
};

/// Elements of the inner dimensions from `first` on that lie side by side on the tile, in their
/// order; 0 if they do not.
POP_INLINE std::uint64_t sideBySide(TileOrder const &order, graph::StridedBlock const &block,
                                    std::size_t first, std::uint32_t here) {
  std::uint64_t elements = 1, reach = 0;
  for (std::size_t d = block.sizes.size(); d-- > first;) {
    if (block.sizes[d] == 1)
      continue;
    if (block.strides[d] <= static_cast<std::int64_t>(reach)) // backwards, or again
      return 0;
    reach += (block.sizes[d] - 1) * static_cast<std::uint64_t>(block.strides[d]);
    elements *= block.sizes[d];
  }
  std::uint64_t const held =
      order.rank(here, block.offset + reach + 1) - order.rank(here, block.offset);
  return held == elements ? elements : 0;
}

POP_INLINE void LocalPieces::add(graph::TileMap const &tiles, TileOrder const &order,
                                 graph::StridedBlock const &block, std::uint64_t size,
                                 std::uint32_t here) {
  std::uint64_t all = 1;
  for (std::uint64_t const count : block.sizes)
    all *= count;
  ElementSet const set = ElementSet::of(block);
  std::uint64_t distinct = 1, local = 0;
  for (ElementSet::Dim const &dim : set.dims)
    distinct *= dim.count;
  forEachTilePiece(tiles, set, [&](std::uint64_t, std::uint64_t, std::uint64_t count, auto tile) {
    local += tile == here ? count : 0;
  });
  if (local == 0)
    return;
  std::uint64_t const elements = local * (all / distinct);
  // The most inner dimensions that are one piece; of what is only partly here, all or rows.
  std::uint64_t piece = 0;
  for (std::size_t first = 0; piece == 0; ++first)
    piece = first == block.sizes.size() ? 1 : sideBySide(order, block, first, here);
  if (local != distinct && order.rank(here, set.hi) - order.rank(here, set.lo) == local)
    piece = elements;
  piece = std::min(piece, elements);
  bool const whole = piece == elements && all == distinct;
  std::uint64_t const begin = order.rank(here, set.lo);
  bool const goesOn = whole && pieces != 0 && lastVar_ == block.var && lastEnd_ == begin;
  pieces += (elements + piece - 1) / piece - (goesOn ? 1 : 0);
  bytes += elements * size;
  cycles += static_cast<double>(elements * size) * cost::copyCyclesPerByte(piece * size);
  lastVar_ = whole ? block.var : ~graph::VarId{0};
  lastEnd_ = begin + local;
}

POP_INLINE TileOrder const &ComputeSteps::orderOf(graph::VarId var) {
  auto known = orders_.find(var);
  if (known == orders_.end())
    known = orders_.emplace(var, TileOrder(graph_.variable(var).tiles)).first;
  return known->second;
}

POP_INLINE void ComputeSteps::charge(StepCosts &costs, std::uint32_t tile, double cycles) {
  StepCosts::Entry &entry = costs.at(tile);
  entry.cycles += cycles + (entry.cycles == 0 ? static_cast<double>(cost::COPY_START) : 0);
}

/// Data that a vertex uses and another tile holds must be brought, results taken home. A field
/// needs its elements side by side: what arrives is laid so, and pieces on the vertex's own tile
/// are sent to itself with that, or copied together if nothing arrives; results likewise.
POP_INLINE void ComputeSteps::operandsOf(graph::VertexId id) {
  using Own = ExchangeLedger::Own;
  codelet::Codelet const &codelet = graph_.codeletOf(id);
  std::uint32_t const here = graph_.vertex(id).tile;
  bool const priced = graph_.hasOwnEstimate(id); // that says what reading its operands costs
  graph_.forEachRegion(id, [&](unsigned index, std::size_t, graph::Region const &region) {
    codelet::Field const &field = codelet.fields[index];
    std::uint64_t const size = base::sizeOf(field.type);
    LocalPieces local;
    if (region.view && !priced) // otherwise it is one run
      region.view->forEachBlock([&](graph::StridedBlock const &block) {
        local.add(graph_.variable(block.var).tiles, orderOf(block.var), block, size, here);
      });
    bool const scattered = local.pieces > 1;
    bool const arrives = local.bytes != region.numElements() * size;
    Own const own = scattered && arrives ? Own::IsSent : Own::Stays;
    forEachSet(region, false, [&](ElementSet const &set) {
      graph::TileMap const &tiles = graph_.variable(set.var).tiles;
      if (field.isRead())
        brought_.bring(tiles, set, size, here, own);
      if (field.isWritten())
        taken_.takeHome(tiles, set, size, here, own);
    });
    PlaceDemand const asks = demandOf(field);
    if (!scattered && asks != PlaceDemand())
      demand(region, asks, here);
    if (asks.interleaved && field.isRead())
      forEachSet(region, false, [&](ElementSet const &set) {
        interleaved_.bring(graph_.variable(set.var).tiles, set, size, here, own);
      });
    if (!scattered || arrives)
      return;
    gatheredOn(here).bytes += local.bytes;
    gatheredOn(here).interleaved += asks.interleaved ? local.bytes : 0;
    if (field.isRead())
      charge(gather_, here, local.cycles);
    if (field.isWritten())
      charge(scatter_, here, local.cycles);
  });
  graph_.forEachMetadata(id, [&](unsigned, graph::View const &metadata) {
    forEachSet({{}, &metadata}, false, [&](ElementSet const &set) {
      brought_.bring(graph_.variable(set.var).tiles, set, 1, here);
    });
  });
}

/// What a vertex uses in place has to be where its field wants it. Of pieces that it reads as they
/// lie none is the first one.
POP_INLINE void ComputeSteps::demand(graph::Region const &region, PlaceDemand demand,
                                     std::uint32_t here) {
  if (region.view && !region.view->asRun())
    demand.alignment = 1;
  forEachSet(region, false, [&](ElementSet const &set) {
    TileOrder const &order = orderOf(set.var);
    forEachTilePiece(graph_.variable(set.var).tiles, set,
                     [&](std::uint64_t begin, std::uint64_t end, std::uint64_t, auto tile) {
                       if (tile == here)
                         context_.demands.add(
                             {static_cast<std::uint32_t>(context_.vars.of(set.var)), here,
                              order.rank(here, begin), order.rank(here, end), demand});
                     });
  });
}

POP_INLINE GatheredBytes &ComputeSteps::gatheredOn(std::uint32_t tile) {
  return gathered_.try_emplace(tile, GatheredBytes{tile, 0, 0}).first->second;
}

POP_INLINE std::uint64_t ComputeSteps::cyclesOf(graph::VertexId id) {
  if (std::optional<poplar::VertexPerfEstimate> const known = graph_.estimate(id))
    return known->cycles;
  ++context_.out.bsp.verticesByDefaultRule;
  if (guessedTypes_.insert(graph_.vertex(id).codelet).second)
    base::logLine("PROFILER", base::LogLevel::Warn,
                  base::textOf("vertices of type ", graph_.codeletOf(id).name,
                               " have no cycle estimate: the default rule is used for them"));
  std::uint64_t cycles = 0;
  graph_.forEachRegion(id, [&](unsigned, std::size_t, graph::Region const &region) {
    cycles += cost::DEFAULT_ELEMENT * region.numElements() + cost::DEFAULT_ROW;
  });
  if (!graph_.codeletOf(id).multi)
    return cost::DEFAULT_VERTEX + cycles;
  std::uint64_t const contexts = context_.out.target.getNumWorkerContexts();
  return cost::LAUNCH + contexts * (cost::DEFAULT_VERTEX + cycles / contexts);
}

POP_INLINE void ComputeSteps::computeOf(graph::ComputeSetId id, BspStep &step,
                                        std::uint32_t stepIndex) {
  unsigned const contexts = context_.out.target.getNumWorkerContexts();
  std::unordered_map<std::uint32_t, WorkerSchedule> workers;
  std::unordered_map<std::uint32_t, VertexTypeCycles> types;
  for (graph::VertexId vertex : graph_.computeSet(id).vertices) {
    codelet::Codelet const &codelet = graph_.codeletOf(vertex);
    std::uint32_t const tile = graph_.vertex(vertex).tile;
    std::uint64_t const cycles = cyclesOf(vertex);
    // A supervisor or MultiVertex has the tile to itself; worker vertices share its contexts.
    if (codelet.multi || codelet.supervisor)
      compute_.at(tile).cycles += static_cast<double>(cycles);
    else
      workers.try_emplace(tile, contexts).first->second.add(cycles);
    step.activeThreadCycles += cycles;
    VertexTypeCycles &type = types[graph_.vertex(vertex).codelet];
    type.step = stepIndex;
    type.codelet = graph_.vertex(vertex).codelet;
    ++type.instances;
    type.cycles += cycles;
  }
  for (auto const &[tile, schedule] : workers)
    compute_.at(tile).cycles += static_cast<double>(schedule.tileCycles());
  for (auto const &entry : types)
    context_.out.bsp.byType.push_back(entry.second);
}

POP_INLINE ComputeSetSteps ComputeSteps::run(graph::ComputeSetId id, std::uint32_t index) {
  std::string const &name = graph_.computeSet(id).name;
  ComputeSetSteps steps;
  if (graph_.computeSet(id).vertices.empty())
    return steps;
  for (graph::VertexId vertex : graph_.computeSet(id).vertices)
    operandsOf(vertex);
  interleaved_.traffic().settle(1, [&](std::uint32_t tile, model::TileTraffic const &traffic) {
    if (traffic.in != 0)
      gatheredOn(tile).interleaved += traffic.in;
  });
  for (auto const &[tile, gathered] : gathered_)
    context_.gathered[index].push_back(gathered);
  gathered_.clear();
  std::uint64_t const bytesPerCycle = std::max(1u, context_.out.target.getExchangeBytesPerCycle());
  auto const exchange = [&](ExchangeLedger &ledger) {
    if (ledger.empty())
      return NONE;
    exchange_.add(ledger, context_.out.target);
    return exchange_.finish(context_, {StepKind::Exchange, name}, cost::EXCHANGE_START,
                            bytesPerCycle);
  };
  // No tile waits for another one.
  auto const onTile = [&](StepCosts &costs) {
    return costs.empty()
               ? NONE
               : costs.finish(context_, {StepKind::OnTileCopy, name}, 0, bytesPerCycle, 0);
  };
  steps.before = exchange(brought_);
  steps.gather = onTile(gather_);
  BspStep step{StepKind::Compute, name};
  step.computeSet = index;
  computeOf(id, step, static_cast<std::uint32_t>(context_.out.bsp.steps.size()));
  steps.compute = compute_.finish(context_, std::move(step), 0, bytesPerCycle);
  steps.scatter = onTile(scatter_);
  steps.after = exchange(taken_);
  return steps;
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planComputeSteps(Context &context) {
  context.computeSetSteps.assign(context.computeSets.size(), {});
  context.gathered.assign(context.computeSets.size(), {});
  if (!detail::isTiled(context))
    return;
  detail::ComputeSteps steps(context);
  for (std::uint32_t index = 0; index < context.computeSets.size(); ++index)
    context.computeSetSteps[index] = steps.run(context.computeSets[index], index);
}

} // namespace cottonwood::lower
