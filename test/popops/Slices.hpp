// Slices computed by the definition, element by element, for comparison.
#pragma once

#include "Harness.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace slices {

using harness::Numbers;
using harness::product;
using harness::Run;
using harness::Shape;
using harness::Values;

inline constexpr std::size_t OUT_OF_RANGE = ~std::size_t(0);

/// The index of element i of a row-major array, and the element at an index.
inline Shape digits(std::size_t i, Shape const &shape) {
  Shape index(shape.size());
  for (std::size_t d = shape.size(); d-- != 0; i /= shape[d])
    index[d] = i % shape[d];
  return index;
}
inline std::size_t position(Shape const &index, Shape const &shape) {
  std::size_t at = 0;
  for (std::size_t d = 0; d != shape.size(); ++d)
    at = at * shape[d] + index[d];
  return at;
}

/// Calls visit(position in t, position in the slice) for each element of the slice; the position
/// in t is OUT_OF_RANGE where an offset is.
inline void forSlice(Shape const &shape, std::vector<std::size_t> const &offsets, Shape const &dims,
                     Shape const &sizes,
                     std::function<void(std::size_t, std::size_t)> const &visit) {
  Shape slice = shape;
  std::vector<std::size_t> start(shape.size(), 0);
  bool outside = false;
  for (std::size_t k = 0; k != dims.size(); ++k) {
    slice[dims[k]] = sizes[k];
    start[dims[k]] = offsets[k];
    outside = outside || offsets[k] >= shape[dims[k]];
  }
  std::size_t const n = product(slice);
  for (std::size_t i = 0; i != n; ++i) {
    std::size_t rest = i, at = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- != 0;) {
      std::size_t const index = (start[d] + rest % slice[d]) % std::max<std::size_t>(1, shape[d]);
      rest /= slice[d];
      at += index * stride;
      stride *= shape[d];
    }
    visit(outside ? OUT_OF_RANGE : at, i);
  }
}

inline Shape sliceShape(Shape shape, Shape const &dims, Shape const &sizes) {
  for (std::size_t k = 0; k != dims.size(); ++k)
    shape[dims[k]] = sizes[k];
  return shape;
}

inline Shape with(std::size_t first, Shape shape) {
  shape.insert(shape.begin(), first);
  return shape;
}

/// A random problem of slicing.
struct Problem {
  Shape shape, dims, sizes;
  std::size_t numSlices = 1;
  std::vector<std::size_t> offsets; ///< [numSlices, dims.size()]

  Shape slice() const { return sliceShape(shape, dims, sizes); }
  std::vector<std::size_t> offsetsOf(std::size_t n) const {
    return {offsets.begin() + static_cast<std::ptrdiff_t>(n * dims.size()),
            offsets.begin() + static_cast<std::ptrdiff_t>((n + 1) * dims.size())};
  }
  Values offsetValues() const { return {offsets.begin(), offsets.end()}; }
};

/// \param beyond  offsets may be as much as this above the last in range.
inline Problem randomProblem(Numbers &numbers, std::size_t rank, std::size_t sliced,
                             std::size_t numSlices, std::size_t beyond = 0) {
  Problem p;
  for (std::size_t d = 0; d != rank; ++d)
    p.shape.push_back(1 + numbers.below(9));
  std::vector<std::size_t> all(rank);
  std::iota(all.begin(), all.end(), std::size_t(0));
  for (std::size_t k = 0; k != sliced; ++k) {
    std::size_t const at = numbers.below(all.size());
    p.dims.push_back(all[at]);
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
    p.sizes.push_back(1 + numbers.below(p.shape[p.dims.back()]));
  }
  p.numSlices = numSlices;
  for (std::size_t n = 0; n != numSlices; ++n)
    for (std::size_t dim : p.dims)
      p.offsets.push_back(numbers.below(p.shape[dim] + beyond));
  return p;
}

/// [numSlices] + slice(), zeros where an offset is out of range.
inline Values lookUp(Problem const &p, Values const &table) {
  std::size_t const each = product(p.slice());
  Values result(p.numSlices * each, 0);
  for (std::size_t n = 0; n != p.numSlices; ++n)
    forSlice(p.shape, p.offsetsOf(n), p.dims, p.sizes, [&](std::size_t from, std::size_t to) {
      if (from != OUT_OF_RANGE)
        result[n * each + to] = table[from];
    });
  return result;
}

/// table[..] = op(table[..], slice element), in order.
inline Values update(
    Problem const &p, Values table, Values const &slices,
    std::function<double(double, double)> const &op = [](double, double s) { return s; }) {
  std::size_t const each = product(p.slice());
  for (std::size_t n = 0; n != p.numSlices; ++n)
    forSlice(p.shape, p.offsetsOf(n), p.dims, p.sizes, [&](std::size_t to, std::size_t from) {
      if (to != OUT_OF_RANGE)
        table[to] = op(table[to], slices[n * each + from]);
    });
  return table;
}

/// Small integers: exact in all types, sums of a few included.
inline Values small(Numbers &numbers, std::size_t n) { return numbers.integer(n, 0, 60); }

/// A tensor of that shape that is a transposed view: dimensions in memory are reversed.
inline poplar::Tensor transposedInput(Run &run, poplar::Type const &type, Shape const &shape,
                                      Values const &values) {
  Shape const reversed(shape.rbegin(), shape.rend());
  poplar::Tensor const t = run.graph.addVariable(type, reversed);
  poputil::mapTensorLinearly(run.graph, t, 1, 1);
  std::vector<unsigned> order(shape.size());
  for (unsigned d = 0; d != order.size(); ++d)
    order[d] = static_cast<unsigned>(order.size()) - 1 - d;
  poplar::Tensor const view = t.dimShuffle(order);
  run.write(view, values);
  return view;
}

} // namespace slices
