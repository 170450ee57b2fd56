// An instruction that a host does not have: an error that names it.
#include <ipudef.h>
#include <poplar/Vertex.hpp>

class Accumulates : public poplar::Vertex {
public:
  poplar::Output<float> y;
  void compute() {
    float2 sum = __builtin_ipu_f32v2gina(float2{0.0f, 0.0f}, 0);
    y = sum[0];
  }
};
