// Programs of a few random operations, whose results the host computes element by element as it
// adds them. Numbers are small integers unless said otherwise, so that results are exact in any
// order and each element must be the expected one.
#pragma once

#include "Codec.hpp"
#include "RandomViews.hpp"

#include <poplar/Device.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <popops/codelets.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace fuzz {

using Numbers = std::vector<double>;

/// f(index) for every index of a shape, in order.
template <class F> void forEachIndex(Shape const &shape, F const &f) {
  Shape index(shape.size(), 0);
  for (std::size_t n = product(shape); n != 0; --n) {
    f(index);
    for (std::size_t d = index.size(); d-- != 0 && ++index[d] == shape[d];)
      index[d] = 0;
  }
}
inline std::size_t flat(Shape const &shape, Shape const &index) {
  std::size_t at = 0;
  for (std::size_t d = 0; d != shape.size(); ++d)
    at = at * shape[d] + index[d];
  return at;
}
inline std::string textOf(Shape const &shape) {
  std::ostringstream text;
  for (std::size_t d = 0; d != shape.size(); ++d)
    text << (d == 0 ? "[" : ",") << shape[d];
  text << ']';
  return text.str();
}

/// What a host reads from `handle` are the expected numbers.
/// \param units  that each may be off, of the last place of one or of itself
inline void expectNumbers(poplar::Engine &engine, std::string const &handle, Codec const &codec,
                          poplar::Type const &type, Numbers const &numbers, double units,
                          std::string const &story) {
  std::size_t const n = numbers.size(), size = codec.bytesOf(type);
  std::vector<unsigned char> bytes(n * size);
  engine.readTensor(handle, bytes.data(), bytes.data() + bytes.size());
  double const unit = type == poplar::HALF ? 0x1p-10 : 0x1p-23;
  for (std::size_t i = 0; i != n; ++i) {
    double const actual = codec.read(type, &bytes[i * size]),
                 expected = codec.rounded(type, numbers[i]),
                 allowed = units * unit * std::max(1., std::fabs(expected));
    expect(actual == expected || std::fabs(actual - expected) <= allowed,
           handle + ": element " + std::to_string(i) + " is " + std::to_string(actual) +
               " instead of " + std::to_string(expected) + ":" + story);
  }
}

class Cases {
public:
  /// \param integers  INT is one of the types, beside FLOAT and HALF
  Cases(Random &random, poplar::Device const &device, bool integers)
      : random_(random), device_(device), graph_(device.getTarget()),
        views_(random, graph_,
               [this](poplar::Type const &type, auto &bytes) { fill(type, bytes); }),
        type_(oneIn(random, 3)               ? poplar::HALF
              : integers && oneIn(random, 4) ? poplar::INT
                                             : poplar::FLOAT),
        codec_(device.getTarget()) {
    popops::addCodelets(graph_);
  }
  virtual ~Cases() = default;

  /// Adds up to `most` operations, runs them and compares all that the program has written.
  void check(std::size_t most) {
    for (std::size_t n = 1 + number(most); n != 0; --n)
      add();
    for (Result const &result : results_)
      graph_.createHostRead(result.name, result.tensor);
    poplar::Engine engine(graph_, prog_, {{"engine.numThreads", std::to_string(number(3))}});
    engine.load(device_);
    views_.write(engine);
    engine.run();
    for (Result const &result : results_)
      expectNumbers(engine, result.name, codec_, result.type, result.expected, result.units,
                    what_ + views_.story());
    views_.expectSame(engine, what_);
  }

protected:
  virtual void add() = 0;

  std::size_t number(std::size_t limit) { return below(random_, limit); }
  template <class T, std::size_t N> T pick(T const (&of)[N]) { return of[number(N)]; }

  View view(poplar::Type const &type, Shape const &shape) {
    return views_.view(type, shape, number(4), true);
  }
  /// No element of it twice.
  View written(poplar::Type const &type, Shape const &shape) {
    return views_.view(type, shape, number(4), false);
  }
  /// A view of offsets below `limit`.
  View offsets(Shape const &shape, std::size_t limit) {
    indices_ = limit;
    return view(poplar::UNSIGNED_INT, shape);
  }

  Numbers numbers(poplar::Type const &type, View const &view) const {
    Numbers values(view.size());
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = codec_.read(type, view.at(i));
    return values;
  }
  /// What the program has written to a view.
  void assign(poplar::Type const &type, View const &view, Numbers const &values) const {
    for (std::size_t i = 0; i != values.size(); ++i)
      codec_.write(type, values[i], view.at(i));
  }

  /// A tensor that the program makes, and what it shall be.
  /// \param units  that elements may be off, of the last place of one or of themselves
  void expect(poplar::Type const &type, poplar::Tensor const &t, Numbers expected,
              double units = 0) {
    fuzz::expect(t.elementType() == type, "another type: " + what_);
    fuzz::expect(t.numElements() == expected.size(), "another size: " + what_);
    results_.push_back(
        {"r" + std::to_string(results_.size()), t, type, std::move(expected), units});
  }

  void tell(std::string const &what) { what_ += ' ' + what; }

private:
  struct Result {
    std::string name;
    poplar::Tensor tensor;
    poplar::Type type;
    Numbers expected;
    double units;
  };

  void fill(poplar::Type const &type, std::vector<unsigned char> &bytes) {
    std::size_t const size = device_.getTarget().getTypeSize(type);
    for (std::size_t i = 0; i < bytes.size(); i += size)
      codec_.write(type,
                   type == poplar::UNSIGNED_INT ? static_cast<double>(number(indices_))
                                                : static_cast<double>(number(5)) - 2,
                   &bytes[i]);
  }

  std::size_t indices_ = 1; ///< offsets that variables are filled with are below

protected:
  Random &random_;
  poplar::Device const &device_;
  poplar::Graph graph_;
  RandomViews views_;
  poplar::program::Sequence prog_;
  poplar::Type const type_; ///< of the operands

private:
  Codec codec_;
  std::vector<Result> results_;
  std::string what_;
};

/// Rounds of a Generator of cases on the CPU, and once in three times on IPU Models of so many
/// tiles.
template <class Generator>
int runCases(char const *name, int argc, char **argv, std::vector<unsigned> const &tiles) {
  poplar::Device const cpu = poplar::Device::createCPUDevice();
  std::vector<poplar::Device> models;
  for (unsigned const number : tiles) {
    poplar::IPUModel model;
    model.tilesPerIPU = number;
    models.push_back(model.createDevice());
  }
  return run(name, argc, argv, [&](Random &random) {
    constexpr std::size_t MOST = 3; // operations of a program
    Generator(random, oneIn(random, 3) ? models[below(random, models.size())] : cpu).check(MOST);
  });
}

} // namespace fuzz
