// Vertex classes in the styles that existing codelets use, registered in two translation units of
// different language standards.
#pragma once

#include <poplar/VectorTypes.hpp>
#include <poplar/Vertex.hpp>
#include <poplar/VertexRegistration.hpp>

namespace registration_test {
namespace deep {

/// Everything private but compute(); const state.
class Private : public poplar::SupervisorVertex {
  poplar::InOut<unsigned> n;
  poplar::Vector<poplar::Input<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>>> in;
  unsigned short k;
  static const bool needsAlignWorkers = false;

public:
  bool compute() {
    n = k;
    return k > 3;
  }
};

/// Private inheritance, fields of a base class.
struct Base : poplar::Vertex {
protected:
  poplar::Input<float> x;
};
class Derived : Base {
  poplar::Output<float> y;

public:
  void compute() { y = 2 * x; }
  void compute(int) {} // an overload that is not the entry
};

/// A template with a constructor that is declared only.
template <class T, bool twice> class Template : public poplar::MultiVertex {
public:
  Template();
  poplar::Input<poplar::Vector<T>> in;
  poplar::Output<poplar::Vector<T>> out;
  bool compute(unsigned worker) {
    for (std::size_t i = worker; i < in.size(); i += numWorkers())
      out[i] = in[i] + (twice ? in[i] : T(0));
    return worker != 5;
  }
};

/// No fields.
class Empty : public poplar::Vertex {
public:
  void compute() noexcept {}
};

/// Padding in front of the fields, an unlisted member.
struct Loose : poplar::Vertex {
  volatile unsigned char scratch;
  double unlisted;
  poplar::Output<int> out;
  void compute() { *out = scratch == 0 && unlisted == 0 ? 7 : -1; }
};

/// Arrays and short vectors, those of <poplar/VectorTypes.hpp> and the program's own.
class Shapes : public poplar::Vertex {
  typedef double double2 __attribute__((vector_size(16))); // not a field

public:
  typedef unsigned char uchar8 __attribute__((vector_size(8)));
  typedef long longs __attribute__((vector_size(16)));
  enum Mode : unsigned short { Slow, Fast };
  int grid[2][3];
  Mode modes[2];
  float4 quad;
  volatile half2 twins[5];
  poplar::half lone[1];
  poplar::Input<float2> edge;
  poplar::Output<poplar::Vector<half4, poplar::VectorLayout::ONE_PTR>> out;
  poplar::Vector<poplar::InOut<poplar::Vector<uchar8, poplar::VectorLayout::SPAN, 32>>> rows;
  poplar::Vector<poplar::Input<longs>> edges;
  poplar::Input<poplar::VectorList<ushort4, poplar::VectorListLayout::DELTAN, 2>> list;
  poplar::Vector<int2> table;
  void compute() { static_cast<void>(sizeof(double2)); }
};

/// Members with initialisers, and a constructor that the compiler makes.
class Initialised : public poplar::Vertex {
  float factor = 2.5f;
  poplar::Input<float> in;
  const bool flag = true;
  int zero = 0;

public:
  enum Mode : unsigned char { Slow, Fast };
  Mode mode = Fast;
  short taps[3] = {-1, 0, 7};
  double unlisted = 3;
  poplar::Output<float> out;
  void compute() { *out = factor * in; }
};

/// One that is declared only, so that nobody can ask for the initialisers.
class Constructed : public poplar::Vertex {
public:
  Constructed();
  float factor = 2.5f;
  poplar::Output<float> out;
  void compute() { *out = factor; }
};

/// Fields that ask for alignment and interleaved memory.
template <unsigned alignment> class Asks : public poplar::Vertex {
  template <class T, bool interleaved = false>
  using Rows = poplar::Vector<T, poplar::VectorLayout::ONE_PTR, alignment, interleaved>;

public:
  poplar::Input<poplar::Vector<float>> nothing;
  poplar::Input<Rows<poplar::half>> aligned;
  poplar::InOut<Rows<float, true>> both;
  poplar::Vector<poplar::Output<Rows<int, true>>> rows;
  poplar::Vector<poplar::Input<poplar::Vector<int>>, poplar::VectorLayout::SPAN, 32, true> outer;
  poplar::Input<poplar::VectorList<char, poplar::VectorListLayout::DELTANELEMENTS, alignment, true>>
      list;
  Rows<unsigned, true> state;
  poplar::Vector<float, poplar::VectorLayout::SPAN, 2> natural; // its elements want more
  void compute() {}
};

} // namespace deep
} // namespace registration_test

POPLAR_VERTEX(registration_test::deep::Private, n, in, k)
POPLAR_VERTEX(registration_test::deep::Derived, y, x);
POPLAR_VERTEX_TEMPLATE((registration_test::deep::Template<float, true>), in, out)
POPLAR_VERTEX_TEMPLATE(registration_test::deep::Template, (int, false), in, out);
POPLAR_VERTEX(registration_test::deep::Empty)
POPLAR_VERTEX(registration_test::deep::Loose, out)
POPLAR_VERTEX_TEMPLATE((registration_test::deep::Asks<16>), nothing, aligned, both, rows, outer,
                       list, state, natural)
POPLAR_VERTEX(registration_test::deep::Initialised, factor, in, flag, zero, mode, taps, out)
POPLAR_VERTEX(registration_test::deep::Constructed, factor, out)
POPLAR_VERTEX(registration_test::deep::Shapes, grid, modes, quad, twins, lone, edge, out, rows,
              edges, list, table)
