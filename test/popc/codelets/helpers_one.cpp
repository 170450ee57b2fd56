#include "helpers.hpp"

namespace {
unsigned own(unsigned x) { return anonymous(x) + 1000; }
} // namespace

class D44One : public poplar::Vertex {
public:
  poplar::Input<unsigned> a;
  poplar::Output<unsigned> out;
  void compute() { out = own(shared(times<2>(a))) + Scratch{table[0]}.doubled(); }
};
