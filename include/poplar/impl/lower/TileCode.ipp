// Body of planTileCode().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/CodeBytes.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace cottonwood::lower::detail {

/// Bytes of vertices as a device would hold them.
struct VertexBytes {
  std::uint64_t values = 0, pointers = 0, fieldData = 0, descriptors = 0;
  std::uint64_t state() const { return alignUp(values + pointers, 4); }
  std::uint64_t total() const { return state() + fieldData + descriptors; }
};

/// A pointer has 4 bytes, or 2 if it counts in units; a size has 4 more, or 11 bits of a pointer's
/// word.
POP_INLINE std::uint64_t pointerBytes(poplar::VectorLayout layout) {
  switch (layout) {
  case poplar::VectorLayout::SHORT_SPAN:
  case poplar::VectorLayout::ONE_PTR:
  case poplar::VectorLayout::COMPACT_PTR:
    return 4;
  case poplar::VectorLayout::SCALED_PTR32:
  case poplar::VectorLayout::SCALED_PTR64:
  case poplar::VectorLayout::SCALED_PTR128:
    return 2;
  default:
    return 8;
  }
}

POP_INLINE VertexBytes vertexBytes(graph::GraphData const &graph, graph::VertexId id) {
  codelet::Codelet const &codelet = graph.codeletOf(id);
  VertexBytes bytes;
  for (unsigned index = 0; index < codelet.fields.size(); ++index) {
    codelet::Field const &field = codelet.fields[index];
    std::uint64_t const regions = field.isEdge() ? graph.numRegions(id, index).value_or(0) : 0;
    if (field.holdsValues()) {
      bytes.values += graph.stateBytes(id, index).size();
    } else if (!field.isEdge()) { // a vector of values of its own
      bytes.pointers += pointerBytes(field.outer);
      bytes.fieldData += alignUp(graph.stateBytes(id, index).size(), 4);
    } else if (field.shape == codelet::FieldShape::Scalar) {
      bytes.pointers += 4;
    } else if (field.shape == codelet::FieldShape::VectorList) { // base and table of offsets
      bytes.pointers += 8;
      bytes.descriptors += 4 * regions;
    } else if (field.hasManyRegions()) {
      bytes.pointers += pointerBytes(field.outer);
      bytes.fieldData +=
          regions *
          (field.shape == codelet::FieldShape::VectorOfScalars ? 4 : pointerBytes(field.inner));
    } else {
      bytes.pointers += regions * pointerBytes(field.outer);
    }
  }
  return bytes;
}

class TileCodePlan {
public:
  explicit TileCodePlan(Context &context)
      : context_(context), out_(context.out), tiles_(context.out.tileMemory) {
    tiles_.assign(out_.target.getNumTiles(), {});
  }
  void run() {
    vertices();
    control();
    exchange();
    liveness();
    variables();
    programVariables();
  }

private:
  void vertices();
  void control();
  void exchange();
  void liveness();
  void variables();
  void programVariables();
  /// Not-always-live bytes of all tiles where they are the most, by program.
  std::unordered_map<program::Node const *, StepLiveness> livenessOfPrograms() const;
  void appendVariables(program::Node const &node, std::vector<std::uint32_t> &vars) const;

  Context &context_;
  ExecutableData &out_;
  std::vector<TileMemory> &tiles_;
};

POP_INLINE void TileCodePlan::vertices() {
  std::vector<std::vector<bool>> holds(out_.codelets.size());
  std::vector<VertexTypeMemory> types(out_.codelets.size());
  for (std::size_t set = 0; set < context_.computeSets.size(); ++set) {
    auto const &vertices = context_.graph.computeSet(context_.computeSets[set]).vertices;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      VertexCall const &call = out_.calls[out_.computeSets[set].firstCall + i];
      VertexBytes const bytes = vertexBytes(context_.graph, vertices[i]);
      TileMemory &tile = tiles_[call.tile];
      tile.vertexState += bytes.state();
      tile.edgePointers += bytes.pointers;
      tile.padding += bytes.state() - bytes.values - bytes.pointers;
      tile.fieldData += bytes.fieldData;
      tile.listDescriptors += bytes.descriptors;
      tile.controlCode += CONTROL_CODE_A_VERTEX;
      VertexTypeMemory &type = types[call.codelet];
      ++type.instances;
      type.stateBytes += bytes.total();
      if (type.codeBytes == 0)
        type.codeBytes = vertexCodeBytes(out_.codelets[call.codelet].name,
                                         context_.graph.codeletOf(vertices[i]).fields.size());
      std::vector<bool> &held = holds[call.codelet];
      if (held.empty())
        held.resize(tiles_.size());
      if (!held[call.tile])
        tile.vertexCode += type.codeBytes;
      held[call.tile] = true;
    }
  }
  for (std::uint32_t codelet = 0; codelet < types.size(); ++codelet) {
    types[codelet].codelet = codelet;
    if (types[codelet].instances != 0)
      out_.vertexTypes.push_back(types[codelet]);
  }
}

/// All tiles run the same programs.
POP_INLINE void TileCodePlan::control() {
  std::uint64_t bytes = CONTROL_CODE;
  for (Instruction const &instruction : out_.instructions)
    if (instruction.step != NONE)
      bytes +=
          instruction.step == context_.controlStep ? CONTROL_CODE_A_BRANCH : CONTROL_CODE_A_STEP;
    else if (instruction.op == Op::Call || instruction.op == Op::Jump)
      bytes += CONTROL_CODE_A_BRANCH;
  for (TileMemory &tile : tiles_) {
    tile.stack = STACK_BYTES;
    tile.controlCode += bytes;
  }
}

/// The schedule of a step is there once, however often programs name it.
POP_INLINE void TileCodePlan::exchange() {
  for (BspStep const &step : out_.bsp.steps) {
    bool const host = step.kind == StepKind::StreamIn || step.kind == StepKind::StreamOut;
    bool const global = step.kind == StepKind::GlobalExchange;
    for (std::uint64_t c = step.firstCost; c < step.firstCost + step.numCosts; ++c) {
      TileCost const &cost = out_.bsp.costs[c];
      TileMemory &tile = tiles_[cost.tile];
      (host     ? tile.hostExchangeCode
       : global ? tile.globalExchangeCode
                : tile.exchangeCode) += exchangeCodeBytes(cost);
      if (host)
        tile.hostHeaders += packetHeaderBytes(cost.bytesOut);
      if (global)
        tile.globalHeaders += packetHeaderBytes(cost.bytesOut);
    }
  }
}

POP_INLINE std::unordered_map<program::Node const *, StepLiveness>
TileCodePlan::livenessOfPrograms() const {
  struct Change {
    std::uint32_t position;
    std::int64_t bytes;
  };
  std::vector<Change> changes;
  for (std::size_t index = 0; index < context_.vars.size(); ++index) {
    Lifetime const &lifetime = context_.lifetimes[index];
    if (!context_.usedVars[index] || lifetime.alwaysLive || !lifetime.used())
      continue;
    graph::Variable const &variable = context_.graph.variable(context_.vars.id(index));
    auto const bytes =
        static_cast<std::int64_t>(variable.numElements * base::sizeOf(variable.type));
    changes.push_back({lifetime.begin, bytes});
    changes.push_back({lifetime.end + 1, -bytes});
  }
  std::sort(changes.begin(), changes.end(),
            [](Change const &a, Change const &b) { return a.position < b.position; });
  std::unordered_map<program::Node const *, StepLiveness> most;
  std::int64_t now = 0;
  auto change = changes.begin();
  for (auto const &[node, position] : context_.leafPositions) { // positions ascend
    for (; change != changes.end() && change->position <= position; ++change)
      now += change->bytes;
    StepLiveness &liveness = most[node];
    if (auto const bytes = static_cast<std::uint64_t>(now);
        liveness.position == NONE || bytes > liveness.bytes)
      liveness = {position, bytes};
  }
  return most;
}

POP_INLINE void TileCodePlan::liveness() {
  BspProgram &bsp = out_.bsp;
  bsp.liveness.resize(bsp.steps.size());
  auto const ofPrograms = livenessOfPrograms();
  for (std::size_t i = 0; i < bsp.programs.size(); ++i) {
    auto const found = ofPrograms.find(context_.programNodes[i]);
    if (found == ofPrograms.end())
      continue;
    for (std::uint64_t s = 0; s < bsp.programs[i].numSteps; ++s) {
      StepLiveness &step = bsp.liveness[bsp.programSteps[bsp.programs[i].firstStep + s]];
      if (step.position == NONE || found->second.bytes > step.bytes)
        step = found->second;
    }
  }
}

POP_INLINE bool follows(TileRun const &run, std::uint32_t tile, std::uint64_t bytes) {
  return run.bytes == bytes && run.tile + run.count == tile;
}

POP_INLINE void TileCodePlan::variables() {
  std::vector<std::uint64_t> bytesOn(tiles_.size());
  std::vector<std::uint32_t> touched;
  std::size_t number = 0;
  for (std::size_t index = 0; index < context_.vars.size(); ++index) {
    if (!context_.usedVars[index])
      continue;
    VariableInfo &info = out_.variables[number++];
    info.lifeBegin = context_.lifetimes[index].begin;
    info.lifeEnd = context_.lifetimes[index].end;
    info.firstRun = out_.tileRuns.size();
    graph::Variable const &variable = context_.graph.variable(context_.vars.id(index));
    std::uint64_t const size = base::sizeOf(variable.type);
    variable.tiles.forEach(0, variable.numElements,
                           [&](std::uint64_t begin, std::uint64_t end, std::uint32_t tile) {
                             if (bytesOn[tile] == 0)
                               touched.push_back(tile);
                             bytesOn[tile] += (end - begin) * size;
                           });
    std::sort(touched.begin(), touched.end());
    for (std::uint32_t const tile : touched) {
      if (out_.tileRuns.size() != info.firstRun &&
          follows(out_.tileRuns.back(), tile, bytesOn[tile]))
        ++out_.tileRuns.back().count;
      else
        out_.tileRuns.push_back({tile, 1, bytesOn[tile]});
      bytesOn[tile] = 0;
    }
    touched.clear();
    info.numRuns = out_.tileRuns.size() - info.firstRun;
  }
}

POP_INLINE void TileCodePlan::appendVariables(program::Node const &node,
                                              std::vector<std::uint32_t> &vars) const {
  for (graph::View const &view : node.views)
    view.forEachBlockUnordered([&](graph::StridedBlock const &block) {
      vars.push_back(static_cast<std::uint32_t>(context_.vars.of(block.var)));
    });
  if (node.kind != program::NodeKind::Execute)
    return;
  std::uint32_t const set = context_.computeSetIndex[node.id];
  if (set < context_.computeSetVars.size())
    vars.insert(vars.end(), context_.computeSetVars[set].begin(),
                context_.computeSetVars[set].end());
}

POP_INLINE void TileCodePlan::programVariables() {
  std::vector<std::uint32_t> numbers(context_.vars.size(), NONE); // in ExecutableData::variables
  std::uint32_t number = 0;
  for (std::size_t index = 0; index < context_.vars.size(); ++index)
    if (context_.usedVars[index])
      numbers[index] = number++;
  std::vector<std::uint32_t> vars;
  for (std::size_t i = 0; i < out_.bsp.programs.size(); ++i) {
    vars.clear();
    if (context_.programNodes[i])
      appendVariables(*context_.programNodes[i], vars);
    std::sort(vars.begin(), vars.end());
    vars.erase(std::unique(vars.begin(), vars.end()), vars.end());
    out_.bsp.programs[i].firstVar = out_.bsp.programVars.size();
    for (std::uint32_t const var : vars)
      if (numbers[var] != NONE)
        out_.bsp.programVars.push_back(numbers[var]);
    out_.bsp.programs[i].numVars = out_.bsp.programVars.size() - out_.bsp.programs[i].firstVar;
  }
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void planTileCode(Context &context) {
  if (context.out.target.getTargetType() != poplar::TargetType::CPU)
    detail::TileCodePlan(context).run();
}

} // namespace cottonwood::lower
