#pragma once

#include <popops/impl/Partition.hpp>
#include <popops/impl/RowExtremesEmit.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/impl/Math.hpp>

#include <planners/popops/RowExtremes.hpp>

#include <algorithm>

namespace cottonwood::popops::detail {

/// One compute set: each of [rows, n] is cut into pieces, of which the extremes are found.
class RowExtremesStage {
public:
  /// What is compared, and where it was in its row: an invalid tensor stands for its own place.
  struct Elements {
    Tensor values, indices;
  };

  RowExtremesStage(::poplar::Graph &graph, Elements in, bool largest, std::size_t pieces,
                   ::poplar::DebugContext const &debugContext)
      : graph_(graph), in_(std::move(in)), largest_(largest),
        each_(poputil::ceilDiv(in_.values.dim(1), pieces)),
        pieces_(poputil::ceilDiv(in_.values.dim(1), each_)),
        computeSet_(graph.addComputeSet(debugContext)) {
    std::vector<std::size_t> const shape{in_.values.dim(0), pieces_};
    out_.values = graph.addVariable(in_.values.elementType(), shape, debugContext);
    out_.indices = graph.addVariable(::poplar::UNSIGNED_INT, shape, debugContext);
  }

  /// \returns  [rows, pieces]
  Elements emit(::poplar::program::Sequence &prog, ::poplar::DebugContext const &debugContext) {
    if (rows() == 0)
      return out_;
    if (pieces_ == 1)
      emitRows();
    else
      emitPieces();
    prog.add(::poplar::program::Execute(computeSet_, debugContext));
    return out_;
  }

private:
  std::size_t rows() const { return in_.values.dim(0); }
  std::size_t columns() const { return in_.values.dim(1); }

  void emitRows() {
    for (Share const &share : rowShares())
      add(share.intervals.front(), Interval(0, columns()), 0, share.tile);
  }

  void emitPieces() {
    auto const tiles = tilesOfPieces(graph_, in_.values.subSample(static_cast<unsigned>(each_), 1));
    for (std::size_t row = 0; row != rows(); ++row)
      for (std::size_t piece = 0; piece != pieces_; ++piece)
        add(Interval(row, row + 1),
            Interval(piece * each_, std::min((piece + 1) * each_, columns())), piece,
            tiles[row * pieces_ + piece]);
  }

  std::vector<Share> rowShares() const {
    planner::Crew const crew = crewOf(graph_.getTarget());
    std::vector<Share> shares;
    if (crew.oneTile) {
      constexpr std::size_t ELEMENTS_OF_VERTEX = std::size_t{1} << 15;
      std::size_t const worth = in_.values.numElements() / ELEMENTS_OF_VERTEX;
      std::size_t const most = std::min(rows(), std::size_t{4} * crew.threads);
      appendRowShares(shares, 0, rows(), std::clamp<std::size_t>(worth, 1, most), 0);
      return shares;
    }
    auto const tiles = tilesOfPieces(graph_, in_.values.slice(0, 1, 1));
    for (std::size_t begin = 0, end = 0; begin != rows(); begin = end) {
      while (end != rows() && tiles[end] == tiles[begin])
        ++end;
      appendRowShares(shares, begin, end, crew.workers, tiles[begin]);
    }
    return shares;
  }

  void add(Interval rows, Interval columns, std::size_t piece, unsigned tile) {
    auto const part = [&](Tensor const &t) { return t.slice(rows).slice(columns, 1).flatten(); };
    auto const result = [&](Tensor const &t) {
      Tensor const here = t.slice(rows).slice(piece, piece + 1, 1).flatten();
      graph_.setTileMapping(here, tile);
      return here;
    };
    bool const merges = in_.indices.valid();
    auto const v = graph_.addVertex(
        computeSet_,
        ::poputil::templateVertex(merges ? "popops::MergeRowExtremes" : "popops::RowExtremes",
                                  in_.values.elementType()),
        {{"in", part(in_.values)},
         {"values", result(out_.values)},
         {"indices", result(out_.indices)}});
    if (merges)
      graph_.connect(v["found"], part(in_.indices));
    else
      graph_.setInitialValue(v["firstIndex"], static_cast<unsigned>(columns.begin()));
    graph_.setInitialValue(v["n"], static_cast<unsigned>(columns.size()));
    graph_.setInitialValue(v["largest"], largest_);
    graph_.setTileMapping(v, tile);
  }

  ::poplar::Graph &graph_;
  Elements in_, out_;
  bool largest_;
  std::size_t each_, pieces_;
  ::poplar::ComputeSet computeSet_;
};

} // namespace cottonwood::popops::detail

namespace cottonwood::popops {

POP_INLINE std::pair<Tensor, Tensor> emitRowExtremes(::poplar::Graph &graph, Tensor const &in,
                                                     bool largest,
                                                     ::poplar::program::Sequence &prog,
                                                     ::poplar::DebugContext const &debugContext) {
  planner::Crew const crew = crewOf(graph.getTarget());
  std::size_t const rows = in.dim(0), tiles = graph.getTarget().getNumTiles();
  detail::RowExtremesStage::Elements found{in, Tensor()};
  do {
    std::size_t const pieces = planner::planRowExtremes({rows, found.values.dim(1)}, crew, tiles);
    found = detail::RowExtremesStage(graph, found, largest, pieces, debugContext)
                .emit(prog, debugContext);
  } while (found.values.dim(1) != 1);
  return {found.values.squeeze({1}), found.indices.squeeze({1})};
}

} // namespace cottonwood::popops
