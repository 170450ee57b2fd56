// Vertices of the fuzzers.
#pragma once

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

namespace fuzzTest {

/// out[i] = factor * a[i] + b[i mod size of b]
class Mix : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<int>> a, b;
  poplar::Output<poplar::Vector<int>> out;
  int factor;
  void compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = static_cast<int>(static_cast<unsigned>(factor) * static_cast<unsigned>(a[i]) +
                                static_cast<unsigned>(b[i % b.size()]));
  }
};

/// x[i] += i, dealt out to the worker contexts
class Ramp : public poplar::MultiVertex {
public:
  poplar::InOut<poplar::Vector<int>> x;
  void compute(unsigned worker) {
    for (unsigned i = worker; i < x.size(); i += numWorkers())
      x[i] = static_cast<int>(static_cast<unsigned>(x[i]) + i);
  }
};

/// flag = x is odd
class Odd : public poplar::Vertex {
public:
  poplar::Input<int> x;
  poplar::Output<bool> flag;
  void compute() { *flag = (*x & 1) != 0; }
};

} // namespace fuzzTest
