#include "RegistrationVertices.hpp"

static_assert(__cplusplus / 100 == 2011, "compiled as C++11");

// The same name as a class of RegistrationTest.cpp, with another layout.
namespace {
class ClashVertex : public poplar::Vertex {
public:
  poplar::Input<float> a;
  poplar::Output<float> b;
  void compute() { b = a; }
};
} // namespace
POPLAR_VERTEX(ClashVertex, a, b)
