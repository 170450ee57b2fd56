#pragma once

#include <popops/impl/Partition.hpp>
#include <popops/impl/TopKEmit.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/impl/Math.hpp>

#include <codelets/popops/TopKCost.hpp>
#include <codelets/popops/TopKKernel.hpp>
#include <poplar/impl/base/Error.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

using kernels::KeyKind;
using ::poplar::DebugContext;
using ::poplar::Graph;
using ::poplar::Type;

POP_INLINE KeyKind keyKindOf(Type const &type) {
  return type == ::poplar::FLOAT  ? KeyKind::FLOAT
         : type == ::poplar::HALF ? KeyKind::HALF
         : type == ::poplar::INT  ? KeyKind::INT
                                  : KeyKind::UNSIGNED;
}

/// What all vertices of one job share.
struct TopKEmitter {
  Graph &graph;
  TopKJob const &job;
  ::poplar::program::Sequence &prog;
  DebugContext const &debugContext;
  KeyKind kind = keyKindOf(job.in.elementType());
  Type bits = kind == KeyKind::HALF ? ::poplar::UNSIGNED_SHORT : ::poplar::UNSIGNED_INT;
  Type item = job.indices ? ::poplar::UNSIGNED_LONGLONG : ::poplar::UNSIGNED_INT;
  Tensor in = job.in.reinterpret(bits);
  Tensor values = graph.addVariable(job.in.elementType(), {job.in.dim(0), job.k}, debugContext);
  Tensor indices =
      job.indices ? graph.addVariable(::poplar::UNSIGNED_INT, {job.in.dim(0), job.k}, debugContext)
                  : Tensor();

  std::size_t rows() const { return job.in.dim(0); }
  std::size_t columns() const { return job.in.dim(1); }
  planner::Crew crew() const { return crewOf(graph.getTarget()); }
  std::size_t tiles() const { return graph.getTarget().getNumTiles(); }

  std::string name(char const *vertex) const {
    return ::poputil::templateVertex(vertex, bits, item);
  }
  Tensor newItems(std::size_t n, unsigned tile) {
    Tensor const t = graph.addVariable(item, {n}, debugContext);
    graph.setTileMapping(t, tile);
    return t;
  }
  /// The results of rows [begin, end), mapped to a tile.
  Tensor valuesOf(std::size_t begin, std::size_t end, unsigned tile) {
    Tensor const t = values.slice(begin, end);
    graph.setTileMapping(t, tile);
    return t.reinterpret(bits).flatten();
  }
  Tensor indicesOf(std::size_t begin, std::size_t end, unsigned tile) {
    if (job.indices) {
      Tensor const t = indices.slice(begin, end);
      graph.setTileMapping(t, tile);
      return t.flatten();
    }
    // Vertices without indices do not touch it, but the field wants something.
    Tensor const none = graph.addVariable(::poplar::UNSIGNED_INT, {1}, debugContext);
    graph.setTileMapping(none, tile);
    return none;
  }

  void emitRows();
  void emitPieces(std::size_t pieces);
};

/// How many pieces the rows are cut into: 1 where there are rows enough to keep all threads or
/// tiles busy. Results do not depend on it.
POP_INLINE std::size_t piecesOf(TopKEmitter const &emitter) {
  std::size_t const rows = emitter.rows(), n = emitter.columns(), k = emitter.job.k;
  planner::Crew const crew = emitter.crew();
  bool const whole = kernels::sortsWhole(n, k);
  if (!crew.oneTile) {
    constexpr std::size_t SHORTEST = 512;
    std::size_t const shortest = whole ? SHORTEST : std::max(SHORTEST, 2 * k);
    return std::clamp<std::size_t>(emitter.tiles() / rows, 1,
                                   std::max<std::size_t>(n / shortest, 1));
  }
  std::size_t const shortest = std::max<std::size_t>(std::size_t(1) << 15, whole ? 0 : 4 * k);
  std::size_t pieces = 1;
  while (rows * pieces < 4 * crew.threads && rows * pieces % crew.threads != 0 &&
         n / (2 * pieces) >= shortest)
    pieces *= 2;
  return pieces;
}

/// Runs of rows for one vertex each, which runs in one worker context.
POP_INLINE std::vector<Share> topKRowShares(TopKEmitter const &emitter) {
  std::size_t const rows = emitter.rows();
  planner::Crew const crew = emitter.crew();
  std::vector<Share> shares;
  if (crew.oneTile) {
    constexpr std::uint64_t CYCLES_OF_VERTEX = 20000;
    std::uint64_t const worth =
        rows * vertices::topKCycles(emitter.columns(), emitter.job.k) / CYCLES_OF_VERTEX;
    std::size_t const most = std::min<std::size_t>(rows, std::size_t(4) * crew.threads);
    appendRowShares(shares, 0, rows, std::clamp<std::size_t>(worth, 1, most), 0);
    return shares;
  }
  auto const tiles = tilesOfPieces(emitter.graph, emitter.in.slice(0, 1, 1));
  for (std::size_t begin = 0, end = 0; begin != rows; begin = end) {
    while (end != rows && tiles[end] == tiles[begin])
      ++end;
    appendRowShares(shares, begin, end, crew.workers, tiles[begin]);
  }
  return shares;
}

POP_INLINE void TopKEmitter::emitRows() {
  auto const cs = graph.addComputeSet(debugContext);
  for (Share const &share : topKRowShares(*this)) {
    Interval const run = share.intervals.front();
    auto const v = graph.addVertex(
        cs, name("popops::TopKRows"),
        {{"in", in.slice(run).flatten()},
         {"values", valuesOf(run.begin(), run.end(), share.tile)},
         {"indices", indicesOf(run.begin(), run.end(), share.tile)},
         {"scratch", newItems(2 * kernels::topKBuffer(columns(), job.k), share.tile)}});
    graph.setInitialValue(v["n"], static_cast<unsigned>(columns()));
    graph.setInitialValue(v["k"], static_cast<unsigned>(job.k));
    graph.setInitialValue(v["kind"], static_cast<unsigned>(kind));
    graph.setInitialValue(v["descending"], job.descending);
    graph.setInitialValue(v["mirrored"], job.mirrored);
    graph.setTileMapping(v, share.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
}

/// A sorted run of one row and the tile it is on.
struct SortedRun {
  Tensor items;
  unsigned tile;
};
using RunsOfRows = std::vector<std::vector<SortedRun>>;

POP_INLINE RunsOfRows emitRuns(TopKEmitter &emitter, std::size_t pieces) {
  Graph &graph = emitter.graph;
  std::size_t const n = emitter.columns(), each = poputil::ceilDiv(n, pieces);
  pieces = poputil::ceilDiv(n, each);
  auto const tiles = tilesOfPieces(graph, emitter.in.subSample(static_cast<unsigned>(each), 1));
  RunsOfRows runs(emitter.rows());
  auto const cs = graph.addComputeSet(emitter.debugContext);
  for (std::size_t row = 0; row != runs.size(); ++row)
    for (std::size_t piece = 0; piece != pieces; ++piece) {
      std::size_t const begin = piece * each, end = std::min(begin + each, n);
      unsigned const tile = tiles[row * pieces + piece];
      std::size_t const k = std::min(emitter.job.k, end - begin);
      std::size_t const buffers = k == end - begin ? 1 : 2;
      Tensor const out = emitter.newItems(k, tile);
      auto const v = graph.addVertex(
          cs, emitter.name("popops::TopKPiece"),
          {{"in", emitter.in[row].slice(begin, end)},
           {"out", out},
           {"scratch", emitter.newItems(buffers * kernels::topKBuffer(end - begin, k), tile)}});
      graph.setInitialValue(v["n"], static_cast<unsigned>(end - begin));
      graph.setInitialValue(v["firstIndex"], static_cast<unsigned>(begin));
      graph.setInitialValue(v["kind"], static_cast<unsigned>(emitter.kind));
      graph.setInitialValue(v["descending"], emitter.job.descending);
      graph.setTileMapping(v, tile);
      runs[row].push_back({out, tile});
    }
  emitter.prog.add(::poplar::program::Execute(cs, emitter.debugContext));
  return runs;
}

/// Merges neighbours; of an odd number the last run stays.
POP_INLINE void mergeNeighbours(TopKEmitter &emitter, RunsOfRows &runs) {
  Graph &graph = emitter.graph;
  auto const cs = graph.addComputeSet(emitter.debugContext);
  for (auto &row : runs) {
    std::vector<SortedRun> merged;
    for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
      Tensor const &a = row[i].items, &b = row[i + 1].items;
      Tensor const out =
          emitter.newItems(std::min(emitter.job.k, a.numElements() + b.numElements()), row[i].tile);
      auto const v =
          graph.addVertex(cs, ::poputil::templateVertex("popops::MergeRuns", emitter.item),
                          {{"a", a}, {"b", b}, {"out", out}});
      graph.setTileMapping(v, row[i].tile);
      merged.push_back({out, row[i].tile});
    }
    if (row.size() % 2 != 0)
      merged.push_back(row.back());
    row = std::move(merged);
  }
  emitter.prog.add(::poplar::program::Execute(cs, emitter.debugContext));
}

POP_INLINE void TopKEmitter::emitPieces(std::size_t pieces) {
  RunsOfRows runs = emitRuns(*this, pieces);
  while (runs.front().size() > 1)
    mergeNeighbours(*this, runs);
  auto const cs = graph.addComputeSet(debugContext);
  for (std::size_t row = 0; row != runs.size(); ++row) {
    SortedRun const &run = runs[row].front();
    auto const v = graph.addVertex(cs, name("popops::UnpackItems"),
                                   {{"in", run.items},
                                    {"values", valuesOf(row, row + 1, run.tile)},
                                    {"indices", indicesOf(row, row + 1, run.tile)}});
    graph.setInitialValue(v["kind"], static_cast<unsigned>(kind));
    graph.setInitialValue(v["descending"], job.descending);
    graph.setInitialValue(v["mirrored"], job.mirrored);
    graph.setTileMapping(v, run.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
}

} // namespace cottonwood::popops::detail

namespace cottonwood::popops {

POP_INLINE void checkOrderedType(char const *where, char const *what, Tensor const &t) {
  if (!t.valid())
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is an invalid tensor");
  auto const type = t.elementType();
  if (type != ::poplar::FLOAT && type != ::poplar::HALF && type != ::poplar::INT &&
      type != ::poplar::UNSIGNED_INT)
    base::fail<::poputil::poplibs_error>(where, "'", what, "' is of type ", type,
                                         "; allowed: float, half, int, unsigned int");
}

POP_INLINE std::pair<Tensor, Tensor> emitTopK(::poplar::Graph &graph, TopKJob const &job,
                                              ::poplar::program::Sequence &prog,
                                              ::poplar::DebugContext const &debugContext) {
  detail::TopKEmitter emitter{graph, job, prog, debugContext};
  std::size_t const pieces = detail::piecesOf(emitter);
  if (pieces == 1)
    emitter.emitRows();
  else
    emitter.emitPieces(pieces);
  return {emitter.values, emitter.indices};
}

POP_INLINE Tensor emitGatherInRows(::poplar::Graph &graph, Tensor const &in, Tensor const &indices,
                                   ::poplar::program::Sequence &prog,
                                   ::poplar::DebugContext const &debugContext) {
  Tensor const out = graph.clone(in.elementType(), indices, debugContext);
  auto const type = graph.getTarget().getTypeSize(in.elementType()) == 2 ? ::poplar::UNSIGNED_SHORT
                                                                         : ::poplar::UNSIGNED_INT;
  auto const cs = graph.addComputeSet(debugContext);
  double const rowCycles = 4 * static_cast<double>(indices.dim(1));
  for (Share const &share : rowSharesOf(graph, indices, rowCycles)) {
    Interval const rows = share.intervals.front();
    auto const v = graph.addVertex(cs, ::poputil::templateVertex("popops::GatherInRows", type),
                                   {{"in", in.slice(rows).reinterpret(type).flatten()},
                                    {"indices", indices.slice(rows).flatten()},
                                    {"out", out.slice(rows).reinterpret(type).flatten()}});
    graph.setInitialValue(v["n"], static_cast<unsigned>(in.dim(1)));
    graph.setInitialValue(v["k"], static_cast<unsigned>(indices.dim(1)));
    graph.setTileMapping(v, share.tile);
  }
  prog.add(::poplar::program::Execute(cs, debugContext));
  return out;
}

} // namespace cottonwood::popops
