// What one compiler has and another has not: D25, D26, D42, D43.
#include <poplar/Vertex.hpp>

using namespace poplar;

class D25 : public SupervisorVertex {
public:
  Input<int> a;
  Output<int> out;
  __attribute__((target("supervisor"))) bool compute() {
    out = help(a);
    return true;
  }
  __attribute__((target("worker"))) static int help(int x) { return x + 25; }
};
class D25After : public SupervisorVertex {
public:
  Input<int> a;
  Output<int> out;
  bool compute() __attribute__((target("supervisor"))) {
    out = a + 26;
    return true;
  }
};
#define SUPERVISOR __attribute__((noinline, target("supervisor")))
class D25Macro : public SupervisorVertex {
  int target; // a name like any other

public:
  Input<int> a;
  Output<int> out;
  SUPERVISOR void compute() {
    target = a + 27;
    out = target;
  }
};

static __attribute__((always_inline)) inline unsigned inlined(unsigned x) { return x + 1; }
static __attribute__((noinline)) unsigned called(unsigned x) { return x * 2; }
class D26 : public Vertex {
public:
  Input<unsigned> a;
  Output<unsigned> out;
  static __attribute__((always_inline)) unsigned member(unsigned x) { return x - 3; }
  __attribute__((unused)) static void unusedMember() {}
  void compute() { out = member(called(inlined(a))); }
};

class D42 : public Vertex {
public:
  Input<Vector<int>> x;
  Output<int> out;
  Input<unsigned> n;
  void compute() {
    __builtin_assume(n < 1000);
    int sum = 0;
#pragma unroll
    for (unsigned i = 0; i < n; ++i)
      sum += x[i];
#pragma clang loop unroll(disable)
    for (unsigned i = 0; i < n; ++i)
      sum += x[i];
#pragma unroll 4
    for (unsigned i = 0; i < n; ++i)
      sum += x[i];
    out = sum;
  }
};

template <typename T> class D43 : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> x;
  Output<Vector<T, VectorLayout::ONE_PTR, 8>> y;
  typedef T *__attribute__((align_value(8))) Aligned;
  void compute() {
    const T *__attribute__((align_value(8))) p = &x[0];
    Aligned q = &y[0];
    q[0] = p[1];
    q[1] = p[0];
  }
};
template class D43<float>;

// A condition that must not be evaluated, and one of a template's arguments.
template <unsigned n> class Assumes : public Vertex {
public:
  InOut<unsigned> k;
  void compute() {
    __builtin_assume(n % 2 == 0 && k > 0);
    unsigned copy = k;
    k = copy + n;
  }
};
template class Assumes<4>;

typedef float Four __attribute__((vector_size(16)));
class Attributes : public Vertex {
public:
  Output<Vector<float>> out;
  void compute() {
    float data[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
    Four v = *reinterpret_cast<Four *>(data);
    v = v * v;
    int statement = ({
      int inner = 5;
      inner + 1;
    });
    for (unsigned i = 0; i < 4; ++i)
      out[i] = v[i];
    out[4] = static_cast<float>(statement);
#ifdef __x86_64__
    asm volatile("nop");
#endif
  }
};
