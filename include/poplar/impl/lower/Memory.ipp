// Body of assignMemory() and layOutInitialData().
#pragma once

#include <poplar/impl/base/TypeInfo.hpp>
#include <poplar/impl/lower/Memory.hpp>
#include <poplar/impl/lower/Passes.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <queue>
#include <set>

namespace cottonwood::lower::detail {

/// Memory by address: the free ranges below a growing end. A request gets the smallest range that
/// holds it.
class FreeRanges {
public:
  explicit FreeRanges(std::uint64_t begin) : end_(begin) {}

  std::uint64_t take(std::uint64_t bytes) {
    auto best = bySize_.lower_bound({bytes, 0});
    if (best == bySize_.end())
      return grow(bytes);
    auto const [size, offset] = *best;
    erase(offset);
    if (size > bytes)
      insert(offset + bytes, size - bytes);
    return offset;
  }

  void give(std::uint64_t offset, std::uint64_t bytes) {
    auto const next = byOffset_.lower_bound(offset);
    if (next != byOffset_.end() && next->first == offset + bytes) {
      bytes += next->second;
      erase(next->first);
    }
    auto const after = byOffset_.lower_bound(offset);
    if (after != byOffset_.begin()) {
      auto const before = std::prev(after);
      if (before->first + before->second == offset) {
        offset = before->first;
        bytes += before->second;
        erase(before->first);
      }
    }
    insert(offset, bytes);
  }

  std::uint64_t end() const { return end_; }

private:
  std::uint64_t grow(std::uint64_t bytes) {
    // A free range at the end grows into what is asked for.
    std::uint64_t offset = end_;
    if (!byOffset_.empty()) {
      auto const last = std::prev(byOffset_.end());
      if (last->first + last->second == end_) {
        offset = last->first;
        erase(offset);
      }
    }
    end_ = offset + bytes;
    return offset;
  }
  void insert(std::uint64_t offset, std::uint64_t bytes) {
    byOffset_.emplace(offset, bytes);
    bySize_.emplace(bytes, offset);
  }
  void erase(std::uint64_t offset) {
    auto const at = byOffset_.find(offset);
    bySize_.erase({at->second, offset});
    byOffset_.erase(at);
  }

  std::uint64_t end_;
  std::map<std::uint64_t, std::uint64_t> byOffset_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> bySize_; ///< (bytes, offset)
};

/// Addresses left free behind a variable. Hardware prefetchers that follow the rows of a matrix run
/// up to 64 KB past its end, and would take lines of the next variable from the thread that is
/// writing them: measured at 128^3 to 256^3, a matrix product on two cores without a common cache
/// was 30% slower. Pages that are never touched take no memory.
/// The gap is no whole number of pages: processors compare the last twelve bits of addresses first,
/// and where operand and result of many pages have the same ones, loads and prefetches wait for
/// stores. On Zen 4 layer norms of halves that vertices take by whole pages took 1.2 times as long.
POP_INLINE std::uint64_t gapBehind(std::uint64_t bytes) {
  constexpr std::uint64_t SMALL = 16 << 10, MOST = 64 << 10, BESIDE_PAGES = 1024 + 64;
  return bytes < SMALL ? 0 : std::min(alignDown(bytes / 4, VARIABLE_ALIGN), MOST) + BESIDE_PAGES;
}

/// Places variables in the order their lives begin; a range is free again after the life of what
/// was in it.
class Placement {
public:
  explicit Placement(Context &context) : context_(context) {}
  std::uint64_t run();

private:
  std::uint64_t bytesOf(std::size_t index) const {
    graph::Variable const &variable = context_.graph.variable(context_.vars.id(index));
    std::uint64_t const bytes =
        alignUp(std::max<std::uint64_t>(1, variable.numElements * base::sizeOf(variable.type)),
                VARIABLE_ALIGN);
    return bytes + gapBehind(bytes);
  }
  void place(std::size_t index, FreeRanges &ranges);

  Context &context_;
  using Ending = std::pair<std::uint32_t, std::size_t>; ///< (end of life, VarIndex)
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> living_;
};

POP_INLINE void Placement::place(std::size_t index, FreeRanges &ranges) {
  Lifetime const &lifetime = context_.lifetimes[index];
  while (!living_.empty() && living_.top().first < lifetime.begin) {
    std::size_t const dead = living_.top().second;
    ranges.give(context_.offsets[dead], bytesOf(dead));
    living_.pop();
  }
  context_.offsets[index] = ranges.take(bytesOf(index));
  living_.emplace(lifetime.end, index);
}

POP_INLINE std::uint64_t Placement::run() {
  std::uint64_t end = 0;
  std::vector<std::size_t> shared;
  for (std::size_t index = 0; index < context_.vars.size(); ++index) {
    if (!context_.usedVars[index])
      continue;
    if (!context_.lifetimes[index].alwaysLive && context_.lifetimes[index].used()) {
      shared.push_back(index);
      continue;
    }
    context_.offsets[index] = end;
    end += bytesOf(index);
  }
  std::stable_sort(shared.begin(), shared.end(), [&](std::size_t a, std::size_t b) {
    return context_.lifetimes[a].begin < context_.lifetimes[b].begin;
  });
  context_.out.sharedBegin = end;
  FreeRanges ranges(end);
  for (std::size_t index : shared)
    place(index, ranges);
  return ranges.end();
}

POP_INLINE void describeVariables(Context &context) {
  context.out.variables.reserve(context.vars.size());
  for (std::size_t index = 0; index < context.vars.size(); ++index) {
    if (!context.usedVars[index])
      continue;
    graph::Variable const &variable = context.graph.variable(context.vars.id(index));
    context.out.variables.push_back({variable.name, variable.type, context.offsets[index],
                                     variable.numElements * base::sizeOf(variable.type),
                                     context.lifetimes[index].alwaysLive,
                                     context.vars.isConstant(index)});
  }
}

/// `fresh`: nothing was added for these bytes before, so zeros need not be written.
POP_INLINE void addInitial(ExecutableData &out, std::uint64_t offset,
                           std::span<std::byte const> pattern, std::uint64_t repeats, bool fresh) {
  if (pattern.empty() || repeats == 0)
    return;
  if (fresh &&
      std::all_of(pattern.begin(), pattern.end(), [](std::byte b) { return b == std::byte{0}; }))
    return;
  out.initial.push_back({offset, out.blob.size(), pattern.size(), repeats});
  out.blob.insert(out.blob.end(), pattern.begin(), pattern.end());
}

} // namespace cottonwood::lower::detail

namespace cottonwood::lower {

POP_INLINE void assignMemory(Context &context) {
  context.offsets.assign(context.vars.size(), 0);
  context.out.variableBytes = detail::Placement(context).run();
  context.out.stagingBegin = context.out.variableBytes;
  detail::describeVariables(context);
}

POP_INLINE void layOutInitialData(Context &context) {
  for (std::size_t index = 0; index < context.vars.size(); ++index) {
    if (!context.usedVars[index])
      continue;
    graph::Variable const &variable = context.graph.variable(context.vars.id(index));
    std::uint64_t const size = base::sizeOf(variable.type);
    std::uint64_t const offset = context.offsets[index];
    if (context.vars.isConstant(index))
      detail::addInitial(context.out, offset, variable.value,
                         variable.splat ? variable.numElements : 1, true);
    if (variable.replicaScale != 0 && context.graph.numReplicas() > 1)
      context.out.replicaIndices.push_back({offset, variable.replicaScale});
    if (!variable.initial)
      continue;
    bool fresh = true;
    for (graph::InitialValues::Piece const &piece : variable.initial->pieces()) {
      detail::addInitial(
          context.out, offset + piece.begin * size,
          variable.initial->bytes().subspan(piece.offset, piece.splat ? size : piece.size * size),
          piece.splat ? piece.size : 1, fresh);
      fresh = false;
    }
  }
}

} // namespace cottonwood::lower
