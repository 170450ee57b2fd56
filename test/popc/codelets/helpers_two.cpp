#include "helpers.hpp"

namespace {
unsigned own(unsigned x) { return anonymous(x) + 2000; }
} // namespace

class D44Two : public poplar::Vertex {
public:
  poplar::Input<unsigned> a;
  poplar::Output<unsigned> out;
  void compute() { out = own(shared(times<3>(a))) + Scratch{table[2]}.doubled() + offset; }
};
