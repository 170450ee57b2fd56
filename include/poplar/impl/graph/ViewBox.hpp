#pragma once
// Strided boxes: the affine pieces that views of tensors are made of.
//
// A box is a sequence of addresses in a source, which is a variable or a stage (see ViewNode.hpp).
// With factors (n_0, s_0) ... (n_k, s_k), the last one varying fastest, its elements are
//     offset + i_0 * s_0 + ... + i_k * s_k   for 0 <= i_j < n_j in row-major order.
// A box knows nothing of the shape of the tensor it stands for: it is the flat sequence of its
// elements. That makes every reshape free; an operation on a dimension first looks for the places
// in the factor list where the dimension begins and ends.
//
// Factor lists are canonical: no factor has size 1 and no two neighbours form one arithmetic
// progression. The list of a sequence is then unique: the last factor is the longest arithmetic
// progression at the beginning, and so on for the sequence of every n-th element. Equal sequences
// in one source have equal boxes.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/base/SmallVector.hpp>
#include <span>

namespace cottonwood::graph {

using GraphId = std::uint32_t; ///< unique in the process, 0 = none
using VarId = std::uint32_t;   ///< dense from 0 within one graph

/// Set in the VarId of a constant.
inline constexpr VarId kConstantBit = VarId{1} << 31;
inline constexpr bool isConstant(VarId var) { return (var & kConstantBit) != 0; }

class Node;
using NodePtr = std::shared_ptr<Node const>;

struct Factor {
  std::uint64_t size;
  std::int64_t stride;
  friend bool operator==(Factor const &, Factor const &) = default;

  /// Distance from the first to the last address; negative for a negative stride.
  std::int64_t reach() const { return static_cast<std::int64_t>(size - 1) * stride; }
};

using FactorSpan = std::span<Factor const>;
/// What a view stores: six factors without an allocation.
using Factors = base::SmallVector<Factor, 6>;
/// What intermediate results use, where factors may be split for a while.
using LongFactors = base::SmallVector<Factor, 16>;

struct Box {
  NodePtr node;            ///< the stage that addresses refer to; null: the variable `var`
  VarId var = 0;           ///< meaningful without a stage only
  std::int64_t offset = 0; ///< address of the first element
  Factors factors;

  std::uint64_t count() const;
};

/// One function that takes boxes; it returns false to see no more of them.
struct BoxSink {
  virtual bool operator()(Box const &box) = 0;

protected:
  ~BoxSink() = default;
};

/// Adapts a callable `bool(Box const&)`.
template <class F> struct BoxCall final : BoxSink {
  explicit BoxCall(F &function) : function_(function) {}
  bool operator()(Box const &box) override { return function_(box); }

private:
  F &function_;
};

inline std::uint64_t countOf(FactorSpan factors) {
  std::uint64_t count = 1;
  for (Factor const &f : factors)
    count *= f.size;
  return count;
}

inline std::uint64_t Box::count() const { return countOf(factors); }

/// Appends a factor that varies faster than all before it and keeps the list canonical.
template <class List> void appendFactor(List &list, std::uint64_t size, std::int64_t stride) {
  if (size == 1)
    return;
  if (!list.empty()) {
    Factor &last = list.back();
    // One merge is enough: the merged factor has the inner end's stride, so its outer neighbour
    // fits it no better than it fitted `last`.
    if (last.stride == stride * static_cast<std::int64_t>(size)) {
      last = {last.size * size, stride};
      return;
    }
  }
  list.push_back(Factor{size, stride});
}

template <class List> void appendFactors(List &list, FactorSpan factors) {
  for (Factor const &f : factors)
    appendFactor(list, f.size, f.stride);
}

/// Both read the same variable, or the same stage.
inline bool sameSource(Box const &a, Box const &b) {
  return a.node == b.node && (a.node || a.var == b.var);
}
inline bool identical(Box const &a, Box const &b) {
  return sameSource(a, b) && a.offset == b.offset && a.factors == b.factors;
}

/// A place in a factor list: all factors after `factor`, and the fastest `inside` steps of that
/// one, lie within.
struct Boundary {
  int factor;
  std::uint64_t inside;
};

/// The boundary before all factors.
inline constexpr Boundary kOutermost{-1, 1};

/// Finds the boundary within which exactly `inner` elements vary. \returns false if there is none,
/// because `inner` is not a product of trailing factors and a divisor of the next one.
inline bool findBoundary(FactorSpan factors, std::uint64_t inner, Boundary &boundary) {
  int k = static_cast<int>(factors.size()) - 1;
  for (; k >= 0 && inner != 1 && inner % factors[static_cast<std::size_t>(k)].size == 0; --k)
    inner /= factors[static_cast<std::size_t>(k)].size;
  boundary = {k, inner};
  return inner == 1 || (k >= 0 && factors[static_cast<std::size_t>(k)].size % inner == 0);
}

/// Appends the factors between two boundaries.
template <class List>
void appendSegment(List &list, FactorSpan factors, Boundary outer, Boundary inner) {
  for (int k = outer.factor < 0 ? 0 : outer.factor; k <= inner.factor; ++k) {
    Factor f = factors[static_cast<std::size_t>(k)];
    if (k == outer.factor)
      f.size = outer.inside;
    if (k == inner.factor) {
      f.size /= inner.inside;
      f.stride *= static_cast<std::int64_t>(inner.inside);
    }
    appendFactor(list, f.size, f.stride);
  }
}

/// The address, relative to the offset, of element `flat` of the sequence.
inline std::int64_t addressOf(FactorSpan factors, std::uint64_t flat) {
  std::int64_t address = 0;
  for (std::size_t k = factors.size(); k-- > 0 && flat != 0;) {
    Factor const &f = factors[k];
    address += static_cast<std::int64_t>(k == 0 ? flat : flat % f.size) * f.stride;
    flat /= f.size;
  }
  return address;
}

/// Keeps the elements [begin, end) of a sequence. \returns false if they are no box; nothing is
/// changed then.
bool keepRange(Factors &factors, std::int64_t &offset, std::uint64_t begin, std::uint64_t end);

/// Keeps the elements 0, step, 2 * step, ... of a sequence of which there are `count`. \returns
/// false if they are no box; nothing is changed then.
bool keepEvery(Factors &factors, std::uint64_t count, std::uint64_t step);

/// Cuts the elements [begin, end) of a box into at most 2 * factors - 1 boxes and hands them to
/// `sink` in order. \returns false if the sink stopped.
bool cutRange(Box const &box, std::uint64_t begin, std::uint64_t end, BoxSink &sink);

/// Reads addresses through a digit system: maps the sequence `offset`, `factors` of flat indices of
/// the sequence `lower` to the elements found there, if that is a box again. In place: afterwards
/// the addresses are relative to lower's own offset. \returns false, with nothing changed, if some
/// step carries from one digit of `lower` to another.
bool readThrough(FactorSpan lower, std::int64_t &offset, Factors &factors);

/// The same for rows of `width` addresses of which the columns [begin, end) exist: maps an address
/// to row * (end - begin) + column - begin.
bool readColumns(std::uint64_t width, std::uint64_t begin, std::uint64_t end, std::int64_t &offset,
                 Factors &factors);

/// How many of the addresses offset, offset + stride, ... (at most `count`, at least one) can be
/// read through `lower` without a carry; `mapped` becomes their distance there.
std::uint64_t stepsWithoutCarry(FactorSpan lower, std::int64_t offset, std::int64_t stride,
                                std::uint64_t count, std::int64_t &mapped);

/// True if no two elements of the sequence have the same address. Exact.
POP_API bool isInjective(FactorSpan factors);

} // namespace cottonwood::graph
