// Runs a small program on a device and compares tensors with numbers computed in double.
#pragma once

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/TypeConversion.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace harness {

using Shape = std::vector<std::size_t>;
using Values = std::vector<double>;

inline std::size_t product(Shape const &shape) {
  std::size_t n = 1;
  for (std::size_t d : shape)
    n *= d;
  return n;
}

/// Half the distance of neighbours, relative: what one rounding to the type may change.
inline double epsilonOf(poplar::Type const &type) {
  return type == poplar::HALF    ? std::ldexp(1.0, -11)
         : type == poplar::FLOAT ? std::ldexp(1.0, -24)
                                 : 0;
}

/// The value that an element of the type holds.
inline double rounded(poplar::Type const &type, double x) {
  if (type == poplar::FLOAT)
    return static_cast<float>(x);
  if (type == poplar::HALF)
    return static_cast<float>(poplar::IeeeHalf(static_cast<float>(x)));
  return x;
}

inline poplar::Device cpu() { return poplar::Device::createCPUDevice(); }

/// A model of few tiles, so that small tensors are spread over all of them.
inline poplar::Device modelOf(unsigned tiles) {
  poplar::IPUModel ipu;
  ipu.numIPUs = 1;
  ipu.tilesPerIPU = tiles;
  return ipu.createDevice();
}

inline poplar::Device model() { return modelOf(7); }

/// Devices cannot be copied: a test that runs several programs makes each its own.
using DeviceMaker = std::function<poplar::Device()>;

class Run {
public:
  explicit Run(DeviceMaker const &device) : device_(device()), graph(device_.getTarget()) {
    popops::addCodelets(graph);
  }

  /// A variable that is mapped linearly and filled before the run.
  poplar::Tensor input(poplar::Type const &type, Shape const &shape, Values const &values) {
    poplar::Tensor const t = graph.addVariable(type, shape, name());
    poputil::mapTensorLinearly(graph, t, 1, 1);
    write(t, values);
    return t;
  }

  void write(poplar::Tensor const &t, Values const &values) {
    REQUIRE(t.numElements() == values.size());
    if (values.empty())
      return;
    std::string const handle = name();
    graph.createHostWrite(handle, t);
    auto const size = graph.getTarget().getTypeSize(t.elementType());
    std::vector<char> bytes(values.size() * size);
    poplar::convertToDeviceType(t.elementType(), poplar::ArrayRef<double>(values), bytes.data());
    writes_[handle] = std::move(bytes);
  }

  /// To be read after the run, by the number returned.
  std::size_t output(poplar::Tensor const &t) {
    reads_.push_back({name(), t.elementType(), t.numElements(), {}});
    if (t.numElements() != 0)
      graph.createHostRead(reads_.back().handle, t);
    return reads_.size() - 1;
  }

  void run(unsigned times = 1) {
    poplar::Engine engine(graph, prog, options);
    engine.load(device_);
    for (auto const &[handle, bytes] : writes_)
      engine.writeTensor(handle, bytes.data(), bytes.data() + bytes.size());
    for (unsigned i = 0; i != times; ++i)
      engine.run(0);
    for (Read &read : reads_) {
      read.values.resize(read.elements);
      if (read.elements == 0)
        continue;
      std::vector<char> bytes(read.elements * graph.getTarget().getTypeSize(read.type));
      engine.readTensor(read.handle, bytes.data(), bytes.data() + bytes.size());
      poplar::convertFromDeviceType(read.type, bytes.data(), gccs::ArrayRef<double>(read.values));
    }
  }

  Values const &values(std::size_t output) const { return reads_.at(output).values; }

private:
  struct Read {
    std::string handle;
    poplar::Type type;
    std::size_t elements;
    Values values;
  };

  std::string name() { return "t" + std::to_string(count_++); }

  poplar::Device device_;
  unsigned count_ = 0;
  std::map<std::string, std::vector<char>> writes_;
  std::vector<Read> reads_;

public:
  poplar::Graph graph;
  poplar::program::Sequence prog;
  poplar::OptionFlags options; ///< of the engine
};

/// Calls body(maker) for the CPU and a small IPU Model.
template <class Body> void onDevices(Body const &body) {
  SUBCASE("CPU") { body(DeviceMaker(cpu)); }
  SUBCASE("IPU Model") { body(DeviceMaker(model)); }
}

/// Reproducible numbers: representable exactly in the type.
class Numbers {
public:
  explicit Numbers(std::uint64_t seed = 1) : engine_(seed) {}

  Values real(poplar::Type const &type, std::size_t n, double low = -2, double high = 2) {
    std::uniform_real_distribution<double> numbers(low, high);
    Values values(n);
    for (double &value : values)
      value = rounded(type, numbers(engine_));
    return values;
  }
  Values integer(std::size_t n, long low, long high) {
    std::uniform_int_distribution<long> numbers(low, high);
    Values values(n);
    for (double &value : values)
      value = static_cast<double>(numbers(engine_));
    return values;
  }
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(engine_);
  }

private:
  std::mt19937_64 engine_;
};

/// |actual - expected| <= bound, where the bound is (roundings + terms) of the type on numbers of
/// that magnitude.
inline void checkClose(Values const &actual, Values const &expected, double epsilon, double terms,
                       double magnitude = 0) {
  REQUIRE(actual.size() == expected.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != actual.size(); ++i) {
    double const scale = std::max(std::fabs(expected[i]), magnitude);
    bool const good = (std::isnan(expected[i]) && std::isnan(actual[i])) ||
                      actual[i] == expected[i] ||
                      std::fabs(actual[i] - expected[i]) <= epsilon * terms * scale;
    if (!good && ++wrong <= 3) {
      CAPTURE(i);
      CHECK(actual[i] == expected[i]);
    }
  }
  CHECK(wrong == 0);
}

} // namespace harness
