// Body of Bsp.hpp.
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Bsp.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Moves.hpp>
#include <poplar/impl/lower/StepCosts.hpp>
#include <poplar/impl/lower/TileLookup.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace cottonwood::lower::detail {

/// Books the bytes of one move with the tiles they lie on.
class CopyCosts {
public:
  CopyCosts(Context const &context, VirtualMemory const &memory, StepCosts &costs,
            std::span<MoveDim const> dims)
      : src_(context, memory), dst_(context, memory), costs_(costs), dims_(dims) {}

  void move(Move const &move) {
    nest(move.src, move.dst, move.bytes, dims_.subspan(move.firstDim, move.numDims), false);
  }
  bool exchanges() const { return exchanges_; }

private:
  static bool tileOf(TileCursor &cursor, std::uint64_t at, std::uint64_t bytes,
                     std::span<MoveDim const> dims, std::int64_t MoveDim::*stride,
                     std::uint32_t &tile) {
    std::int64_t low = 0, high = 0;
    for (MoveDim const &dim : dims) {
      std::int64_t const span = static_cast<std::int64_t>(dim.count - 1) * dim.*stride;
      (span < 0 ? low : high) += span;
    }
    return cursor.uniform(at + static_cast<std::uint64_t>(low),
                          at + static_cast<std::uint64_t>(high) + bytes, tile);
  }
  /// \param again  the bytes were sent to another tile at the same time: a multicast
  void nest(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
            std::span<MoveDim const> dims, bool again);
  void rows(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes, MoveDim const &dim,
            bool again);
  void run(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes, bool again);
  void book(std::uint32_t from, std::uint32_t to, std::uint64_t runBytes, std::uint64_t runs,
            bool again);

  TileCursor src_, dst_;
  StepCosts &costs_;
  std::span<MoveDim const> dims_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> pieces_; ///< ends and tiles of a source run
  bool exchanges_ = false;
};

POP_INLINE void CopyCosts::book(std::uint32_t from, std::uint32_t to, std::uint64_t runBytes,
                                std::uint64_t runs, bool again) {
  if (from != to) {
    exchanges_ = true;
    costs_.send(from, to, runBytes * runs, runs, again);
    return;
  }
  StepCosts::Entry &entry = costs_.at(to);
  if (entry.cycles == 0)
    entry.cycles = static_cast<double>(cost::COPY_START);
  entry.cycles += static_cast<double>(runBytes * runs) * cost::copyCyclesPerByte(runBytes);
}

POP_INLINE void CopyCosts::nest(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                                std::span<MoveDim const> dims, bool again) {
  std::uint32_t from = 0, to = 0;
  if (tileOf(src_, src, bytes, dims, &MoveDim::srcStride, from) &&
      tileOf(dst_, dst, bytes, dims, &MoveDim::dstStride, to)) {
    std::uint64_t runs = 1;
    for (MoveDim const &dim : dims)
      runs *= dim.count;
    return book(from, to, bytes, runs, again);
  }
  if (dims.empty())
    return run(src, dst, bytes, again);
  if (dims.size() == 1)
    return rows(src, dst, bytes, dims[0], again);
  for (std::uint64_t i = 0; i < dims[0].count; ++i)
    nest(src + i * static_cast<std::uint64_t>(dims[0].srcStride),
         dst + i * static_cast<std::uint64_t>(dims[0].dstStride), bytes, dims.subspan(1),
         again || (i > 0 && dims[0].srcStride == 0));
}

/// The innermost loop: neighbouring rows between the same tiles are booked together.
POP_INLINE void CopyCosts::rows(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                                MoveDim const &dim, bool again) {
  std::uint32_t lastFrom = 0, lastTo = 0;
  std::uint64_t same = 0; // rows between these
  bool sent = false;      // some tile has the words; those of a broadcast are the same in each row
  auto const isAgain = [&] { return again || (sent && dim.srcStride == 0); };
  auto const flush = [&] {
    if (same == 0)
      return;
    book(lastFrom, lastTo, bytes, same, isAgain());
    same = 0;
    sent = true;
  };
  for (std::uint64_t i = 0; i < dim.count; ++i) {
    std::uint32_t from = 0, to = 0;
    if (!src_.uniform(src, src + bytes, from) || !dst_.uniform(dst, dst + bytes, to)) {
      flush();
      run(src, dst, bytes, isAgain());
      sent = true;
    } else {
      if (from != lastFrom || to != lastTo)
        flush();
      lastFrom = from, lastTo = to;
      ++same;
    }
    src += static_cast<std::uint64_t>(dim.srcStride);
    dst += static_cast<std::uint64_t>(dim.dstStride);
  }
  flush();
}

/// One run over several tiles: cut where the tile of either end changes.
POP_INLINE void CopyCosts::run(std::uint64_t src, std::uint64_t dst, std::uint64_t bytes,
                               bool again) {
  pieces_.clear();
  src_.forEach(src, bytes,
               [&](std::uint64_t end, std::uint32_t tile) { pieces_.emplace_back(end, tile); });
  auto piece = pieces_.begin();
  std::uint64_t at = 0;
  dst_.forEach(dst, bytes, [&](std::uint64_t end, std::uint32_t tile) {
    while (at < end) {
      std::uint64_t const to = std::min(end, piece->first);
      book(piece->second, tile, to - at, 1, again);
      at = to;
      if (at == piece->first)
        ++piece;
    }
  });
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

POP_INLINE std::size_t VirtualMemory::variableAt(std::uint64_t address) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), address) -
                                  starts_.begin() - 1);
}

POP_INLINE void TileCursor::seek(std::uint64_t at) {
  if (variable_ && at >= begin_ && at < end_)
    return;
  std::size_t const index = memory_.variableAt(at);
  variable_ = &context_.graph.variable(context_.vars.id(index));
  tiles_.emplace(variable_->tiles);
  size_ = base::sizeOf(variable_->type);
  begin_ = memory_.addressOf(index);
  end_ = begin_ + variable_->numElements * size_;
}

POP_INLINE std::uint32_t addCopyStep(Context &context, graph::View const &src,
                                     graph::View const &dst, std::string_view name) {
  if (!detail::isTiled(context))
    return NONE;
  if (!context.virtualMemory)
    context.virtualMemory = std::make_shared<VirtualMemory>(context.graph);
  ExecutableData scratch;
  auto const place = [&](graph::VarId var) {
    return context.virtualMemory->addressOf(context.vars.of(var));
  };
  planMoves(scratch, layoutsOf(src, dst, place, place), base::sizeOf(src.type()));
  detail::StepCosts costs(context);
  detail::CopyCosts copy(context, *context.virtualMemory, costs, scratch.moveDims);
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
