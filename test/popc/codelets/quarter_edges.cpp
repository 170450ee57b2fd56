// Edges of quarters, which know their metadata: D33.
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

class D33 : public Vertex {
public:
  Input<Vector<quarter, VectorLayout::ONE_PTR, 8>> in;
  Vector<Output<Vector<quarter>>> out;
  Input<Vector<float>> values;
  void compute() {
    quarter_metadata md = unpackMetadata(in.getMetadata());
    quarter_metadata mdOut = unpackMetadata(out.getMetadata());
    quarter *dst = &out[0][0];
    for (unsigned i = 0; i < values.size(); ++i)
      *dst++ = toQuarter(values[i], mdOut, 1);
    *dst = toQuarter(toHalf(in[0], md), mdOut);
  }
};
