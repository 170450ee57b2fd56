// Kinds of vertices and ways to declare them.
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>

// Workers take turns at the elements; each says who it was.
class Workers : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<unsigned>> who;
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::ONE_PTR>> x;
  const float factor;

  void compute(unsigned worker) {
    for (unsigned i = worker; i < who.size(); i += numWorkers()) {
      who[i] = worker;
      x[i] *= factor;
    }
  }
};

// The same with a result, which is true for all workers or not.
class WorkersAgree : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<unsigned>> x;
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> calls;
  bool compute(unsigned worker) {
    calls[worker] = x[worker] + 1;
    return x[worker] != 0;
  }
};

class Supervised : public poplar::SupervisorVertex {
  static const bool needsAlignWorkers = false;

public:
  poplar::Input<int> a;
  poplar::Output<int> out;
  bool compute() {
    out = a + (needsAlignWorkers ? 1 : 2);
    return true;
  }
};

constexpr bool asSupervisor = true, asWorkers = true;
class SupervisedIf : public poplar::SupervisorVertexIf<asSupervisor> {
  static const bool needsAlignWorkers = true;

public:
  static const bool isExternalCodelet = false;
  poplar::Input<int> a;
  poplar::Output<int> out;
  bool compute() {
    out = a + 3;
    return true;
  }
};
class NotSupervised : public poplar::SupervisorVertexIf<!asSupervisor> {
public:
  poplar::Input<int> a;
  poplar::Output<int> out;
  void compute() { out = a + 4; }
};
class WorkersIf : public poplar::MultiVertexIf<asWorkers> {
public:
  poplar::Output<poplar::Vector<unsigned>> who;
  void compute(unsigned worker) { who[worker] = 10 + worker; }
};
class NotWorkers : public poplar::MultiVertexIf<!asWorkers> {
public:
  poplar::Output<unsigned> out;
  void compute() { out = 11; }
};

struct Structure : poplar::Vertex {
  poplar::Input<int> a;
  poplar::Output<int> out;
  void compute() { out = a + 5; }
};

// Everything private: the base, the fields and compute().
class Private : poplar::Vertex {
  poplar::Input<int> a;
  poplar::Output<int> out;
  int offset;
  bool compute() {
    out = a + offset;
    return true;
  }
};

class Protected : protected poplar::Vertex {
protected:
  poplar::Input<int> a;
  void compute() { out = a + 7; }
  poplar::Output<int> out;
};

// Fields of bases, some of them templates, are fields of the vertex.
class WithInput : public poplar::Vertex {
public:
  poplar::Input<int> a;
};
template <typename T> class WithOutput : public WithInput {
public:
  poplar::Output<T> out;
  const T scale;
};
class Inherits : public WithOutput<float> {
public:
  int offset;
  void compute() { out = static_cast<float>(*a + offset) * scale; }
};
template <typename T> class InheritsT : public WithOutput<T> {
public:
  void compute() { this->out = static_cast<T>(*this->a * 2) * this->scale; }
};
template class InheritsT<float>;
template class InheritsT<int>;

// compute() of a base; the classes in between have no vertex of their own unless they are named.
template <typename T, int offset> class ComputesFor : public poplar::Vertex {
public:
  poplar::Input<T> a;
  poplar::Output<T> out;
  bool compute() {
    out = a + offset;
    return true;
  }
};
class ComputeInherited : public ComputesFor<int, 8> {};
class CallsInherited : ComputesFor<int, 9> {
  poplar::Input<int> more;

public:
  void compute() {
    if (more != 0)
      ComputesFor<int, 9>::compute();
  }
};

// Helpers that are no vertices.
class NoCompute : public poplar::Vertex {
public:
  poplar::Input<int> a;
};
class Helper {
public:
  int x;
  void compute() {}
};

namespace outer {
class V : public poplar::Vertex {
public:
  poplar::Output<int> out;
  void compute() { out = 1; }
};
namespace inner {
class V : public poplar::Vertex {
public:
  poplar::Output<int> out;
  void compute() { out = 2; }
};
struct Enclosing {
  class V : public poplar::Vertex {
  public:
    poplar::Output<int> out;
    void compute() { out = 3; }
  };
};
} // namespace inner
inline namespace version {
class Inlined : public poplar::Vertex {
public:
  poplar::Output<int> out;
  void compute() { out = 4; }
};
} // namespace version
} // namespace outer

#if __cplusplus >= 201703L
namespace outer::inner::compact {
class V : public poplar::Vertex {
public:
  poplar::Output<int> out;
  void compute() { out = 5; }
};
} // namespace outer::inner::compact
#endif
class V : public poplar::Vertex {
public:
  poplar::Output<int> out;
  void compute() { out = 6; }
};

// Overloads and helpers named compute beside the real one.
class Overloads : public poplar::MultiVertex {
public:
  poplar::Output<poplar::Vector<unsigned, poplar::VectorLayout::ONE_PTR>> out;
  unsigned compute(unsigned a, unsigned b) const { return a * b; }
  void compute(unsigned worker) { out[worker] = compute(worker, worker); }
};

static_assert(poplar::MultiVertex::numWorkers() == CTXT_WORKERS, "one number");
