// Vertices whose own work is nothing, or a known time.
#pragma once

#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

#include <cstdint>

namespace benchVertices {

/// x += 1
class Increment : public poplar::Vertex {
public:
  poplar::InOut<unsigned> x;
  void compute() { *x += 1; }
};

/// out = a + b + c, element by element
class AddThree : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<unsigned>> a, b, c;
  poplar::Output<poplar::Vector<unsigned>> out;
  void compute() {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = a[i] + b[i] + c[i];
  }
};

/// A chain of `steps` dependent multiplications: their latency is all the time it takes, whatever
/// the cache or the compiler does. One compiled body serves all callers, so that they take equally
/// long.
[[gnu::noinline]] inline unsigned chain(unsigned value, unsigned steps) {
  for (unsigned i = 0; i < steps; ++i)
    value = value * 1664525U + 1013904223U; // Numerical Recipes' generator
  return value;
}

/// x = chain(x, steps)
class Work : public poplar::Vertex {
public:
  poplar::InOut<unsigned> x;
  unsigned steps;
  void compute() { *x = chain(*x, steps); }
};

} // namespace benchVertices
