// Small programs, compiled and looked at.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/impl/lower/ExecutableData.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace lowerTest {

using cottonwood::lower::ExecutableData;
using cottonwood::lower::Op;

inline poplar::Target cpuTarget() { return poplar::Target::createCPUTarget(); }

inline poplar::Target modelTarget(unsigned tiles = 4) {
  poplar::IPUModel model;
  model.tilesPerIPU = tiles;
  return model.createDevice().getTarget();
}

/// The data live as long as the executable that the caller keeps.
inline poplar::Executable compile(poplar::Graph const &graph,
                                  std::vector<poplar::program::Program> const &programs,
                                  poplar::OptionFlags const &options = {}) {
  return poplar::compileGraph(graph, programs, options);
}

inline std::size_t count(ExecutableData const &executable, Op op) {
  return static_cast<std::size_t>(
      std::count_if(executable.instructions.begin(), executable.instructions.end(),
                    [&](auto const &instruction) { return instruction.op == op; }));
}

/// A mapped variable that only programs see.
inline poplar::Tensor temporary(poplar::Graph &graph, std::vector<std::size_t> const &shape,
                                std::string const &name, unsigned tile = 0) {
  poplar::Tensor const t = graph.addVariable(poplar::INT, shape, name);
  graph.setTileMapping(t, tile);
  return t;
}

/// The same with handles of its name.
inline poplar::Tensor variable(poplar::Graph &graph, std::vector<std::size_t> const &shape,
                               std::string const &name, unsigned tile = 0) {
  poplar::Tensor const t = temporary(graph, shape, name, tile);
  graph.createHostWrite(name, t);
  graph.createHostRead(name, t);
  return t;
}

inline std::vector<int> counting(std::size_t n, int first = 1) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

/// Runs program 0 on a CPU with the variable "in" set to 1, 2, 3 ... and returns "out".
inline std::vector<int> run(poplar::Executable const &executable, std::size_t numIn,
                            std::size_t numOut) {
  poplar::Engine engine(executable);
  engine.load(poplar::Device::createCPUDevice());
  std::vector<int> const in = counting(numIn);
  std::vector<int> out(numOut);
  engine.writeTensor("in", in.data(), in.data() + in.size());
  engine.run(0);
  engine.readTensor("out", out.data(), out.data() + out.size());
  return out;
}

} // namespace lowerTest
