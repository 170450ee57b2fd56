// Values of random programs of library operations, and views of them; what a step makes of them the
// host computes, too.
#pragma once

#include "Cases.hpp"

#include <poplin/codelets.hpp>
#include <popops/Expr.hpp>

#include <memory>
#include <numeric>
#include <set>

namespace fuzz {

/// Numbers are integers of at most this magnitude: exact in each type, as are their sums.
inline constexpr int MOST = 8;
inline constexpr std::size_t LARGEST = 300; ///< elements of an operand

inline double limited(double x) { return std::clamp<double>(x, -MOST, MOST); }
inline popops::expr::Clamp limited(popops::expr::Any const &term) {
  return {term, popops::expr::Const(-MOST), popops::expr::Const(MOST)};
}

inline bool overlap(View const &a, View const &b) {
  std::set<std::pair<Storage *, std::size_t>> const places(a.places.begin(), a.places.end());
  return std::any_of(b.places.begin(), b.places.end(),
                     [&](auto const &place) { return places.count(place) != 0; });
}

/// Part of a program, and what it does on the host.
struct Part {
  poplar::program::Sequence prog;
  std::vector<std::function<void()>> steps;

  void run() const {
    for (auto const &step : steps)
      step();
  }
};

class ProgramValues {
public:
  ProgramValues(Random &random, poplar::Device const &device)
      : random_(random), device_(device), top_(device.getTarget()), graph_(someGraph()),
        views_(random, graph_,
               [this](poplar::Type const &type, auto &bytes) { fill(type, bytes); }),
        codec_(device.getTarget()) {
    popops::addCodelets(graph_);
    poplin::addCodelets(graph_);
  }

protected:
  struct Value {
    View view;
    poplar::Type type;
  };

  std::size_t number(std::size_t limit) { return below(random_, limit); }
  poplar::Type someType() {
    poplar::Type const types[] = {poplar::FLOAT, poplar::FLOAT, poplar::HALF, poplar::HALF,
                                  poplar::INT};
    return types[number(std::size(types))];
  }
  poplar::Type someFloating() { return oneIn(random_, 2) ? poplar::FLOAT : poplar::HALF; }

  /// All tiles, half of them, or some in another order.
  poplar::Graph someGraph() {
    unsigned const tiles = top_.getTarget().getNumTiles();
    if (tiles < 8 || oneIn(random_, 3))
      return top_.createVirtualGraph(tiles);
    return oneIn(random_, 2) ? top_.createVirtualGraph(tiles / 2)
                             : top_.createVirtualGraph(std::vector<unsigned>{5, 2, 7});
  }
  void fill(poplar::Type const &type, std::vector<unsigned char> &bytes) {
    std::size_t const size = graph_.getTarget().getTypeSize(type);
    for (std::size_t i = 0; i != bytes.size(); i += size)
      codec_.write(type,
                   type == poplar::UNSIGNED_INT ? static_cast<double>(number(MOST + 1))
                                                : static_cast<double>(number(2 * MOST + 1)) - MOST,
                   &bytes[i]);
  }
  Shape someShape() {
    Shape shape;
    for (std::size_t rank = number(4); rank != 0; --rank)
      shape.push_back(1 + number(6));
    if (!shape.empty() && oneIn(random_, 6))
      shape[number(shape.size())] *= 5;
    return shape;
  }
  void addVariable(poplar::Type const &type) {
    values_.push_back({views_.variable(type, someShape()), type});
    variables_.push_back(values_.back());
  }
  /// What the program makes of a tensor, element by element.
  View made(poplar::Tensor const &t) {
    auto storage = std::make_unique<Storage>();
    storage->elementBytes = graph_.getTarget().getTypeSize(t.elementType());
    storage->bytes.resize(t.numElements() * storage->elementBytes);
    View view{t, t.shape(), {}};
    for (std::size_t i = 0; i != t.numElements(); ++i)
      view.places.emplace_back(storage.get(), i);
    made_.push_back(std::move(storage));
    values_.push_back({view, t.elementType()});
    return view;
  }

  /// Up to three steps from a view to another.
  View someView(View v, bool repeats) {
    for (std::size_t steps = number(4); steps != 0; --steps) {
      if (v.shape.empty()) {
        v = RandomViews::reshaped(v, {1});
        continue;
      }
      std::size_t const d = number(v.shape.size()), n = v.shape[d];
      switch (number(7)) {
      case 0: {
        std::size_t const from = number(n);
        v = sliced(v, from, from + 1 + number(n - from), d);
        break;
      }
      case 1: {
        std::vector<unsigned> order(v.shape.size());
        std::iota(order.begin(), order.end(), 0U);
        std::shuffle(order.begin(), order.end(), random_);
        v = shuffled(v, order);
        break;
      }
      case 2:
        v = reversed(v, d);
        break;
      case 3:
        v = RandomViews::reshaped(v, {v.size()});
        break;
      case 4:
        v = subSampled(v, 2, d);
        break;
      case 5:
        v = picked(v, v.tensor[0], Shape(v.shape.begin() + 1, v.shape.end()),
                   [](Shape index) { return index.insert(index.begin(), 0), index; });
        break;
      default:
        if (repeats && v.size() <= LARGEST / 3)
          v = repeated(v, 2, d);
      }
    }
    return v;
  }
  /// A view of a value of the type; with `written` one that programs may write to.
  View pick(poplar::Type const &type, bool written = false) {
    for (int trials = 0; trials != 100; ++trials) {
      Value const &value = values_[number(values_.size())];
      if (value.type != type || (written && !value.view.tensor.isParallelWriteable()))
        continue;
      View view = someView(value.view, !written);
      if (view.size() <= LARGEST)
        return view;
    }
    addVariable(type);
    return values_.back().view;
  }
  /// Its elements in a shape, the first ones or all of them again and again.
  static View fit(View const &view, Shape const &shape) {
    std::size_t const has = view.size(), needed = product(shape);
    View const all = repeated(RandomViews::reshaped(view, {has}), (needed + has - 1) / has, 0);
    return RandomViews::reshaped(sliced(all, 0, needed, 0), shape);
  }
  View pickOf(poplar::Type const &type, Shape const &shape) { return fit(pick(type), shape); }

  Numbers numbers(View const &view) const {
    Numbers result(view.size());
    for (std::size_t i = 0; i != result.size(); ++i)
      result[i] = codec_.read(view.tensor.elementType(), view.at(i));
    return result;
  }
  void assign(View const &view, Numbers const &values) const {
    for (std::size_t i = 0; i != values.size(); ++i)
      codec_.write(view.tensor.elementType(), values[i], view.at(i));
  }
  /// A step of the host: to = f(values of the operands), a vector each.
  template <class F, class... Views>
  void step(Part &block, View const &to, F f, Views const &...operands) {
    block.steps.push_back([=, this] { assign(to, f(numbers(operands)...)); });
  }
  /// The same element by element.
  template <class F, class... Views>
  void each(Part &block, View const &to, F f, Views const &...operands) {
    step(
        block, to,
        [f](auto const &...values) {
          Numbers result(std::min({values.size()...}));
          for (std::size_t i = 0; i != result.size(); ++i)
            result[i] = f(values[i]...);
          return result;
        },
        operands...);
  }
  void tell(std::string const &what, std::size_t depth) {
    story_ += '\n' + std::string(2 * depth, ' ') + what;
  }

  Random &random_;
  poplar::Device const &device_;
  poplar::Graph top_, graph_;
  RandomViews views_;
  Codec codec_;
  std::vector<Value> values_, variables_; ///< what there is at this point of the program
  std::string story_;

private:
  std::vector<std::unique_ptr<Storage>> made_;
};

} // namespace fuzz
