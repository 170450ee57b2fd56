#pragma once
// Random compositions of all operations on tensors, and what they should be.

#include "NaiveTensor.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <poplar/Tensor.hpp>
#include <poplar/impl/graph/View.hpp>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace naive {

inline constexpr cottonwood::graph::GraphId kGraph = 7;
inline constexpr std::size_t kMaxElements = 1500;
inline constexpr unsigned kMaxRank = 6;

/// A tensor and what it should be.
struct Twin {
  poplar::Tensor real;
  naive::Tensor model;
  std::string story; ///< how it was made
};

class Composer {
public:
  explicit Composer(unsigned long seed) : random_(seed) {}

  Twin chain() {
    Twin twin = variable(randomShape(1 + below(5) - (below(20) == 0)));
    for (unsigned left = 1 + below(8); left != 0; --left)
      twin = step(twin);
    return twin;
  }
  /// Another chain that begins in the same variables.
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }

private:
  naive::Index randomShape(unsigned rank) {
    naive::Index shape;
    for (unsigned d = 0; d != rank; ++d)
      shape.push_back(below(60) == 0 ? 0 : 1 + below(5));
    return shape;
  }

  /// Three variables and a constant, whatever the shape: tensors of different shape share them.
  Twin variable(naive::Index const &shape) {
    cottonwood::graph::VarId const var = below(4) == 3 ? cottonwood::graph::kConstantBit : below(3);
    cottonwood::graph::View const view =
        cottonwood::graph::View::whole(kGraph, var, poplar::FLOAT, shape);
    return {cottonwood::graph::makeTensor(view), naive::variable(var, shape),
            "v" + std::to_string(var) + text(shape)};
  }

  static std::string text(std::span<std::size_t const> list) {
    std::string result = "{";
    for (std::size_t const x : list)
      result += std::to_string(x) + ",";
    return result + "}";
  }

  Twin step(Twin const &in) {
    for (;;) {
      Twin out = tryStep(in);
      if (out.real.valid() && out.model.places.size() <= kMaxElements &&
          out.model.shape.size() <= kMaxRank)
        return out;
    }
  }

  Twin tryStep(Twin const &in) {
    unsigned const rank = static_cast<unsigned>(in.model.shape.size());
    unsigned const dim = rank == 0 ? 0 : below(rank);
    unsigned const kind = below(21);
    if (kind == 0)
      return reshapeAny(in);
    if (kind == 1)
      return expand(in);
    if (rank == 0)
      return {};
    std::size_t const size = in.model.shape[dim];
    switch (kind) {
    case 2:
      return reshapeAny(in);
    case 3:
      return size == 0 || dim != 0 ? Twin() : indexFirst(in, below(size));
    case 4:
    case 5:
      return slice(in, dim);
    case 6:
      return shuffle(in);
    case 7:
      return broadcast(in, dim);
    case 8:
      return {in.real.reverse(dim), naive::reverse(in.model, dim),
              in.story + ".reverse(" + std::to_string(dim) + ")"};
    case 9:
      return subSample(in, dim);
    case 10:
      return upsample(in, dim);
    case 11:
      return flattenSome(in);
    case 12:
      return squeeze(in);
    case 13:
      return roll(in, dim);
    case 14:
      return swapEnds(in);
    case 15:
      return sliceAll(in);
    case 16:
      return appendRow(in, dim);
    case 17:
      return splitDim(in, dim);
    default:
      return concatSome(in, dim);
    }
  }

  Twin indexFirst(Twin const &in, std::size_t i) {
    return {in.real[i], naive::index(in.model, i), in.story + "[" + std::to_string(i) + "]"};
  }

  Twin slice(Twin const &in, unsigned dim) {
    std::size_t const size = in.model.shape[dim];
    std::size_t begin = below(size + 1), end = below(size + 1);
    if (begin > end ||
        (begin == end && below(16) != 0)) { // rarely of size 0: nothing much happens there
      begin = begin == size ? 0 : begin;
      end = size;
    }
    std::size_t const arguments[] = {begin, end, dim};
    return {in.real.slice(begin, end, dim), naive::slice(in.model, begin, end, dim),
            in.story + ".slice" + text(arguments)};
  }

  Twin shuffle(Twin const &in) {
    std::vector<unsigned> permutation(in.model.shape.size());
    std::iota(permutation.begin(), permutation.end(), 0u);
    std::shuffle(permutation.begin(), permutation.end(), random_);
    std::vector<std::size_t> const shown(permutation.begin(), permutation.end());
    return {in.real.dimShuffle(permutation), naive::dimShuffle(in.model, permutation),
            in.story + ".dimShuffle" + text(shown)};
  }

  Twin roll(Twin const &in, unsigned from) {
    unsigned const to = below(in.model.shape.size());
    std::vector<unsigned> permutation(in.model.shape.size());
    std::iota(permutation.begin(), permutation.end(), 0u);
    permutation.erase(permutation.begin() + from);
    permutation.insert(permutation.begin() + to, from);
    std::size_t const arguments[] = {from, to};
    return {in.real.dimRoll(from, to), naive::dimShuffle(in.model, permutation),
            in.story + ".dimRoll" + text(arguments)};
  }

  /// dimShufflePartial: first and last dimension change places; transpose() if there are no others.
  Twin swapEnds(Twin const &in) {
    unsigned const last = static_cast<unsigned>(in.model.shape.size()) - 1;
    std::vector<unsigned> permutation(last + 1);
    std::iota(permutation.begin(), permutation.end(), 0u);
    std::swap(permutation[0], permutation[last]);
    poplar::Tensor real = last == 0   ? in.real.dimShufflePartial({}, {})
                          : last == 1 ? in.real.transpose()
                                      : in.real.dimShufflePartial({last, 0}, {0, last});
    return {std::move(real), naive::dimShuffle(in.model, permutation), in.story + ".swapEnds()"};
  }

  /// The slice of many dimensions, and then index() of some that have size 1.
  Twin sliceAll(Twin const &in) {
    naive::Index begin, end;
    naive::Tensor model = in.model;
    for (unsigned d = 0, count = below(in.model.shape.size() + 1); d != count; ++d) {
      std::size_t const size = in.model.shape[d];
      begin.push_back(size == 0 ? 0 : below(size));
      end.push_back(size == 0 ? 0 : begin.back() + 1 + below(size - begin.back()));
      model = naive::slice(model, begin.back(), end.back(), d);
    }
    poplar::Tensor real = in.real.slice(begin, end);
    naive::Index zeros;
    while (!model.shape.empty() && model.shape[0] == 1 && zeros.size() < begin.size()) {
      model = naive::index(model, 0);
      zeros.push_back(0);
    }
    return {real.index(zeros), std::move(model),
            in.story + ".slice" + text(begin) + text(end) + ".index" + text(zeros)};
  }

  Twin appendRow(Twin const &in, unsigned dim) {
    if (in.model.shape[dim] == 0)
      return {};
    std::size_t const i = below(in.model.shape[dim]);
    naive::Index shape = in.model.shape;
    shape.erase(shape.begin() + dim);
    naive::Tensor const part = naive::slice(in.model, i, i + 1, dim);
    poplar::Tensor const row = in.real.slice(i, i + 1, dim).reshape(shape);
    std::size_t const arguments[] = {i, dim};
    return {poplar::append(in.real, row, dim), naive::concat({in.model, part}, dim),
            in.story + ".append" + text(arguments)};
  }

  /// reshapePartial of one dimension into two.
  Twin splitDim(Twin const &in, unsigned dim) {
    std::size_t const size = in.model.shape[dim], inner = 1 + below(4);
    if (size % inner != 0)
      return {};
    naive::Index shape = in.model.shape;
    shape[dim] = size / inner;
    shape.insert(shape.begin() + dim + 1, inner);
    std::size_t const arguments[] = {dim, inner};
    return {in.real.reshapePartial(dim, dim + 1, {size / inner, inner}),
            naive::reshape(in.model, shape), in.story + ".splitDim" + text(arguments)};
  }

  Twin broadcast(Twin const &in, unsigned dim) {
    unsigned const n = below(40) == 0 ? 0 : 1 + below(3);
    std::size_t const arguments[] = {n, dim};
    return {in.real.broadcast(n, dim), naive::broadcast(in.model, n, dim),
            in.story + ".broadcast" + text(arguments)};
  }

  Twin upsample(Twin const &in, unsigned dim) {
    unsigned const n = below(40) == 0 ? 0 : 1 + below(3);
    std::size_t const arguments[] = {n, dim};
    return {in.real.upsample(n, dim, poplar::UpsampleMethod::REPEAT),
            naive::upsample(in.model, n, dim), in.story + ".upsample" + text(arguments)};
  }

  Twin subSample(Twin const &in, unsigned dim) {
    unsigned const stride = 1 + below(4);
    std::size_t const arguments[] = {stride, dim};
    return {in.real.subSample(stride, dim), naive::subSample(in.model, stride, dim),
            in.story + ".subSample" + text(arguments)};
  }

  Twin expand(Twin const &in) {
    std::size_t const at = below(in.model.shape.size() + 1);
    naive::Index shape = in.model.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(at), 1);
    return {in.real.expand({at}), naive::reshape(in.model, shape),
            in.story + ".expand(" + std::to_string(at) + ")"};
  }

  Twin squeeze(Twin const &in) {
    std::vector<std::size_t> dims;
    naive::Index shape;
    for (std::size_t d = 0; d != in.model.shape.size(); ++d)
      in.model.shape[d] == 1 ? dims.push_back(d) : shape.push_back(in.model.shape[d]);
    return {in.real.squeeze(dims), naive::reshape(in.model, shape),
            in.story + ".squeeze" + text(dims)};
  }

  Twin flattenSome(Twin const &in) {
    unsigned const begin = below(in.model.shape.size() + 1);
    unsigned const end = begin + below(in.model.shape.size() - begin + 1);
    naive::Index shape(in.model.shape.begin(), in.model.shape.begin() + begin);
    shape.push_back(1);
    for (unsigned d = begin; d != end; ++d)
      shape.back() *= in.model.shape[d];
    shape.insert(shape.end(), in.model.shape.begin() + end, in.model.shape.end());
    std::size_t const arguments[] = {begin, end};
    return {in.real.flatten(begin, end), naive::reshape(in.model, shape),
            in.story + ".flatten" + text(arguments)};
  }

  /// A shape of as many elements: prime factors in random order, thrown into random dimensions.
  Twin reshapeAny(Twin const &in) {
    std::size_t left = in.model.places.size();
    naive::Index shape(left == 1 ? below(3) : 1 + below(4), 1);
    if (left == 0)
      shape[below(shape.size())] = 0;
    for (std::size_t prime = 2; left > 1; ++prime)
      for (; left % prime == 0; left /= prime)
        shape[below(shape.size())] *= prime;
    return {in.real.reshape(shape), naive::reshape(in.model, shape),
            in.story + ".reshape" + text(shape)};
  }

  /// Concatenates with parts of itself, in order or not, and with other variables.
  Twin concatSome(Twin const &in, unsigned dim) {
    std::vector<Twin> parts;
    bool const inOrder = below(3) == 0;
    std::size_t at = 0;
    for (unsigned m = 1 + below(4); m != 0; --m)
      parts.push_back(inOrder ? nextPart(in, dim, at) : otherPart(in, dim));
    std::vector<poplar::Tensor> reals;
    std::vector<naive::Tensor> models;
    std::string story = "concat(" + std::to_string(dim);
    for (Twin const &part : parts) {
      reals.push_back(part.real);
      models.push_back(part.model);
      story += ", " + part.story;
    }
    return {poplar::concat(reals, dim), naive::concat(models, dim), story + ")"};
  }

  Twin nextPart(Twin const &in, unsigned dim, std::size_t &at) {
    std::size_t const begin = at;
    at += below(in.model.shape[dim] - at + 1);
    return {in.real.slice(begin, at, dim), naive::slice(in.model, begin, at, dim),
            in.story + ".slice(" + std::to_string(begin) + "," + std::to_string(at) + ")"};
  }

  Twin otherPart(Twin const &in, unsigned dim) {
    naive::Index shape = in.model.shape;
    switch (below(4)) {
    case 0:
      shape[dim] = below(4);
      return variable(shape);
    case 1:
      return {in.real.reverse(dim), naive::reverse(in.model, dim),
              in.story + ".reverse(" + std::to_string(dim) + ")"};
    default:
      return slice(in, dim);
    }
  }

  std::mt19937_64 random_;
};

} // namespace naive
