// What both processes register: its name is in the file, its code is not.
#pragma once

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

namespace executableTest {

/// x[i] += i * step
class Ramp : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> x;
  float step;
  void compute() {
    for (unsigned i = 0; i < x.size(); ++i)
      x[i] += static_cast<float>(i) * step;
  }
};

} // namespace executableTest

POPLAR_VERTEX(executableTest::Ramp, x, step)
