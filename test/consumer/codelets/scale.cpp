// Codelets of a foreign program, compiled while it runs or by popc beforehand.
#include <cassert>
#include <poplar/Vertex.hpp>

// out = factor * in
class Scale : public poplar::Vertex {
public:
  poplar::Input<float> in;
  poplar::Output<float> out;
  const float factor;

  void compute() { *out = *in * factor; }
};

// Fails unless in is positive.
class Positive : public poplar::Vertex {
public:
  poplar::Input<float> in;

  void compute() { assert(*in > 0); }
};
