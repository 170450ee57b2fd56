// half in arithmetic: D27 to D30. A source with the one include that it needs.
#include <poplar/Vertex.hpp>

using namespace poplar;

class D27 : public Vertex {
public:
  Input<Vector<half, VectorLayout::ONE_PTR>> a, b;
  Output<Vector<half>> out;
  Output<float> acc;
  Input<float> f;
  void compute() {
    half h = 0;
    h = static_cast<half>(*f);
    float g = h;
    float x = 2;
    float sum = 0;
    for (unsigned i = 0; i < out.size(); ++i) {
      sum += float(a[i]) * x;
      out[i] = a[i] + b[i];
    }
    out[0] = *f; // D28
    out[1] = a[1] > b[1] ? a[1] : half(0);
    h += g;
    h *= static_cast<half>(3);
    h -= 1;
    h /= 2.0f;
    out[2] = -h;
    acc = sum + g;
  }
};

template <typename T> class D28 : public Vertex {
public:
  Input<Vector<T>> in;
  Output<Vector<T>> out;
  static T init() { return 1; }
  void compute() {
    T sum = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      sum = static_cast<T>(sum + in[i]);
    out[0] = sum;
    out[1] = init();
    out[2] = T{};
    out[3] = T(0.5);
    out[4] = static_cast<T>(in[0] == 0 ? T(2.5) : in[0]);
  }
};
template class D28<half>;
template class D28<float>;
template class D28<int>;
template class D28<bool>;

template <typename T> class D29 : public Vertex {
public:
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  void compute() {
    out[0] = std::numeric_limits<T>::lowest();
    out[1] = std::numeric_limits<T>::max();
    out[2] = std::numeric_limits<T>::infinity();
  }
};
template class D29<half>;
template class D29<float>;
template class D29<int>;

class Literals : public Vertex {
public:
  Output<Vector<half>> out;
  void compute() {
    out[0] = 1.5_h;
    out[1] = 7_h;
    out[2] = static_cast<half>(out[0] * 2);
  }
};
