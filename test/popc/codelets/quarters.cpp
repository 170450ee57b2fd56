// Numbers of eight bits: D30 and D33.
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
#include <type_traits>

using namespace poplar;

/// Rounds through a quarter and back.
class Rounds : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  Output<Vector<half, VectorLayout::ONE_PTR>> halves;
  Input<unsigned char> metadata;
  void compute() {
    const MetadataType byte = metadata;
    quarter_metadata md = unpackMetadata(&byte);
    for (unsigned i = 0; i < in.size(); ++i) {
      quarter q = toQuarter(in[i], md);
      out[i] = toFloat(q, md);
      halves[i] = toHalf(floatToQuarter(in[i], md), md);
      if (*reinterpret_cast<unsigned char *>(&q) != q.value)
        out[i] = -1;
    }
  }
};

template <typename T> class D30 : public Vertex {
public:
  Input<T> x;
  Output<float> y;
  void compute() {
#if __cplusplus >= 201703L
    if constexpr (std::is_same<T, half>::value)
      y = float(*x) + 1;
    else if constexpr (std::is_same_v<T, quarter>)
      y = toFloat(*x, quarter_metadata{quarter_metadata::f143, 0});
    else
#endif
      y = static_cast<float>(*x);
  }
};
template class D30<half>;
template class D30<int>;
