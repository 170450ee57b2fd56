#pragma once

#include <planners/popops/Slice.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/impl/Partition.hpp>
#include <popops/impl/SliceEmit.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>
#include <poputil/impl/ReadBeforeWrites.hpp>

#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops {

namespace detail {

using ::poplar::ComputeSet;
using ::poplar::Graph;
using ::poplar::Type;

/// A job in the form of the vertices.
struct SliceArrays {
  Tensor table;            ///< [outer, size, inner]
  Tensor slices;           ///< [N, outer, sliceRows, inner]
  Tensor offsets;          ///< [N]
  bool outerFirst = false; ///< slices lie in memory as [outer, N, sliceRows, inner]
};

/// The rows of one vertex, and of how many.
struct SliceRows {
  std::size_t begin, rows, size;
};

/// The order of dimensions in which the vertices see a table: on one tile that of memory, so that
/// fields are contiguous; on several the sliced dimension first.
POP_INLINE std::vector<unsigned> arrayOrder(Graph const &graph, Tensor const &table,
                                            std::size_t dim) {
  return isOneTile(graph) ? memoryOrder(table) : rowsFirst(table.rank(), {dim});
}

struct SplitShape {
  std::size_t outer = 1, inner = 1;
};
POP_INLINE SplitShape splitAt(Sizes const &shape, std::vector<unsigned> const &order,
                              std::size_t dim) {
  SplitShape split;
  bool before = true;
  for (unsigned d : order) {
    if (d == dim)
      before = false;
    else
      (before ? split.outer : split.inner) *= shape[d];
  }
  return split;
}

POP_INLINE SliceArrays arraysOf(Graph const &graph, SliceJob const &job) {
  auto const order = arrayOrder(graph, job.table, job.dim);
  SplitShape const split = splitAt(job.table.shape(), order, job.dim);
  auto const dim = static_cast<unsigned>(job.dim);
  SliceArrays arrays;
  arrays.table =
      job.table.dimShuffle(order).reshape({split.outer, job.table.dim(dim), split.inner});
  arrays.slices =
      job.slices.dimShuffle(behindFirst(order))
          .reshape({job.slices.dim(0), split.outer, job.slices.dim(dim + 1), split.inner});
  arrays.offsets = job.offsets.flatten();
  arrays.outerFirst = job.gathered && isOneTile(graph);
  return arrays;
}

/// A vertex for arrays of the shapes of SliceArrays, `rows` being those that `table` has.
POP_INLINE ::poplar::VertexRef addSliceVertex(Graph &graph, ComputeSet cs, std::string const &name,
                                              SliceArrays const &arrays, SliceRows const &rows,
                                              unsigned flags, unsigned tile) {
  Tensor const slices = arrays.outerFirst ? arrays.slices.dimShuffle({1, 0, 2, 3}) : arrays.slices;
  auto const v = graph.addVertex(cs, name,
                                 {{"base", arrays.table.flatten()},
                                  {"offsets", arrays.offsets},
                                  {"slices", slices.flatten()}});
  auto const set = [&](char const *field, std::size_t value) {
    if (value > 0xffffffffU)
      base::fail<::poputil::poplibs_error>("popops: a slice", "'", field, "' is ", value,
                                           "; dimensions must be below 4294967296");
    graph.setInitialValue(v[field], static_cast<unsigned>(value));
  };
  set("outer", arrays.table.dim(0));
  set("rows", rows.rows);
  set("begin", rows.begin);
  set("size", rows.size);
  set("sliceRows", arrays.slices.dim(2));
  set("inner", arrays.table.dim(2));
  set("flags", flags | (arrays.outerFirst ? 4U : 0U));
  graph.setTileMapping(v, tile);
  return v;
}

/// Lookups n of [begin, end).
POP_INLINE SliceArrays lookupsOf(SliceArrays const &arrays, Interval const &lookups) {
  return {arrays.table, arrays.slices.slice(lookups), arrays.offsets.slice(lookups),
          arrays.outerFirst};
}

/// At most `parts` ranges of [0, n) of about the same size.
POP_INLINE std::vector<Interval> ranges(std::size_t n, std::size_t parts) {
  std::vector<Interval> list;
  std::size_t const each = poputil::ceilDiv(n, std::max<std::size_t>(1, parts));
  for (std::size_t begin = 0; begin < n; begin += each)
    list.emplace_back(begin, std::min(begin + each, n));
  return list;
}

/// Vertices of one job among several where all data is on one tile.
POP_INLINE std::size_t vertexParts(Graph const &graph, SliceArrays const &arrays,
                                   std::size_t jobs) {
  planner::ElementWiseProblem problem;
  problem.elements = arrays.slices.numElements() * jobs;
  return poputil::ceilDiv(planner::planElementWise(problem, crewOf(graph.getTarget())).parts, jobs);
}

/// What lookups and updates of several jobs have in common.
class SliceEmitter {
public:
  SliceEmitter(Graph &graph, SliceWay const &way, ::poplar::DebugContext const &debugContext)
      : graph_(graph), way_(way), debug_(debugContext) {}

  void lookups(std::vector<SliceJob> const &jobs, ::poplar::program::Sequence &prog) {
    std::vector<SliceArrays> arrays;
    for (SliceJob const &job : jobs) {
      SliceArrays job_ = arraysOf(graph_, job);
      Type const type = bytesType(graph_, job_.table.elementType());
      job_.table = job_.table.reinterpret(type);
      job_.slices = job_.slices.reinterpret(type);
      if (!isOneTile(graph_) && !way_.isPlanned && isScattered(job_))
        gatherTable(job_, prog);
      arrays.push_back(std::move(job_));
    }
    forChunks(arrays, prog, [&](SliceArrays const &chunk, std::size_t job) {
      if (isOneTile(graph_))
        wholeLookup(chunk, jobs.size());
      else
        spreadLookup(chunk, gridAt(job, chunk.table[0]));
    });
  }

  void updates(std::vector<SliceJob> const &jobs, SliceCombination const &combination,
               ::poplar::program::Sequence &prog) {
    std::vector<SliceArrays> arrays;
    for (SliceJob const &job : jobs) {
      SliceArrays job_ = arraysOf(graph_, job);
      Type const type = job_.table.elementType();
      if (!combination.op) {
        job_.table = job_.table.reinterpret(bytesType(graph_, type));
        job_.slices = job_.slices.reinterpret(bytesType(graph_, type));
      }
      arrays.push_back(std::move(job_));
    }
    forChunks(arrays, prog, [&](SliceArrays const &chunk, std::size_t job) {
      if (isOneTile(graph_))
        wholeUpdate(chunk, combination, jobs.size());
      else
        spreadUpdate(chunk, gridAt(job, chunk.table[0]), combination);
    });
  }

private:
  /// Whether so many tiles hold rows, and so many rows are looked up, that it is cheaper to lay out
  /// the table anew: a copy takes in size / tiles rows a tile, adding up answers all lookups.
  bool isScattered(SliceArrays const &job) const {
    std::size_t const size = job.table.dim(1);
    std::size_t const looked = job.slices.dim(0) * job.slices.dim(2);
    if (looked * graph_.getTarget().getNumTiles() <= size)
      return false;
    return gridOf(graph_, job.table[0]).rowParts > planner::detail::SLICE_FAN_IN;
  }

  void gatherTable(SliceArrays &job, ::poplar::program::Sequence &prog) {
    Tensor const matrix = job.table[0];
    auto const plan = ::popops::embedding::plan(
        graph_, matrix.elementType(), matrix.dim(0), matrix.dim(1),
        {job.slices.dim(0) * job.slices.dim(2)}, {{"usedForUpdate", "false"}});
    Tensor const table = ::popops::createSliceableTensor(
        graph_, matrix.elementType(), matrix.shape(), {0}, {1}, plan, {}, debug_);
    prog.add(::poplar::program::Copy(matrix, table, false, debug_));
    job.table = table.expand({0});
  }

  /// Runs the lookups in way_.serialSplit steps, each of them the same stages of vertices.
  template <class Emit>
  void forChunks(std::vector<SliceArrays> const &jobs, ::poplar::program::Sequence &prog,
                 Emit const &emit) {
    std::size_t const lookups = jobs.empty() ? 0 : jobs.front().offsets.numElements();
    for (Interval const &chunk : ranges(lookups, jobs.empty() ? 1 : steps(jobs.front()))) {
      stages_.clear();
      for (std::size_t j = 0; j != jobs.size(); ++j)
        emit(lookupsOf(jobs[j], chunk), j);
      for (ComputeSet const &cs : stages_)
        prog.add(::poplar::program::Execute(cs, debug_));
      for (auto const &[from, to] : copies_)
        prog.add(::poplar::program::Copy(from, to, false, debug_));
      copies_.clear();
    }
  }

  /// As planned; without a plan as many as keep the rows that a tile takes in below a quarter of
  /// its memory.
  std::size_t steps(SliceArrays const &arrays) {
    if (isOneTile(graph_) || way_.serialSplit > 1)
      return isOneTile(graph_) ? 1 : way_.serialSplit;
    SliceGrid const &grid = gridAt(0, arrays.table[0]);
    std::size_t const bytes = arrays.slices.numElements() / grid.columnParts *
                              graph_.getTarget().getTypeSize(arrays.slices.elementType());
    std::size_t const share = graph_.getTarget().getBytesPerTile() / 4;
    return grid.rowParts == 1 ? 1 : poputil::ceilDiv(bytes, std::max<std::size_t>(1, share));
  }

  ComputeSet stage(std::size_t i) {
    while (stages_.size() <= i)
      stages_.push_back(graph_.addComputeSet(debug_));
    return stages_[i];
  }

  SliceGrid const &gridAt(std::size_t job, Tensor const &matrix) {
    if (grids_.size() <= job)
      grids_.push_back(gridOf(graph_, matrix));
    return grids_[job];
  }

  std::string vertexName(char const *name, SliceArrays const &arrays) const {
    return ::poputil::templateVertex(name, arrays.table.elementType());
  }

  // On one tile

  void wholeLookup(SliceArrays const &arrays, std::size_t jobs) {
    std::size_t const size = arrays.table.dim(1);
    std::size_t const parts = vertexParts(graph_, arrays, jobs);
    if (arrays.outerFirst && arrays.table.dim(0) > 1) {
      for (Interval const &outer : ranges(arrays.table.dim(0), parts))
        addSliceVertex(
            graph_, stage(0), vertexName("popops::MultiSlice", arrays),
            {arrays.table.slice(outer), arrays.slices.slice(outer, 1), arrays.offsets, true},
            {0, size, size}, way_.flags, 0);
      return;
    }
    for (Interval const &part : ranges(arrays.offsets.numElements(), parts))
      addSliceVertex(graph_, stage(0), vertexName("popops::MultiSlice", arrays),
                     lookupsOf(arrays, part), {0, size, size}, way_.flags, 0);
  }

  void wholeUpdate(SliceArrays const &arrays, SliceCombination const &combination,
                   std::size_t jobs) {
    std::size_t const size = arrays.table.dim(1);
    // Parts of the rows are contiguous only where there is nothing outside.
    std::size_t const parts =
        arrays.table.dim(0) == 1 ? vertexParts(graph_, arrays, jobs) : std::size_t(1);
    for (Interval const &rows : ranges(size, parts))
      addUpdate({arrays.table.slice(rows, 1), arrays.slices, arrays.offsets, false},
                {rows.begin(), rows.size(), size}, combination, 0);
  }

  void addUpdate(SliceArrays const &arrays, SliceRows const &rows,
                 SliceCombination const &combination, unsigned tile) {
    auto const v = addSliceVertex(
        graph_, stage(0),
        vertexName(combination.op ? "popops::MultiUpdateOp" : "popops::MultiUpdate", arrays),
        arrays, rows, way_.flags, tile);
    if (!combination.op)
      return;
    graph_.setInitialValue(v["op"], static_cast<unsigned>(*combination.op));
    if (combination.scale.valid())
      graph_.connect(v["scale"], combination.scale.reshape({}));
    else if (arrays.table.elementType().isFloatingPoint())
      graph_.connect(v["scale"], 1.0F);
    else if (arrays.table.elementType() == ::poplar::INT)
      graph_.connect(v["scale"], 1);
    else
      graph_.connect(v["scale"], 1U);
  }

  // Over tiles: tables are [1, size, columns]

  /// The columns of a cell, of a tensor whose last dimension is the columns.
  static Tensor columnsOf(Tensor const &t, SliceCell const &cell) {
    unsigned const last = t.rank() - 1;
    if (cell.columns.size() == 1)
      return t.slice(cell.columns.front(), last);
    return ::poplar::concat(t.slices(cell.columns, last), last);
  }

  /// The vertices that look up what a cell holds, which share the lookups.
  void addLookups(SliceArrays const &arrays, SliceCell const &cell, Tensor const &slices) {
    unsigned const tiles = graph_.getTarget().getNumTiles();
    SliceArrays const cellArrays{columnsOf(arrays.table.slice(cell.rows, 1), cell), slices,
                                 arrays.offsets, false};
    unsigned tile = cell.tile;
    for (Interval const &part : ranges(arrays.offsets.numElements(), way_.parallelSplit)) {
      addSliceVertex(
          graph_, stage(0), vertexName("popops::MultiSlice", arrays), lookupsOf(cellArrays, part),
          {cell.rows.begin(), cell.rows.size(), arrays.table.dim(1)}, way_.flags, tile % tiles);
      ++tile;
    }
  }

  void spreadLookup(SliceArrays const &arrays, SliceGrid const &grid) {
    if (grid.rowParts == 1) {
      for (SliceCell const &cell : grid.cells)
        addLookups(arrays, cell, columnsOf(arrays.slices, cell));
      return;
    }
    // Every part of the rows answers with its rows, and zeros for those of others. The tiles of
    // a part of the columns add up its answers.
    for (std::size_t c = 0; c != grid.columnParts; ++c) {
      std::vector<Answer> answers;
      for (std::size_t p = 0; p != grid.rowParts; ++p) {
        SliceCell const &cell = grid.cells[p * grid.columnParts + c];
        answers.push_back({makeAnswer(arrays, cell), {cell.tile}});
        addLookups(arrays, cell, answers.back().t);
      }
      Tensor const out = columnsOf(arrays.slices, grid.cells[c]);
      bool const inPlace = isContiguousIn(out, answers.size());
      Tensor const sum = inPlace ? out : graph_.addVariable(out.elementType(), out.shape(), debug_);
      combine(std::move(answers), sum.flatten(), !inPlace);
      if (!inPlace)
        copies_.emplace_back(sum, out);
    }
  }

  /// Answers of vertices or sums of them, and the tiles that they are on.
  struct Answer {
    Tensor t;
    std::vector<unsigned> tiles;
  };

  /// Whether the parts of `out` that `tiles` tiles compute are contiguous.
  static bool isContiguousIn(Tensor const &out, std::size_t tiles) {
    Tensor const flat = out.flatten();
    for (ColumnPiece const &piece :
         evenPieces(flat.numElements(), ANSWER_GRAIN, static_cast<unsigned>(tiles), 0))
      if (!flat.slice(piece.columns).isContiguous())
        return false;
    return true;
  }

  Tensor makeAnswer(SliceArrays const &arrays, SliceCell const &cell) {
    std::size_t width = 0;
    for (Interval const &interval : cell.columns)
      width += interval.size();
    Tensor const t =
        graph_.addVariable(arrays.slices.elementType(),
                           {arrays.slices.dim(0), 1, arrays.slices.dim(2), width}, debug_);
    unsigned const tiles = graph_.getTarget().getNumTiles();
    unsigned tile = cell.tile;
    for (Interval const &part : ranges(arrays.slices.dim(0), way_.parallelSplit))
      graph_.setTileMapping(t.slice(part), tile++ % tiles);
    return t;
  }

  /// out = the sum of all answers, of which at most one is not 0 in each element; in steps that
  /// take in a few answers each, by the tiles that hold these.
  void combine(std::vector<Answer> answers, Tensor const &out, bool map) {
    std::size_t level = 1;
    for (; answers.size() > planner::detail::SLICE_FAN_IN; ++level) {
      std::size_t const groups = poputil::ceilDiv(answers.size(), planner::detail::SLICE_FAN_IN);
      std::vector<Answer> sums;
      for (Interval const &group : ranges(answers.size(), groups)) {
        std::vector<Answer> const members(
            answers.begin() + static_cast<std::ptrdiff_t>(group.begin()),
            answers.begin() + static_cast<std::ptrdiff_t>(group.end()));
        Answer sum;
        sum.t = graph_.addVariable(out.elementType(), out.shape(), debug_);
        sum.tiles = addSums(members, sum.t, true, level);
        sums.push_back(std::move(sum));
      }
      answers = std::move(sums);
    }
    addSums(answers, out, map, level);
  }

  /// \returns the tiles of the answers, each of which does its share
  std::vector<unsigned> addSums(std::vector<Answer> const &answers, Tensor const &out, bool map,
                                std::size_t level) {
    std::vector<unsigned> tiles;
    for (Answer const &answer : answers)
      tiles.insert(tiles.end(), answer.tiles.begin(), answer.tiles.end());
    for (ColumnPiece const &piece :
         evenPieces(out.numElements(), ANSWER_GRAIN, static_cast<unsigned>(tiles.size()), 0)) {
      std::vector<Tensor> in;
      for (Answer const &answer : answers)
        in.push_back(answer.t.flatten().slice(piece.columns));
      Tensor const part = out.slice(piece.columns);
      auto const v = graph_.addVertex(
          stage(level), ::poputil::templateVertex("popops::CombineSlices", out.elementType()),
          {{"in", ::poplar::concat(in)}, {"out", part}});
      graph_.setInitialValue(v["parts"], static_cast<unsigned>(answers.size()));
      graph_.setTileMapping(v, tiles[piece.tile]);
      if (map)
        graph_.setTileMapping(part, tiles[piece.tile]);
    }
    return tiles;
  }

  void spreadUpdate(SliceArrays const &arrays, SliceGrid const &grid,
                    SliceCombination const &combination) {
    for (SliceCell const &cell : grid.cells)
      addUpdate({columnsOf(arrays.table.slice(cell.rows, 1), cell), columnsOf(arrays.slices, cell),
                 arrays.offsets},
                {cell.rows.begin(), cell.rows.size(), arrays.table.dim(1)}, combination, cell.tile);
  }

  Graph &graph_;
  SliceWay way_;
  ::poplar::DebugContext debug_;
  std::vector<ComputeSet> stages_;
  std::vector<std::pair<Tensor, Tensor>> copies_; ///< behind the stages
  std::vector<SliceGrid> grids_;
};

POP_INLINE bool isNothing(SliceJob const &job) {
  return job.slices.numElements() == 0 || job.table.numElements() == 0;
}

} // namespace detail

POP_INLINE void emitLookups(::poplar::Graph &graph, std::vector<SliceJob> const &jobs,
                            SliceWay const &way, ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext) {
  if (jobs.empty() || detail::isNothing(jobs.front()))
    return;
  detail::SliceEmitter(graph, way, debugContext).lookups(jobs, prog);
}

POP_INLINE void emitUpdates(::poplar::Graph &graph, std::vector<SliceJob> jobs,
                            SliceCombination combination, SliceWay const &way,
                            ::poplar::program::Sequence &prog,
                            ::poplar::DebugContext const &debugContext) {
  if (jobs.empty() || detail::isNothing(jobs.front()))
    return;
  std::vector<::poplar::Tensor> tables;
  for (SliceJob const &job : jobs)
    tables.push_back(job.table.flatten());
  ::poplar::Tensor const written = ::poplar::concat(tables);
  for (SliceJob &job : jobs)
    poputil::readBeforeWrites(graph, {&job.slices, &job.offsets}, written, prog, debugContext);
  poputil::readBeforeWrites(graph, {&combination.scale}, written, prog, debugContext);
  detail::SliceEmitter(graph, way, debugContext).updates(jobs, combination, prog);
}

} // namespace cottonwood::popops
