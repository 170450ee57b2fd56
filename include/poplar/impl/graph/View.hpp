#pragma once
// The view algebra: what a poplar::Tensor is.
//
// A view is a shape and the sequence of locations (variable, element offset) of its elements in
// row-major order. The sequence is one strided box (ViewBox.hpp) over a variable, or over a stage
// (ViewNode.hpp): an immutable, shared list of boxes. Most views are one box, which is stored
// inside the View: up to rank 6 they allocate nothing.
//
//   reshape                       changes the shape only
//   index, slice, reverse, ...    find the dimension in the factors of the box and change those;
//   O(rank) a dimension that is no run of factors (a reshape across permuted dimensions)
//                                 the sequence becomes a stage first: one box, addressed by flat
//                                 index
//   concat                        one stage; neighbours that form one box are merged, and stages
//   are taken over an index or slice of a stage  descends into the piece that it lies in: O(log
//   pieces)
//
// No operation or query costs time or memory per element; those that are lists of runs cost per
// run.

#include <optional>
#include <poplar/Type.hpp>
#include <poplar/impl/graph/ViewBox.hpp>
#include <poplar/impl/graph/ViewBuilder.hpp>
#include <poplar/impl/graph/ViewNode.hpp>
#include <poplar/impl/graph/ViewWalk.hpp>
#include <span>
#include <type_traits>
#include <utility>

namespace poplar {
class Tensor;
}

namespace cottonwood::graph {

/// Names the tensor of format and scale that belongs to QUARTER elements: see GraphData::metadata.
using MetadataId = std::uint32_t;
inline constexpr MetadataId kNoMetadata = 0;
inline constexpr unsigned METADATA_BITS = 24;
inline constexpr MetadataId kMaxMetadata = (MetadataId{1} << METADATA_BITS) - 1;

using Shape = base::SmallVector<std::size_t, 6>;
using ShapeSpan = std::span<std::size_t const>;

/// The elements begin, begin + 1, ... of a variable, in this order.
struct Run {
  VarId var;
  std::uint64_t begin, size;
  friend bool operator==(Run const &, Run const &) = default;
};

/// The elements offset + sum i_k * strides[k] of a variable, i row-major below `sizes`. There is at
/// least one dimension, no size is 0, and no two neighbouring dimensions could be one.
struct StridedBlock {
  VarId var;
  std::uint64_t offset;
  std::span<std::uint64_t const> sizes;
  std::span<std::int64_t const> strides;
};

class POP_API View {
public:
  using Location = graph::Location;

  /// The invalid view. All members but valid(), copying and comparing need a valid one.
  View() = default;
  View(View const &) = default;
  View &operator=(View const &) = default;
  /// A moved-from view is invalid.
  View(View &&other) noexcept;
  View &operator=(View &&other) noexcept;
  ~View() = default;

  /// All of a variable in declared order.
  /// \throws poplar::tensor_creation_error  the shape has 2^63 elements or more.
  static View whole(GraphId graph, VarId var, poplar::Type type, ShapeSpan shape,
                    MetadataId metadata = kNoMetadata);

  /// The elements of a block of a variable in flat order, of rank 1.
  static View ofBlock(GraphId graph, poplar::Type type, StridedBlock const &block,
                      MetadataId metadata = kNoMetadata);

  bool valid() const { return graph_ != 0; }
  GraphId graph() const { return graph_; }
  poplar::Type type() const { return type_; }
  /// Of QUARTER elements, which all views of their variable share.
  MetadataId metadata() const { return metadata_; }
  ShapeSpan shape() const { return shape_; }
  std::uint64_t numElements() const { return count_; }
  unsigned rank() const { return static_cast<unsigned>(shape_.size()); }

  // Operations. Each returns a new view of the same locations. `in` is this view, s its shape.
  // \throws poplar::poplar_error or a class derived from it, with the values in its text, before
  // anything changes.

  /// out[j...] = in[i, j...]
  View index(std::uint64_t i) const;
  /// out[.., i, ..] = in[.., begin + i, ..] at dimension `dim`; s[dim] becomes end - begin.
  View slice(std::uint64_t begin, std::uint64_t end, unsigned dim) const;
  /// Same elements in row-major order; the number of elements must not change.
  View reshape(ShapeSpan shape) const;
  /// Dimension k of the result is dimension permutation[k].
  View dimShuffle(std::span<unsigned const> permutation) const;
  /// out[.., i, ..] = in[.., i mod s[dim], ..]; s[dim] becomes s[dim] * n.
  View broadcast(std::uint64_t n, unsigned dim) const;
  /// out[.., i, ..] = in[.., s[dim] - 1 - i, ..]
  View reverse(unsigned dim) const;
  /// out[.., i, ..] = in[.., i * step, ..]; s[dim] becomes ceil(s[dim] / step).
  View subSample(std::uint64_t step, unsigned dim) const;
  /// out[.., i, ..] = in[.., floor(i / scale), ..]; s[dim] becomes s[dim] * scale.
  View upsample(std::uint64_t scale, unsigned dim) const;
  /// The same bits read as elements of another type of the same size; QUARTER only from itself.
  View reinterpret(poplar::Type type) const;
  /// The views one after another along dimension `dim`, in which alone they may differ.
  static View concat(std::span<View const> views, unsigned dim);
  /// The same for views that lie in other objects: `get(i)` is the i-th of `n` views.
  template <class Get> static View concat(std::size_t n, Get const &get, unsigned dim);

  // Queries.

  /// All locations lie in one variable, each right behind the one before it; also true for 0
  /// elements.
  bool isContiguous() const;
  /// Some location occurs twice.
  bool containsAliases() const;
  /// Some location lies in a constant.
  bool containsConstant() const;
  bool isParallelWriteable() const { return !containsConstant() && !containsAliases(); }
  /// Some location of this view is one of `other`.
  bool intersectsWith(View const &other) const;
  /// Equal type, shape and sequence of locations; invalid views are equal.
  friend bool operator==(View const &a, View const &b) { return a.equals(b); }

  /// The whole view as one run, if it is one and has elements. O(1) for one box.
  std::optional<Run> asRun() const;
  /// Where element number `flatIndex` in row-major order lies. O(stages * log pieces).
  Location locate(std::uint64_t flatIndex) const;
  /// Calls f(Run) for the maximal runs in flat order. If f returns bool, false ends the loop.
  template <class F> void forEachRun(F &&f) const;
  /// Calls f(StridedBlock) for blocks that together are the view in flat order. If f returns bool,
  /// false ends the loop.
  template <class F> void forEachBlock(F &&f) const;
  /// Calls f(StridedBlock) for blocks that together show every location of the view, in any order;
  /// fewer blocks than in flat order, where stages are involved. Repetitions by strides of 0 are
  /// left out. If f returns bool, false ends the loop. \returns true if no repetitions were left
  /// out: a location is shown as often as it occurs
  template <class F> bool forEachBlockUnordered(F &&f) const;

  /// How the view is stored, for tests and dumps. Not meaningful for 0 elements.
  Box const &box() const { return box_; }

private:
  class Concatenation;

  /// A view with the same graph and type, and no locations yet.
  View sibling(ShapeSpan shape, char const *where) const;
  View sibling(unsigned dim, std::uint64_t size, char const *where) const;
  void setBox(Box box);
  void requireValid(char const *where) const;
  void requireDim(char const *where, unsigned dim) const;
  bool equals(View const &other) const;

  GraphId graph_ = 0;
  poplar::Type type_;
  MetadataId metadata_ : METADATA_BITS = kNoMetadata; ///< fits beside the type
  std::uint64_t count_ = 0;
  Shape shape_;
  Box box_; ///< not meaningful for 0 elements
};

/// The view inside a tensor.
POP_API View const &viewOf(poplar::Tensor const &tensor);
POP_API poplar::Tensor makeTensor(View view);

namespace viewdetail {

/// f's result as "go on".
template <class F, class A> bool goesOn(F &f, A const &argument) {
  if constexpr (std::is_same_v<std::invoke_result_t<F &, A const &>, bool>) {
    return f(argument);
  } else {
    f(argument);
    return true;
  }
}

/// Joins runs that follow each other before it hands them on.
template <class F> class RunMerger {
public:
  explicit RunMerger(F &f) : f_(f) {}
  bool add(VarId var, std::uint64_t begin, std::uint64_t size) {
    if (run_.var == var && run_.begin + run_.size == begin) {
      run_.size += size;
      return true;
    }
    bool const goOn = flush();
    run_ = {var, begin, size};
    return goOn;
  }
  bool flush() { return run_.size == 0 || goesOn(f_, std::exchange(run_, Run{0, 0, 0})); }

private:
  F &f_;
  Run run_{0, 0, 0};
};

/// Adds the runs of a box over a variable: an odometer over all factors but the last.
template <class F> bool addRuns(Box const &box, RunMerger<F> &merger) {
  std::size_t const numFactors = box.factors.size();
  Factor const last = numFactors == 0 ? Factor{1, 1} : box.factors[numFactors - 1];
  base::SmallVector<std::uint64_t, 8> digits(numFactors == 0 ? 0 : numFactors - 1);
  std::int64_t at = box.offset;
  for (;;) {
    if (last.stride == 1) {
      if (!merger.add(box.var, static_cast<std::uint64_t>(at), last.size))
        return false;
    } else {
      for (std::uint64_t i = 0; i != last.size; ++i)
        if (!merger.add(box.var,
                        static_cast<std::uint64_t>(at + static_cast<std::int64_t>(i) * last.stride),
                        1))
          return false;
    }
    std::size_t k = digits.size();
    for (; k != 0; --k) {
      Factor const &f = box.factors[k - 1];
      at += f.stride;
      if (++digits[k - 1] != f.size)
        break;
      at -= static_cast<std::int64_t>(f.size) * f.stride;
      digits[k - 1] = 0;
    }
    if (k == 0)
      return true;
  }
}

/// Hands a box over a variable to f as a block.
template <class F> bool callWithBlock(F &f, Box const &box) {
  base::SmallVector<std::uint64_t, 8> sizes;
  base::SmallVector<std::int64_t, 8> strides;
  for (Factor const &factor : box.factors) {
    sizes.push_back(factor.size);
    strides.push_back(factor.stride);
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    strides.push_back(1);
  }
  return goesOn(f, StridedBlock{box.var,
                                static_cast<std::uint64_t>(box.offset),
                                {sizes.data(), sizes.size()},
                                {strides.data(), strides.size()}});
}

} // namespace viewdetail

template <class F> void View::forEachRun(F &&f) const {
  if (count_ == 0)
    return;
  viewdetail::RunMerger<std::remove_reference_t<F>> merger(f);
  bool goOn = true;
  auto addBox = [&](Box const &box) { return goOn = viewdetail::addRuns(box, merger); };
  BoxCall sink(addBox);
  walk(box_, sink);
  if (goOn)
    merger.flush();
}

template <class F> void View::forEachBlock(F &&f) const {
  if (count_ == 0)
    return;
  auto callBox = [&](Box const &box) { return viewdetail::callWithBlock(f, box); };
  BoxCall sink(callBox);
  walk(box_, sink);
}

template <class F> bool View::forEachBlockUnordered(F &&f) const {
  if (count_ == 0)
    return true;
  auto callBox = [&](Box const &box) { return viewdetail::callWithBlock(f, box); };
  BoxCall sink(callBox);
  bool repeats = false;
  cover(box_, sink, repeats);
  return !repeats;
}

/// Checks and joins views one by one.
class POP_API View::Concatenation {
public:
  Concatenation(View const &first, unsigned dim);
  void check(View const &next, std::size_t idx);
  void add(View const &next);
  View finish();

private:
  View const &first_;
  unsigned dim_;
  std::uint64_t size_ = 0; ///< of dimension dim_
  std::uint64_t inner_;    ///< elements per index of dimension dim_
  NodeBuilder builder_;
};

[[noreturn]] POP_API void failEmptyConcat();

template <class Get> View View::concat(std::size_t n, Get const &get, unsigned dim) {
  if (n == 0)
    failEmptyConcat();
  Concatenation concatenation(get(0), dim);
  for (std::size_t i = 0; i != n; ++i)
    concatenation.check(get(i), i);
  if (n == 1)
    return get(0);
  for (std::size_t i = 0; i != n; ++i)
    concatenation.add(get(i));
  return concatenation.finish();
}

} // namespace cottonwood::graph
