// Body of makeVertexTables().
#pragma once

#include <codelets/arch/Isa.hpp>

#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/codelet/Libraries.hpp>
#include <poplar/impl/lower/Access.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Moves.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <cstring>

namespace cottonwood::lower::detail {

/// While tables are made the place of the state images is not known: addresses in them carry this
/// bit.
inline constexpr std::uint64_t IN_STATES = std::uint64_t{1} << 63;
/// Arrays behind a state image (state vectors, pointers of lists) start at a multiple of this.
inline constexpr std::uint64_t STATE_ARRAY_ALIGN = 16;

POP_INLINE bool hasSize(poplar::VectorLayout layout) {
  return layout == poplar::VectorLayout::SPAN || layout == poplar::VectorLayout::SHORT_SPAN;
}

class VertexTables {
public:
  explicit VertexTables(Context &context)
      : context_(context), graph_(context.graph), out_(context.out) {
    codeletIndex_.assign(graph_.numCodelets(), NONE);
  }
  void run();

private:
  void computeSet(graph::ComputeSetId id);
  void vertex(graph::VertexId id);
  std::uint32_t codelet(graph::VertexId id);
  std::string isaOf(codelet::Codelet const &codelet) const;
  std::uint32_t object(codelet::CodeObject const &object);
  void field(graph::VertexId id, unsigned index, std::uint64_t state);
  void edge(graph::VertexId id, unsigned index, std::uint64_t at);
  void stateVector(graph::VertexId id, codelet::Field const &field, unsigned index,
                   std::uint64_t at);

  std::uint64_t allocate(std::uint64_t bytes, std::uint64_t alignment);
  void writePointer(std::uint64_t at, std::uint64_t address);
  void writeSize(std::uint64_t at, std::uint64_t size) {
    std::memcpy(&out_.states[at], &size, sizeof size);
  }
  std::uint64_t place(graph::Region const &region, codelet::Field const &field);
  bool isOmitted(graph::VertexId id, unsigned index, graph::Region const &region) const;
  std::uint64_t metadataAddress(graph::Region const &region);
  void watch(graph::Region const &region, codelet::Field const &field, bool scratch);
  std::uint64_t stage(graph::Region const &region, codelet::Field const &field);
  void resolveStates();

  Context &context_;
  graph::GraphData const &graph_;
  ExecutableData &out_;
  std::vector<std::uint32_t> codeletIndex_;
  // Of the compute set and of the vertex in work.
  std::uint64_t stagingAt_ = 0, stagingEnd_ = 0, edgeBytes_ = 0;
  std::vector<LayoutPair> scatters_;        ///< destinations and staging areas
  std::vector<std::uint64_t> scatterBytes_; ///< bytes of an element
  MovePlan gather_;
  std::vector<std::pair<WatchedOutput, LayoutPair>> watches_; ///< without plans, and what they copy
};

POP_INLINE std::uint64_t VertexTables::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  std::uint64_t const at = alignUp(out_.states.size(), alignment);
  std::uint64_t const end = alignUp(at + bytes, sizeof(std::uint64_t));
  if (end > out_.states.capacity())
    out_.states.reserve(std::max<std::uint64_t>(end, 2 * out_.states.capacity()));
  out_.states.resize(end);
  return at;
}

POP_INLINE void VertexTables::writePointer(std::uint64_t at, std::uint64_t address) {
  std::memcpy(&out_.states[at], &address, sizeof address);
  std::uint64_t const word = at / sizeof(std::uint64_t);
  if (word / 64 >= out_.relocations.size())
    out_.relocations.resize(std::max<std::size_t>(word / 64 + 1, out_.relocations.size() * 2));
  out_.relocations[word / 64] |= std::uint64_t{1} << (word % 64);
}

/// Copies the region to a packed staging area of the vertex and back if it is written. Outputs are
/// copied in as well: elements that the codelet skips keep their value.
POP_INLINE std::uint64_t VertexTables::stage(graph::Region const &region,
                                             codelet::Field const &field) {
  std::uint64_t const size = base::sizeOf(field.type);
  std::uint64_t const elements = region.numElements();
  std::uint64_t const address =
      alignUp(stagingAt_, elements * size < VARIABLE_ALIGN
                              ? std::max<std::uint64_t>(16, field.minAlign)
                              : std::max<std::uint64_t>(VARIABLE_ALIGN, field.minAlign));
  stagingAt_ = address + elements * size;
  LayoutPair places = bufferLayouts(context_, region, address);
  MovePlan const gather = planMoves(out_, places, size);
  if (gather_.empty())
    gather_.first = gather.first;
  gather_.count += gather.count;
  gather_.totalBytes += gather.totalBytes;
  if (field.isWritten()) {
    scatters_.push_back(std::move(places));
    scatterBytes_.push_back(size);
  }
  return address;
}

/// Lets the engine look at the region after the vertex, which is the next one to be added.
POP_INLINE void VertexTables::watch(graph::Region const &region, codelet::Field const &field,
                                    bool scratch) {
  bool const hasNans = field.type == poplar::FLOAT || field.type == poplar::HALF;
  if (!context_.options.watchOutputs || !field.isWritten() || !hasNans || scratch)
    return;
  watches_.emplace_back(
      WatchedOutput{static_cast<std::uint32_t>(out_.calls.size()), field.name, field.type, {}},
      bufferLayouts(context_, region));
}

/// Address of the region's elements, in place if that is one run with the alignment that the field
/// asks for.
POP_INLINE std::uint64_t VertexTables::place(graph::Region const &region,
                                             codelet::Field const &field) {
  std::uint64_t const size = base::sizeOf(field.type);
  edgeBytes_ += region.numElements() * size;
  ++out_.numEdges;
  graph::Run run = region.run;
  if (region.view) {
    std::optional<graph::Run> const whole = region.view->asRun();
    if (!whole)
      return stage(region, field);
    run = *whole;
  }
  std::uint64_t const address = context_.offsets[context_.vars.of(run.var)] + run.begin * size;
  return address % std::max(1u, field.minAlign) == 0 ? address : stage(region, field);
}

POP_INLINE std::uint64_t VertexTables::metadataAddress(graph::Region const &region) {
  graph::Location const place = graph_.metadata(graph_.metadataOf(region)).locate(0);
  return context_.offsets[context_.vars.of(place.var)] + place.offset;
}

/// Whether the codelet does without this output, and nobody reads it.
POP_INLINE bool VertexTables::isOmitted(graph::VertexId id, unsigned index,
                                        graph::Region const &region) const {
  if (context_.unread.empty() || graph_.codeletOf(id).omittable != static_cast<int>(index))
    return false;
  bool omitted = true;
  forEachSet(region, false, [&](ElementSet const &set) {
    omitted = omitted && context_.unread[context_.vars.of(set.var)] != 0;
  });
  return omitted;
}

POP_INLINE void VertexTables::edge(graph::VertexId id, unsigned index, std::uint64_t at) {
  codelet::Field const &field = graph_.codeletOf(id).fields[index];
  // The metadata's address follows that of the elements.
  bool const hasMetadata = graph::GraphData::hasMetadata(field);
  std::uint64_t const head = hasMetadata ? 2 * sizeof(void *) : sizeof(void *);
  auto const connect = [&](std::size_t i, std::uint64_t where, bool withSize) {
    graph::Region const region = graph_.region(id, index, i);
    std::uint64_t const elements = region.numElements();
    if (elements > 0xffffffffu && graph_.codeletOf(id).object)
      base::fail<poplar::graph_connection_error>(
          "Engine", "field '", field.name, "' of vertex '", graph_.codeletOf(id).name, "' has ",
          elements, " elements; codelets compiled by popc have 2^32 - 1 at most");
    if (elements != 0 && !isOmitted(id, index, region)) {
      writePointer(where, place(region, field));
      watch(region, field, graph_.codeletOf(id).scratch == static_cast<int>(index));
    }
    if (hasMetadata)
      writePointer(where + sizeof(void *), metadataAddress(region));
    if (withSize)
      writeSize(where + head, elements / field.lanes);
  };
  if (!field.hasManyRegions())
    return connect(0, at, field.shape != codelet::FieldShape::Scalar && hasSize(field.outer));
  bool const list = field.shape == codelet::FieldShape::VectorList;
  bool const rowsHaveSize =
      list || (field.shape == codelet::FieldShape::VectorOfVectors && hasSize(field.inner));
  std::uint64_t const rowBytes = head + (rowsHaveSize ? sizeof(void *) : 0);
  std::size_t const rows = graph_.numRegions(id, index).value_or(0);
  if (list || hasSize(field.outer))
    writeSize(at + sizeof(void *), rows);
  if (rows == 0)
    return;
  std::uint64_t const array = allocate(rows * rowBytes, STATE_ARRAY_ALIGN);
  writePointer(at, array | IN_STATES);
  for (std::size_t i = 0; i < rows; ++i)
    connect(i, array + i * rowBytes, rowsHaveSize);
}

POP_INLINE void VertexTables::stateVector(graph::VertexId id, codelet::Field const &field,
                                          unsigned index, std::uint64_t at) {
  std::span<std::byte const> const values = graph_.stateBytes(id, index);
  if (hasSize(field.outer))
    writeSize(at + sizeof(void *), values.size() / base::sizeOf(field.type) / field.lanes);
  if (values.empty())
    return;
  std::uint64_t const array =
      allocate(values.size(), std::max<std::uint64_t>(STATE_ARRAY_ALIGN, field.minAlign));
  std::copy(values.begin(), values.end(), out_.states.begin() + static_cast<std::ptrdiff_t>(array));
  writePointer(at, array | IN_STATES);
}

POP_INLINE void VertexTables::field(graph::VertexId id, unsigned index, std::uint64_t state) {
  codelet::Field const &field = graph_.codeletOf(id).fields[index];
  std::uint64_t const at = state + field.offset;
  if (field.isEdge())
    return edge(id, index, at);
  if (!field.holdsValues())
    return stateVector(id, field, index, at);
  std::span<std::byte const> const values = graph_.stateBytes(id, index);
  std::copy(values.begin(), values.end(), out_.states.begin() + static_cast<std::ptrdiff_t>(at));
}

/// The instruction set whose code runs.
POP_INLINE std::string VertexTables::isaOf(codelet::Codelet const &codelet) const {
  if (context_.options.scalarVertices && codelet.anyIsa) {
    auto const *const scalar = codelet::findInLibraries(codelet.name, isa::name(isa::Isa::Scalar));
    if (scalar && scalar->layoutHash == codelet.layoutHash)
      return scalar->isa;
  }
  return codelet.isa;
}

POP_INLINE std::uint32_t VertexTables::codelet(graph::VertexId id) {
  std::uint32_t &index = codeletIndex_[graph_.vertex(id).codelet];
  if (index == NONE) {
    index = static_cast<std::uint32_t>(out_.codelets.size());
    codelet::Codelet const &codelet = graph_.codeletOf(id);
    out_.codelets.push_back({codelet.name, isaOf(codelet), codelet.layoutHash, codelet.multi,
                             codelet.object ? object(*codelet.object) : NONE});
  }
  return index;
}

POP_INLINE std::uint32_t VertexTables::object(codelet::CodeObject const &object) {
  for (std::uint32_t i = 0; i < out_.objects.size(); ++i)
    if (out_.objects[i].digest == object.digest)
      return i;
  out_.objects.push_back(object);
  return static_cast<std::uint32_t>(out_.objects.size() - 1);
}

POP_INLINE void VertexTables::vertex(graph::VertexId id) {
  codelet::Codelet const &type = graph_.codeletOf(id);
  stagingAt_ =
      alignUp(stagingAt_, VARIABLE_ALIGN); // vertices on different threads share no cache line
  scatters_.clear();
  scatterBytes_.clear();
  watches_.clear();
  gather_ = {};
  std::uint64_t const state =
      allocate(type.stateSize, std::max<std::uint64_t>(sizeof(void *), type.stateAlign));
  VertexCall call{state, codelet(id), graph_.vertex(id).tile, NONE};
  for (unsigned index = 0; index < type.fields.size(); ++index)
    field(id, index, state);
  if (!gather_.empty() || !scatters_.empty()) {
    Staging staging{gather_, {}};
    staging.scatter.first = out_.moves.size();
    for (std::size_t i = 0; i < scatters_.size(); ++i) {
      auto const &[there, staged] = scatters_[i];
      MovePlan const plan = planMoves(out_, staged, there, scatterBytes_[i]);
      staging.scatter.count += plan.count;
      staging.scatter.totalBytes += plan.totalBytes;
    }
    call.staging = static_cast<std::uint32_t>(out_.stagings.size());
    out_.stagings.push_back(staging);
  }
  // Only now: the moves of a gather lie side by side.
  for (auto &[watched, places] : watches_) {
    watched.plan = planMoves(out_, places, base::sizeOf(watched.type));
    out_.watched.push_back(std::move(watched));
  }
  out_.calls.push_back(call);
}

POP_INLINE void VertexTables::computeSet(graph::ComputeSetId id) {
  graph::ComputeSetData const &data = graph_.computeSet(id);
  ComputeSetPlan plan;
  plan.name = data.name;
  plan.firstCall = out_.calls.size();
  plan.numCalls = data.vertices.size();
  // Compute sets run one after the other: all use the same staging memory.
  stagingAt_ = out_.stagingBegin;
  edgeBytes_ = 0;
  std::size_t const stagingsBefore = out_.stagings.size();
  plan.firstWatched = out_.watched.size();
  for (graph::VertexId vertexId : data.vertices)
    vertex(vertexId);
  stagingEnd_ = std::max(stagingEnd_, stagingAt_);
  plan.edgeBytes = edgeBytes_;
  plan.numWatched = out_.watched.size() - plan.firstWatched;
  plan.hasStaging = out_.stagings.size() != stagingsBefore;
  out_.computeSets.push_back(std::move(plan));
}

POP_INLINE void VertexTables::resolveStates() {
  for (VertexCall &call : out_.calls)
    call.state += out_.statesBegin;
  out_.relocations.resize((out_.states.size() / sizeof(std::uint64_t) + 63) / 64);
  for (std::size_t i = 0; i < out_.relocations.size(); ++i)
    for (std::uint64_t bits = out_.relocations[i]; bits != 0; bits &= bits - 1) {
      std::byte *const word =
          &out_.states[(i * 64 + static_cast<std::size_t>(__builtin_ctzll(bits))) *
                       sizeof(std::uint64_t)];
      std::uint64_t address;
      std::memcpy(&address, word, sizeof address);
      if ((address & IN_STATES) != 0)
        address = (address & ~IN_STATES) + out_.statesBegin;
      std::memcpy(word, &address, sizeof address);
    }
}

POP_INLINE void VertexTables::run() {
  stagingEnd_ = out_.stagingBegin;
  for (graph::ComputeSetId id : context_.computeSets)
    computeSet(id);
  for (VertexTypeCycles &entry : out_.bsp.byType)
    entry.codelet = codeletIndex_[entry.codelet]; // numbered as in the graph so far
  out_.numVertices = out_.calls.size();
  out_.statesBegin =
      alignUp(std::max(stagingEnd_, out_.stagingBegin + context_.copyStagingBytes), 4096);
  resolveStates();
  // Codelets may load whole vectors beyond the last element of a field.
  out_.arenaBytes =
      alignUp(out_.statesBegin + out_.states.size() + 2 * VARIABLE_ALIGN, VARIABLE_ALIGN);
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void makeVertexTables(Context &context) { detail::VertexTables(context).run(); }

} // namespace cottonwood::lower
