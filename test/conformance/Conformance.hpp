// What the programs share: the devices they run on, and variables with handles of their names.
#pragma once

#include <doctest/doctest.h>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

namespace conformance {

inline poplar::Device smallModel(unsigned tilesPerIPU = 4, unsigned numIPUs = 1) {
  poplar::IPUModel model;
  model.numIPUs = numIPUs;
  model.tilesPerIPU = tilesPerIPU;
  return model.createDevice();
}

/// Runs a program on a CPU and on an IPU Model; f(device).
template <class F> void onDevices(F const &f) {
  {
    INFO("on a CPU");
    f(poplar::Device::createCPUDevice());
  }
  INFO("on an IPU Model");
  f(smallModel());
}

/// A variable spread over the tiles, which the host reads and writes by its name.
inline poplar::Tensor variable(poplar::Graph &graph, poplar::Type const &type,
                               std::vector<std::size_t> const &shape, std::string const &name) {
  auto t = graph.addVariable(type, shape, poplar::VariableMappingMethod::LINEAR, name);
  graph.createHostWrite(name, t);
  graph.createHostRead(name, t);
  return t;
}

/// A constant on tile 0.
template <class T>
poplar::Tensor constant(poplar::Graph &graph, poplar::Type const &type,
                        std::vector<std::size_t> const &shape, std::vector<T> const &values) {
  auto t = graph.addConstant<T>(type, shape, values);
  graph.setTileMapping(t, 0);
  return t;
}

template <class T>
void put(poplar::Engine &engine, std::string const &name, std::vector<T> const &values) {
  engine.writeTensor(name, values.data(), values.data() + values.size());
}
template <class T>
std::vector<T> get(poplar::Engine &engine, std::string const &name, std::size_t n) {
  std::vector<T> values(n);
  engine.readTensor(name, values.data(), values.data() + n);
  return values;
}

/// 0, 1, 2, ...
inline std::vector<int> counting(int n) {
  std::vector<int> values;
  for (int i = 0; i != n; ++i)
    values.push_back(i);
  return values;
}

} // namespace conformance
