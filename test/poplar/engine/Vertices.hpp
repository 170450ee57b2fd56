// Vertices of the engine's tests, and small helpers around them.
#pragma once

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace engineTest {

/// out[i] = factor * in[i]
class Scale : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  float factor;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = factor * in[i];
    return true;
  }
};

/// x += step
class Count : public poplar::Vertex {
public:
  poplar::InOut<int> x;
  int step;
  void compute() { *x += step; }
};

/// sum += x
class AddTo : public poplar::Vertex {
public:
  poplar::Input<int> x;
  poplar::InOut<int> sum;
  void compute() { *sum += *x; }
};

/// flag = x < limit
class Below : public poplar::Vertex {
public:
  poplar::Input<int> x;
  poplar::Output<bool> flag;
  int limit;
  void compute() { *flag = *x < limit; }
};

/// Returns whether x is positive.
class IsPositive : public poplar::Vertex {
public:
  poplar::Input<int> x;
  bool compute() { return *x > 0; }
};

/// out[i] = in[i] + 1, the elements dealt out to the worker contexts
class AddOneMulti : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<int>> in;
  poplar::Output<poplar::Vector<int>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in.size(); i += numWorkers())
      out[i] = in[i] + 1;
    return true;
  }
};

/// out[i] = sum over j of rows[i][j], weighted by weights[i]
class SumRows : public poplar::Vertex {
public:
  poplar::Vector<poplar::Input<poplar::Vector<int>>> rows;
  poplar::Output<poplar::Vector<int>> out;
  poplar::Vector<int> weights;
  void compute() {
    for (unsigned i = 0; i < rows.size(); ++i) {
      int sum = 0;
      for (unsigned j = 0; j < rows[i].size(); ++j)
        sum += rows[i][j];
      out[i] = sum * weights[i];
    }
  }
};

/// x[i] *= 2 except where i is odd, which stays as it was
class DoubleEven : public poplar::Vertex {
public:
  poplar::Output<poplar::Vector<int>> x;
  void compute() {
    for (unsigned i = 0; i < x.size(); i += 2)
      x[i] = static_cast<int>(2 * i);
  }
};

class Throws : public poplar::Vertex {
public:
  poplar::Input<int> x;
  void compute();
};

/// Fails an assertion unless x < limit; a MultiVertex in its last context only.
class Asserts : public poplar::Vertex {
public:
  poplar::Input<int> x;
  int limit;
  bool compute();
};
class AssertsMulti : public poplar::MultiVertex {
public:
  poplar::Input<int> x;
  int limit;
  bool compute(unsigned worker);
};

/// Calls abort() where x is not 0.
class Aborts : public poplar::Vertex {
public:
  poplar::Input<int> x;
  void compute();
};

/// out[i] = a[i] / b[i]
class Divide : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> a, b;
  poplar::Output<poplar::Vector<float>> out;
  void compute();
};

/// out[i] = a[i] * b[i]
class MultiplyHalves : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<poplar::half>> a, b;
  poplar::Output<poplar::Vector<poplar::half>> out;
  void compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(a[i]) * static_cast<float>(b[i]);
  }
};

/// A model of few tiles, so that tests are quick.
inline poplar::Device modelDevice(unsigned tiles = 4) {
  poplar::IPUModel model;
  model.tilesPerIPU = tiles;
  return model.createDevice();
}

/// Runs a test body on a CPU and on a small IPU Model; f(device).
template <class F> void onAllDevices(F &&f) {
  f(poplar::Device::createCPUDevice());
  f(modelDevice());
}

/// A mapped variable with handles of its name for reading and writing.
inline poplar::Tensor variable(poplar::Graph &graph, poplar::Type type,
                               std::vector<std::size_t> const &shape, std::string const &name,
                               unsigned tile = 0) {
  poplar::Tensor t = graph.addVariable(type, shape, name);
  graph.setTileMapping(t, tile % graph.getTarget().getNumTiles());
  graph.createHostWrite(name, t);
  graph.createHostRead(name, t);
  return t;
}

/// The same without handles: the engine may let it share memory.
inline poplar::Tensor temporary(poplar::Graph &graph, poplar::Type type,
                                std::vector<std::size_t> const &shape, std::string const &name,
                                unsigned tile = 0) {
  poplar::Tensor t = graph.addVariable(type, shape, name);
  graph.setTileMapping(t, tile % graph.getTarget().getNumTiles());
  return t;
}

/// A compute set that adds `step` to the scalar.
inline poplar::program::Execute countUp(poplar::Graph &graph, poplar::Tensor const &x, int step) {
  poplar::ComputeSet cs = graph.addComputeSet("countUp");
  poplar::VertexRef v =
      graph.addVertex(cs, "engineTest::Count", {{"x", x.reshape({})}, {"step", step}});
  graph.setTileMapping(v, 0);
  return poplar::program::Execute(cs);
}

/// A compute set that sets flag = x < limit.
inline poplar::program::Execute testBelow(poplar::Graph &graph, poplar::Tensor const &x,
                                          poplar::Tensor const &flag, int limit) {
  poplar::ComputeSet cs = graph.addComputeSet("testBelow");
  poplar::VertexRef v =
      graph.addVertex(cs, "engineTest::Below",
                      {{"x", x.reshape({})}, {"flag", flag.reshape({})}, {"limit", limit}});
  graph.setTileMapping(v, 0);
  return poplar::program::Execute(cs);
}

template <class T>
std::vector<T> read(poplar::Engine &engine, std::string const &handle, std::size_t n) {
  std::vector<T> values(n);
  engine.readTensor(handle, values.data(), values.data() + n);
  return values;
}

template <class T>
void write(poplar::Engine &engine, std::string const &handle, std::vector<T> const &values) {
  engine.writeTensor(handle, values.data(), values.data() + values.size());
}

} // namespace engineTest
