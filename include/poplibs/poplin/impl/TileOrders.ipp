#pragma once

#include <poplin/impl/TileOrders.hpp>

namespace cottonwood::poplin {

namespace detail {

/// f(begin, end, group): whole groups, and what is left as a group of its own.
template <class F> void forEachGrouping(std::size_t size, std::size_t group, F &&f) {
  std::size_t const whole = size / group * group;
  if (whole != 0)
    f(std::size_t{0}, whole, group);
  if (whole != size)
    f(whole, size, size - whole);
}

/// [first, X..., C] as [first, C / group, X..., group]; C is whole groups.
POP_INLINE Tensor splitChannels(Tensor const &t, std::size_t group) {
  unsigned const last = t.rank() - 1;
  return t.reshapePartial(last, last + 1, {t.dim(last) / group, group}).dimRoll(last, 1);
}
/// The inverse.
POP_INLINE Tensor joinChannels(Tensor const &t) {
  unsigned const last = t.rank() - 1;
  return t.dimRoll(1, last - 1).flatten(last - 1, last + 1);
}

/// [G, X..., C] as [G / groups, X..., groups, C]; G is whole groups.
POP_INLINE Tensor splitGroups(Tensor const &t, std::size_t groups) {
  Tensor const split = t.reshapePartial(0, 1, {t.dim(0) / groups, groups});
  return split.dimRoll(1, split.rank() - 2);
}
/// The inverse.
POP_INLINE Tensor joinGroups(Tensor const &t) { return t.dimRoll(t.rank() - 2, 1).flatten(0, 2); }

/// [G, N, K..., I] as [G, N / og, I / ig, K..., og, ig]; N and I are whole groups.
POP_INLINE Tensor splitWeights(Tensor const &t, std::size_t outGroup, std::size_t inGroup) {
  unsigned const last = t.rank() - 1;
  Tensor const split = t.reshapePartial(last, last + 1, {t.dim(last) / inGroup, inGroup})
                           .reshapePartial(1, 2, {t.dim(1) / outGroup, outGroup});
  // [G, N / og, og, K..., I / ig, ig]
  std::vector<unsigned> order{0, 1, last + 1};
  for (unsigned d = 3; d != last + 1; ++d)
    order.push_back(d);
  order.push_back(2);
  order.push_back(last + 2);
  return split.dimShuffle(order);
}
POP_INLINE Tensor joinWeights(Tensor const &t) {
  unsigned const rank = t.rank();
  // [G, N / og, I / ig, K..., og, ig] as [G, N / og, og, K..., I / ig, ig]
  std::vector<unsigned> order{0, 1, rank - 2};
  for (unsigned d = 3; d + 2 < rank; ++d)
    order.push_back(d);
  order.push_back(2);
  order.push_back(rank - 1);
  return t.dimShuffle(order).flatten(rank - 2, rank).flatten(1, 3);
}

/// Makes the variables that a tensor consists of. Those of 8-bit floats share metadata.
class PieceMaker {
public:
  PieceMaker(::poplar::Graph &graph, ::poplar::Type const &type,
             ::poplar::DebugContext const &debugContext)
      : graph_(graph), type_(type), debugContext_(debugContext) {}

  Tensor add(std::vector<std::size_t> const &shape) {
    if (metadata_.valid())
      return graph_.addVariable(type_, metadata_, shape, debugContext_);
    Tensor const t = graph_.addVariable(type_, shape, debugContext_);
    metadata_ = t.getMetadata();
    return t;
  }

private:
  ::poplar::Graph &graph_;
  ::poplar::Type const &type_;
  ::poplar::DebugContext const &debugContext_;
  Tensor metadata_;
};

} // namespace detail

POP_INLINE Tensor inChannelOrder(Tensor const &t, std::size_t group, std::size_t convGroup) {
  std::vector<Tensor> pieces;
  unsigned const last = t.rank() - 1;
  if (convGroup > 1) {
    detail::forEachGrouping(
        t.dim(0), convGroup, [&](std::size_t begin, std::size_t end, std::size_t groups) {
          pieces.push_back(detail::splitGroups(t.slice(begin, end, 0), groups).flatten());
        });
    return ::poplar::concat(pieces);
  }
  detail::forEachGrouping(
      t.dim(last), group, [&](std::size_t begin, std::size_t end, std::size_t channels) {
        pieces.push_back(detail::splitChannels(t.slice(begin, end, last), channels).flatten());
      });
  return ::poplar::concat(pieces);
}

POP_INLINE Tensor inWeightOrder(Tensor const &t, std::size_t outGroup, std::size_t inGroup) {
  std::vector<Tensor> pieces;
  unsigned const last = t.rank() - 1;
  detail::forEachGrouping(t.dim(1), outGroup, [&](std::size_t n0, std::size_t n1, std::size_t og) {
    detail::forEachGrouping(t.dim(last), inGroup,
                            [&](std::size_t i0, std::size_t i1, std::size_t ig) {
                              Tensor const part = t.slice(n0, n1, 1).slice(i0, i1, last);
                              pieces.push_back(detail::splitWeights(part, og, ig).flatten());
                            });
  });
  return ::poplar::concat(pieces);
}

POP_INLINE Tensor channelVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                                  std::vector<std::size_t> const &shape, std::size_t group,
                                  std::size_t convGroup,
                                  ::poplar::DebugContext const &debugContext) {
  std::vector<Tensor> parts;
  detail::PieceMaker pieces(graph, type, debugContext);
  auto const last = static_cast<unsigned>(shape.size() - 1);
  if (convGroup > 1) {
    detail::forEachGrouping(shape[0], convGroup,
                            [&](std::size_t begin, std::size_t end, std::size_t groups) {
                              std::vector<std::size_t> memory(shape);
                              memory[0] = (end - begin) / groups;
                              memory.insert(memory.end() - 1, groups);
                              parts.push_back(detail::joinGroups(pieces.add(memory)));
                            });
    return ::poplar::concat(parts, 0);
  }
  detail::forEachGrouping(shape.back(), group,
                          [&](std::size_t begin, std::size_t end, std::size_t channels) {
                            std::vector<std::size_t> memory(shape.begin(), shape.end() - 1);
                            memory.insert(memory.begin() + 1, (end - begin) / channels);
                            memory.push_back(channels);
                            parts.push_back(detail::joinChannels(pieces.add(memory)));
                          });
  return ::poplar::concat(parts, last);
}

POP_INLINE Tensor weightVariable(::poplar::Graph &graph, ::poplar::Type const &type,
                                 std::vector<std::size_t> const &shape, std::size_t outGroup,
                                 std::size_t inGroup, ::poplar::DebugContext const &debugContext) {
  std::vector<Tensor> rows;
  detail::PieceMaker pieces(graph, type, debugContext);
  auto const last = static_cast<unsigned>(shape.size() - 1);
  detail::forEachGrouping(shape[1], outGroup, [&](std::size_t n0, std::size_t n1, std::size_t og) {
    std::vector<Tensor> parts;
    detail::forEachGrouping(
        shape.back(), inGroup, [&](std::size_t i0, std::size_t i1, std::size_t ig) {
          std::vector<std::size_t> memory{shape[0], (n1 - n0) / og, (i1 - i0) / ig};
          memory.insert(memory.end(), shape.begin() + 2, shape.end() - 1);
          memory.push_back(og);
          memory.push_back(ig);
          parts.push_back(detail::joinWeights(pieces.add(memory)));
        });
    rows.push_back(::poplar::concat(parts, last));
  });
  return ::poplar::concat(rows, 1);
}

} // namespace cottonwood::poplin
