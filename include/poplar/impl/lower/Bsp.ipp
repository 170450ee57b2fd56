// Body of Bsp.hpp and planComputeSteps().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Bsp.hpp>
#include <poplar/impl/lower/BspCosts.hpp>
#include <poplar/impl/lower/Exchange.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Moves.hpp>
#include <poplar/impl/lower/Passes.hpp>
#include <poplar/impl/lower/TileLookup.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <unordered_map>

namespace cottonwood::lower::detail {

POP_INLINE bool isTiled(Context const &context) {
  return context.out.target.getTargetType() != poplar::TargetType::CPU;
}

/// Bytes, messages and cycles of one step by tile.
class StepCosts {
public:
  explicit StepCosts(Context const &context)
      : cost_(context.out.target.getNumTiles()),
        tilesPerIPU_(std::max(1u, context.out.target.getTilesPerIPU())) {}

  struct Entry {
    std::uint64_t out = 0, in = 0, messages = 0;
    std::uint64_t shared = 0; ///< of `in`: what a neighbour on the bus receives as well
    std::uint64_t sends = 0;  ///< contiguous runs; `messages` are what arrives
    double cycles = 0;
    bool used = false;
  };
  Entry &at(std::uint32_t tile) {
    Entry &entry = cost_[tile];
    if (!entry.used) {
      entry.used = true;
      tiles_.push_back(tile);
    }
    return entry;
  }
  bool empty() const { return tiles_.empty(); }
  void send(std::uint32_t from, std::uint32_t to, std::uint64_t bytes, std::uint64_t messages) {
    at(from).out += bytes;
    at(from).sends += messages;
    at(to).in += bytes;
    at(to).messages += messages;
    if (from / tilesPerIPU_ != to / tilesPerIPU_)
      crossing_[{from / tilesPerIPU_, to / tilesPerIPU_}] += bytes;
  }

  void add(ExchangeLedger &ledger, poplar::Target const &target) {
    unsigned const bus =
        target.supportsExchangeBusSharing() ? target.getTilesPerSharedExchangeBus() : 1;
    if (target.getNumIPUs() > 1)
      ledger.forEachCrossing(tilesPerIPU_,
                             [&](std::uint32_t src, std::uint32_t dst, std::uint64_t bytes) {
                               crossing_[{src, dst}] += bytes;
                             });
    ledger.settle(bus, [&](std::uint32_t tile, ExchangeLedger::Traffic const &traffic) {
      Entry &entry = at(tile);
      entry.out += traffic.out;
      entry.in += traffic.in;
      entry.messages += traffic.messages;
      entry.sends += traffic.sends;
      entry.shared += traffic.shared;
    });
  }

  /// Appends the step and forgets its costs. `bytesPerCycle` is the exchange's.
  std::uint32_t finish(Context &context, BspStep step, std::uint64_t start,
                       std::uint64_t bytesPerCycle);

private:
  std::uint64_t linkCycles(poplar::Target const &target) const;

  std::vector<Entry> cost_;
  std::vector<std::uint32_t> tiles_;
  std::uint32_t tilesPerIPU_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>
      crossing_; ///< bytes by source and destination IPU
};

/// What the busiest links need: the flows that share a constraint's bandwidth, one after another.
POP_INLINE std::uint64_t StepCosts::linkCycles(poplar::Target const &target) const {
  double seconds = 0;
  for (poplar::GlobalExchangeConstraint const &constraint : target.getGlobalExchangeConstraints()) {
    std::uint64_t bytes = 0;
    for (poplar::GlobalExchangeFlow const &flow : constraint.flows)
      if (auto const found = crossing_.find({flow.src, flow.dst}); found != crossing_.end())
        bytes += found->second;
    if (constraint.bandwidth > 0)
      seconds = std::max(seconds, 8 * static_cast<double>(bytes) / constraint.bandwidth);
  }
  return static_cast<std::uint64_t>(std::ceil(seconds * target.getTileClockFrequency()));
}

POP_INLINE std::uint32_t clamp32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, 0xffffffffu));
}

POP_INLINE std::uint32_t StepCosts::finish(Context &context, BspStep step, std::uint64_t start,
                                           std::uint64_t bytesPerCycle) {
  BspProgram &bsp = context.out.bsp;
  std::sort(tiles_.begin(), tiles_.end());
  step.firstCost = bsp.costs.size();
  step.numCosts = tiles_.size();
  std::uint64_t longest = 0;
  for (std::uint32_t tile : tiles_) {
    Entry &entry = cost_[tile];
    std::uint64_t const received = entry.in - entry.shared / 2;
    std::uint64_t const transfer =
        (std::max(entry.out, received) + bytesPerCycle - 1) / bytesPerCycle;
    std::uint64_t const cycles = transfer + entry.messages * cost::MESSAGE +
                                 static_cast<std::uint64_t>(std::llround(entry.cycles));
    longest = std::max(longest, cycles);
    bsp.costs.push_back({tile, clamp32(cycles), clamp32(entry.out), clamp32(entry.in),
                         clamp32(entry.sends), clamp32(entry.messages)});
    entry = {};
  }
  tiles_.clear();
  if (!crossing_.empty()) {
    poplar::Target const &target = context.out.target;
    step.kind = StepKind::GlobalExchange;
    start += target.getGlobalSyncCycles() + linkCycles(target);
    crossing_.clear();
  }
  step.syncCycles = cost::SYNC;
  step.maxCycles = step.syncCycles + start + longest;
  bsp.steps.push_back(std::move(step));
  return static_cast<std::uint32_t>(bsp.steps.size() - 1);
}

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
      : context_(context), graph_(context.graph), exchange_(context), compute_(context) {}
  ComputeSetSteps run(graph::ComputeSetId id, std::uint32_t index);

private:
  void exchangeOf(graph::VertexId id);
  std::uint64_t cyclesOf(graph::VertexId id);
  void computeOf(graph::ComputeSetId id, BspStep &step, std::uint32_t stepIndex);

  Context &context_;
  graph::GraphData const &graph_;
  StepCosts exchange_, compute_;
  ExchangeLedger brought_, taken_;
};

/// Data that a vertex uses and another tile holds must be brought, results taken home.
POP_INLINE void ComputeSteps::exchangeOf(graph::VertexId id) {
  codelet::Codelet const &codelet = graph_.codeletOf(id);
  std::uint32_t const here = graph_.vertex(id).tile;
  graph_.forEachRegion(id, [&](unsigned index, std::size_t, graph::Region const &region) {
    codelet::Field const &field = codelet.fields[index];
    std::uint64_t const size = base::sizeOf(field.type);
    forEachSet(region, false, [&](ElementSet const &set) {
      graph::TileMap const &tiles = graph_.variable(set.var).tiles;
      if (field.isRead())
        brought_.bring(tiles, set, size, here);
      if (field.isWritten())
        taken_.takeHome(tiles, set, size, here);
    });
  });
  graph_.forEachMetadata(id, [&](unsigned, graph::View const &metadata) {
    forEachSet({{}, &metadata}, false, [&](ElementSet const &set) {
      brought_.bring(graph_.variable(set.var).tiles, set, 1, here);
    });
  });
}

POP_INLINE std::uint64_t ComputeSteps::cyclesOf(graph::VertexId id) {
  if (std::optional<poplar::VertexPerfEstimate> const known = graph_.estimate(id))
    return known->cycles;
  ++context_.out.bsp.verticesByDefaultRule;
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
    exchangeOf(vertex);
  std::uint64_t const bytesPerCycle = std::max(1u, context_.out.target.getExchangeBytesPerCycle());
  auto const exchange = [&](ExchangeLedger &ledger) {
    if (ledger.empty())
      return NONE;
    exchange_.add(ledger, context_.out.target);
    return exchange_.finish(context_, {StepKind::Exchange, name}, cost::EXCHANGE_START,
                            bytesPerCycle);
  };
  steps.before = exchange(brought_);
  BspStep step{StepKind::Compute, name};
  step.computeSet = index;
  computeOf(id, step, static_cast<std::uint32_t>(context_.out.bsp.steps.size()));
  steps.compute = compute_.finish(context_, std::move(step), 0, bytesPerCycle);
  steps.after = exchange(taken_);
  return steps;
}

/// Books the bytes of one move with the tiles they lie on.
class CopyCosts {
public:
  CopyCosts(Context const &context, VirtualMemory const &memory, StepCosts &costs,
            std::span<MoveDim const> dims, std::uint64_t elementBytes)
      : context_(context), memory_(memory), costs_(costs), dims_(dims),
        elementBytes_(elementBytes) {}

  void move(Move const &move) {
    nest(move.src, move.dst, move.bytes, dims_.subspan(move.firstDim, move.numDims));
  }
  bool exchanges() const { return exchanges_; }

private:
  static std::pair<std::int64_t, std::int64_t> reach(std::span<MoveDim const> dims, bool src) {
    std::int64_t low = 0, high = 0;
    for (MoveDim const &dim : dims) {
      std::int64_t const span =
          static_cast<std::int64_t>(dim.count - 1) * (src ? dim.srcStride : dim.dstStride);
      (span < 0 ? low : high) += span;
    }
    return {low, high};
  }
  bool tileOf(std::uint64_t at, std::uint64_t bytes, std::span<MoveDim const> dims, bool src,
              std::uint32_t &tile) {
    auto const [low, high] = reach(dims, src);
    return memory_.uniform(context_.graph, context_.vars, at + static_cast<std::uint64_t>(low),
                           at + static_cast<std::uint64_t>(high) + bytes, tile);
  }
  void nest(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
            std::span<MoveDim const> dims);
  void book(std::uint32_t from, std::uint32_t to, std::uint64_t runBytes, std::uint64_t runs);

  Context const &context_;
  VirtualMemory const &memory_;
  StepCosts &costs_;
  std::span<MoveDim const> dims_;
  std::uint64_t elementBytes_;
  bool exchanges_ = false;
};

POP_INLINE void CopyCosts::book(std::uint32_t from, std::uint32_t to, std::uint64_t runBytes,
                                std::uint64_t runs) {
  if (from != to) {
    exchanges_ = true;
    costs_.send(from, to, runBytes * runs, runs);
    return;
  }
  StepCosts::Entry &entry = costs_.at(to);
  if (entry.cycles == 0)
    entry.cycles = static_cast<double>(cost::COPY_START);
  entry.cycles += static_cast<double>(runBytes * runs) * cost::copyCyclesPerByte(runBytes);
}

POP_INLINE void CopyCosts::nest(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                                std::span<MoveDim const> dims) {
  std::uint32_t from = 0, to = 0;
  if (tileOf(src, bytes, dims, true, from) && tileOf(dst, bytes, dims, false, to)) {
    std::uint64_t runs = 1;
    for (MoveDim const &dim : dims)
      runs *= dim.count;
    return book(from, to, bytes, runs);
  }
  if (!dims.empty()) {
    for (std::uint64_t i = 0; i < dims[0].count; ++i)
      nest(src + i * static_cast<std::uint64_t>(dims[0].srcStride),
           dst + i * static_cast<std::uint64_t>(dims[0].dstStride), bytes, dims.subspan(1));
    return;
  }
  // One run over several tiles: halve it until it is not.
  std::uint64_t const half = alignDown(bytes / 2, elementBytes_);
  nest(src, dst, half, {});
  nest(src + half, dst + half, bytes - half, {});
}

POP_INLINE Layout virtualLayout(Context const &context, VirtualMemory const &memory,
                                graph::View const &view) {
  Layout layout;
  auto const size = static_cast<std::int64_t>(base::sizeOf(view.type()));
  view.forEachBlock([&](graph::StridedBlock const &from) {
    ByteBlock block;
    block.offset = memory.addressOf(context.vars.of(from.var)) +
                   from.offset * static_cast<std::uint64_t>(size);
    for (std::size_t d = 0; d < from.sizes.size(); ++d)
      block.pushInner(from.sizes[d], from.strides[d] * size);
    layout.push_back(block);
  });
  return layout;
}

/// Books the bytes of a view with its tiles as traffic to or from outside of the graph's tiles.
POP_INLINE void bookOutside(Context const &context, graph::View const &view, bool arrives,
                            StepCosts &costs) {
  std::uint64_t const size = base::sizeOf(view.type());
  view.forEachBlockUnordered([&](graph::StridedBlock const &block) {
    forEachTilePiece(context.graph.variable(block.var).tiles, ElementSet::of(block),
                     [&](std::uint64_t, std::uint64_t, std::uint64_t elements, std::uint32_t tile) {
                       StepCosts::Entry &entry = costs.at(tile);
                       (arrives ? entry.in : entry.out) += elements * size;
                     });
  });
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE VirtualMemory::VirtualMemory(graph::GraphData const &graph) {
  VarIndex const vars(graph);
  starts_.reserve(vars.size() + 1);
  std::uint64_t at = 0;
  for (std::size_t index = 0; index < vars.size(); ++index) {
    starts_.push_back(at);
    graph::Variable const &variable = graph.variable(vars.id(index));
    // A gap keeps runs of two variables apart.
    at += variable.numElements * base::sizeOf(variable.type) + 8;
  }
}

POP_INLINE bool VirtualMemory::uniform(graph::GraphData const &graph, VarIndex const &vars,
                                       std::uint64_t lo, std::uint64_t hi,
                                       std::uint32_t &tile) const {
  auto const index = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), lo) -
                                              starts_.begin() - 1);
  graph::Variable const &variable = graph.variable(vars.id(index));
  std::uint64_t const size = base::sizeOf(variable.type);
  std::uint64_t const begin = (lo - starts_[index]) / size;
  std::uint64_t const end = (hi - starts_[index] + size - 1) / size;
  return end <= variable.numElements && variable.tiles.uniform(begin, end, tile);
}

POP_INLINE void planComputeSteps(Context &context) {
  context.computeSetSteps.assign(context.computeSets.size(), {});
  if (!detail::isTiled(context))
    return;
  detail::ComputeSteps steps(context);
  for (std::uint32_t index = 0; index < context.computeSets.size(); ++index)
    context.computeSetSteps[index] = steps.run(context.computeSets[index], index);
}

POP_INLINE std::uint32_t addCopyStep(Context &context, graph::View const &src,
                                     graph::View const &dst, std::string_view name) {
  if (!detail::isTiled(context))
    return NONE;
  if (!context.virtualMemory)
    context.virtualMemory = std::make_shared<VirtualMemory>(context.graph);
  ExecutableData scratch;
  planMoves(scratch, detail::virtualLayout(context, *context.virtualMemory, src),
            detail::virtualLayout(context, *context.virtualMemory, dst), base::sizeOf(src.type()));
  detail::StepCosts costs(context);
  detail::CopyCosts copy(context, *context.virtualMemory, costs, scratch.moveDims,
                         base::sizeOf(src.type()));
  for (Move const &move : scratch.moves)
    copy.move(move);
  bool const exchanges = copy.exchanges();
  return costs.finish(context,
                      {exchanges ? StepKind::Exchange : StepKind::OnTileCopy, std::string(name)},
                      exchanges ? cost::EXCHANGE_START : 0,
                      std::max(1u, context.out.target.getExchangeBytesPerCycle()));
}

POP_INLINE std::uint32_t addCrossReplicaStep(Context &context, graph::View const &src,
                                             graph::View const &dst, std::string_view name) {
  if (!detail::isTiled(context))
    return NONE;
  detail::StepCosts costs(context);
  detail::bookOutside(context, src, false, costs);
  detail::bookOutside(context, dst, true, costs);
  double const seconds = static_cast<double>(src.numElements() * base::sizeOf(src.type())) /
                         cost::REPLICA_BYTES_PER_SECOND;
  auto const links =
      static_cast<std::uint64_t>(seconds * context.out.target.getTileClockFrequency());
  return costs.finish(context, {StepKind::GlobalExchange, std::string(name)},
                      cost::EXCHANGE_START + context.out.target.getGlobalSyncCycles() + links,
                      std::max(1u, context.out.target.getExchangeBytesPerCycle()));
}

POP_INLINE std::uint32_t addStreamStep(Context &context, graph::View const &view, bool toDevice,
                                       std::string_view name) {
  if (!detail::isTiled(context))
    return NONE;
  std::uint64_t const size = base::sizeOf(view.type());
  detail::StepCosts costs(context);
  detail::bookOutside(context, view, toDevice, costs);
  double const seconds =
      static_cast<double>(view.numElements() * size) / cost::HOST_BYTES_PER_SECOND;
  auto const host =
      static_cast<std::uint64_t>(seconds * context.out.target.getTileClockFrequency());
  return costs.finish(
      context, {toDevice ? StepKind::StreamIn : StepKind::StreamOut, std::string(name)},
      cost::EXCHANGE_START + host, std::max(1u, context.out.target.getExchangeBytesPerCycle()));
}

POP_INLINE std::uint32_t addSyncStep(Context &context, std::string_view name) {
  if (!detail::isTiled(context))
    return NONE;
  return detail::StepCosts(context).finish(context, {StepKind::Sync, std::string(name)}, 0, 1);
}

POP_INLINE std::uint32_t controlStep(Context &context) {
  if (!detail::isTiled(context))
    return NONE;
  if (context.controlStep == NONE) {
    BspStep step{StepKind::Control, "control"};
    step.maxCycles = cost::CONTROL;
    context.out.bsp.steps.push_back(std::move(step));
    context.controlStep = static_cast<std::uint32_t>(context.out.bsp.steps.size() - 1);
  }
  return context.controlStep;
}

} // namespace cottonwood::lower
