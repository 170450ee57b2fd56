// Views of all kinds of new variables, and their elements one by one.
#pragma once

#include "Fuzz.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

namespace fuzz {

using Shape = std::vector<std::size_t>;

inline std::size_t product(Shape const &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// A variable, and what the host knows of it.
struct Storage {
  poplar::Tensor tensor;
  std::string handle;
  std::size_t elementBytes;
  std::vector<unsigned char> initial; ///< contents before the program runs
  std::vector<unsigned char> bytes;   ///< and after as much of it as the host has followed
  bool known = true;                  ///< bytes are those
};

/// A view, and its elements one by one: which variable, and which element of it.
struct View {
  poplar::Tensor tensor;
  Shape shape;
  std::vector<std::pair<Storage *, std::size_t>> places;

  std::size_t size() const { return places.size(); }
  unsigned char *at(std::size_t i) const {
    auto const &[storage, element] = places[i];
    return &storage->bytes[element * storage->elementBytes];
  }
  template <class T> T value(std::size_t i) const {
    T x;
    std::memcpy(&x, at(i), sizeof(T));
    return x;
  }
  template <class T> void setValue(std::size_t i, T const &x) const {
    std::memcpy(at(i), &x, sizeof(T));
  }
};

/// The elements of `view` that a view of `shape` with place(index) in it has.
template <class Place>
inline View picked(View const &view, poplar::Tensor tensor, Shape shape, Place place) {
  View result{std::move(tensor), std::move(shape), {}};
  Shape index(result.shape.size(), 0);
  for (std::size_t n = product(result.shape); n != 0; --n) {
    Shape const from = place(index);
    std::size_t at = 0;
    for (std::size_t d = 0; d < from.size(); ++d)
      at = at * view.shape[d] + from[d];
    result.places.push_back(view.places[at]);
    for (std::size_t d = index.size(); d-- != 0 && ++index[d] == result.shape[d];)
      index[d] = 0;
  }
  expect(result.tensor.shape() == result.shape, "another shape");
  return result;
}

/// Elements [from, to) of dimension d.
inline View sliced(View const &view, std::size_t from, std::size_t to, std::size_t d) {
  Shape shape = view.shape;
  shape[d] = to - from;
  return picked(view, view.tensor.slice(from, to, static_cast<unsigned>(d)), shape,
                [&](Shape index) { return index[d] += from, index; });
}
/// Dimension order[k] as dimension k.
inline View shuffled(View const &view, std::vector<unsigned> const &order) {
  Shape shape(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    shape[k] = view.shape[order[k]];
  return picked(view, view.tensor.dimShuffle(order), shape, [&](Shape const &index) {
    Shape at(index.size());
    for (std::size_t k = 0; k < order.size(); ++k)
      at[order[k]] = index[k];
    return at;
  });
}
/// Every so many elements of dimension d.
inline View subSampled(View const &view, std::size_t stride, std::size_t d) {
  Shape shape = view.shape;
  shape[d] = (shape[d] + stride - 1) / stride;
  return picked(view,
                view.tensor.subSample(static_cast<unsigned>(stride), static_cast<unsigned>(d)),
                shape, [&](Shape index) { return index[d] *= stride, index; });
}
inline View reversed(View const &view, std::size_t d) {
  return picked(view, view.tensor.reverse(static_cast<unsigned>(d)), view.shape,
                [&](Shape index) { return index[d] = view.shape[d] - 1 - index[d], index; });
}
/// Dimension d so many times.
inline View repeated(View const &view, std::size_t times, std::size_t d) {
  Shape shape = view.shape;
  shape[d] *= times;
  return picked(view, view.tensor.broadcast(static_cast<unsigned>(times), static_cast<unsigned>(d)),
                shape, [&](Shape index) { return index[d] %= view.shape[d], index; });
}

/// Makes variables that the host writes and reads, and views of them.
class RandomViews {
public:
  /// Writes the first contents of a variable of that type.
  using Fill = std::function<void(poplar::Type const &, std::vector<unsigned char> &)>;

  RandomViews(Random &random, poplar::Graph &graph, Fill fill)
      : random_(random), graph_(graph), fill_(std::move(fill)) {}

  Shape someShape(std::size_t largest) {
    std::size_t const sizes[] = {1,  2,  3,  4,  5,  6,   7,   8,   9,   15,  16,  17,
                                 31, 32, 33, 64, 65, 100, 128, 200, 257, 300, 1000};
    Shape shape;
    for (std::size_t rank = 1 + number(4); rank != 0; --rank) {
      std::size_t const size = sizes[number(std::size(sizes))];
      shape.push_back(product(shape) * size <= largest ? size : 1);
    }
    std::shuffle(shape.begin(), shape.end(), random_);
    return shape;
  }

  /// A new variable.
  View variable(poplar::Type const &type, Shape const &shape) {
    auto storage = std::make_unique<Storage>();
    storage->handle = "v" + std::to_string(storages_.size());
    storage->elementBytes = graph_.getTarget().getTypeSize(type);
    storage->tensor = graph_.addVariable(type, shape, storage->handle);
    std::size_t const n = product(shape), tiles = graph_.getTarget().getNumTiles();
    poplar::Tensor const flat = storage->tensor.flatten();
    std::size_t const step = oneIn(random_, 2) ? n : 1 + n / (1 + number(2 * tiles));
    for (std::size_t begin = 0; begin < n; begin += step)
      graph_.setTileMapping(flat.slice(begin, std::min(n, begin + step)),
                            static_cast<unsigned>(number(tiles)));
    storage->initial.resize(n * storage->elementBytes);
    fill_(type, storage->initial);
    storage->bytes = storage->initial;
    graph_.createHostWrite(storage->handle, storage->tensor);
    graph_.createHostRead(storage->handle, storage->tensor);
    View view{storage->tensor, shape, {}};
    for (std::size_t i = 0; i < n; ++i)
      view.places.emplace_back(storage.get(), i);
    storages_.push_back(std::move(storage));
    return view;
  }

  /// A view of that shape of new variables, made by up to `steps` operations; elements may be
  /// repeated if that is said.
  View view(poplar::Type const &type, Shape const &shape, std::size_t steps, bool repeats) {
    if (steps == 0 || shape.empty() || product(shape) == 0 || product(shape) > 5000000 ||
        oneIn(random_, 6))
      return variable(type, shape);
    std::size_t const d = number(shape.size()), n = shape[d];
    Shape other = shape;
    switch (number(repeats ? 8 : 7)) {
    case 0: { // dimensions in another order
      std::vector<unsigned> order(shape.size());
      std::iota(order.begin(), order.end(), 0U);
      std::shuffle(order.begin(), order.end(), random_);
      for (std::size_t k = 0; k < order.size(); ++k)
        other[order[k]] = shape[k];
      View const from = view(type, other, steps - 1, repeats);
      story_ += " dimShuffle";
      return shuffled(from, order);
    }
    case 1: { // a slice
      std::size_t const before = number(5), after = number(20);
      other[d] = before + n + after;
      View const from = view(type, other, steps - 1, repeats);
      story_ += " slice";
      return sliced(from, before, before + n, d);
    }
    case 2: { // every so many
      std::size_t const stride = 2 + number(4);
      other[d] = n * stride - number(stride);
      View const from = view(type, other, steps - 1, repeats);
      story_ += " subSample";
      return subSampled(from, stride, d);
    }
    case 3: { // two or more parts
      View all;
      for (std::size_t left = n; left != 0;) {
        std::size_t const part = oneIn(random_, 3) ? left : 1 + number(left);
        left -= part;
        other[d] = part;
        View const next = view(type, other, steps - 1, repeats);
        all = all.places.empty() ? next : joined(all, next, d);
      }
      story_ += " concat";
      return all;
    }
    case 4: { // backwards
      View const from = view(type, shape, steps - 1, repeats);
      story_ += " reverse";
      return reversed(from, d);
    }
    case 5: { // one dimension more or less
      for (std::size_t factor : {2, 3, 4, 5, 8})
        if (n % factor == 0 && oneIn(random_, 3)) {
          other[d] = n / factor;
          other.insert(other.begin() + static_cast<std::ptrdiff_t>(oneIn(random_, 2) ? d : d + 1),
                       factor);
          break;
        }
      return reshaped(view(type, other, steps - 1, repeats), shape);
    }
    case 6: { // flat
      return reshaped(view(type, {product(shape)}, steps - 1, repeats), shape);
    }
    default: { // repeated
      std::size_t times = oneIn(random_, 2) ? n : 1;
      for (std::size_t factor : {5, 4, 3, 2})
        times = times == 1 && n % factor == 0 ? factor : times;
      other[d] = n / times;
      View const from = view(type, other, steps - 1, repeats);
      story_ += " broadcast";
      return repeated(from, times, d);
    }
    }
  }

  static View reshaped(View view, Shape const &shape) {
    if (product(shape) != view.places.size())
      return view;
    view.tensor = view.tensor.reshape(shape);
    view.shape = shape;
    return view;
  }

  void write(poplar::Engine &engine) const {
    for (auto const &storage : storages_)
      engine.writeTensor(storage->handle, storage->initial.data(),
                         storage->initial.data() + storage->initial.size());
  }
  /// The host does not follow what the program writes to the variables of a view.
  static void forget(View const &view) {
    for (auto const &[storage, element] : view.places)
      storage->known = false;
  }
  /// Every variable is what the host says that it is.
  void expectSame(poplar::Engine &engine, std::string const &what) const {
    for (auto const &storage : storages_) {
      if (!storage->known)
        continue;
      std::vector<unsigned char> read(storage->bytes.size());
      engine.readTensor(storage->handle, read.data(), read.data() + read.size());
      expect(read == storage->bytes, storage->handle + " has other contents: " + what + story_);
    }
  }
  std::string const &story() const { return story_; }

private:
  std::size_t number(std::size_t limit) { return below(random_, limit); }

  static View joined(View const &a, View const &b, std::size_t d) {
    View all{concat(a.tensor, b.tensor, static_cast<unsigned>(d)), a.shape, {}};
    all.shape[d] += b.shape[d];
    std::size_t const inner =
        product(Shape(a.shape.begin() + static_cast<std::ptrdiff_t>(d) + 1, a.shape.end()));
    std::size_t const rowA = a.shape[d] * inner, rowB = b.shape[d] * inner;
    for (std::size_t i = 0, j = 0; i < a.places.size(); i += rowA, j += rowB) {
      for (std::size_t k = 0; k < rowA; ++k)
        all.places.push_back(a.places[i + k]);
      for (std::size_t k = 0; k < rowB; ++k)
        all.places.push_back(b.places[j + k]);
    }
    return all;
  }

  Random &random_;
  poplar::Graph &graph_;
  Fill fill_;
  std::vector<std::unique_ptr<Storage>> storages_;
  std::string story_;
};

} // namespace fuzz
