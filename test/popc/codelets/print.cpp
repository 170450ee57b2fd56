// D50: text from a vertex.
#include <poplar/Vertex.hpp>
#include <print.h>

using namespace poplar;

class D50 : public Vertex {
public:
  Input<Vector<float>> x;
  Output<float> y;
  void compute() {
    if (x[0] > 1e30f)
      printf("%f %u\n", static_cast<double>(x[0]), 3u);
    y = x[0] + 50;
  }
};
