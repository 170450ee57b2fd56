// What vertices write, as a host sees them (__IPU__ is not defined): it has to compile in every
// standard from C++11 on. The numbers are those of the list of idioms (D1 ...).
#include <poplar/AvailableVTypes.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Loops.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/StackSizeDefs.hpp>
#include <poplar/TileConstants.hpp>
#include <poplar/Vertex.hpp>

#include <StackSizeDefs.hpp>
#include <algorithm>
#include <arch/gc_tile_defines.h>
#include <cassert>
#include <ipu_builtins.h>
#include <ipu_intrinsics>
#include <ipu_memory_intrinsics>
#include <ipu_vector_math>
#include <limits>
#include <print.h>
#ifdef __IPU__
#include <poplar/VectorTypes.hpp>
#endif
#if __IPU_ARCH_VERSION__ >= 21
#error "no host is an IPU"
#endif

using namespace poplar; // D6

static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR; // D7
static constexpr auto SPAN = VectorLayout::SPAN;               // D8
static constexpr auto DELTAN = poplar::VectorListLayout::DELTAN;
#ifdef VECTOR_AVAIL_SCALED_PTR64
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::SCALED_PTR64;
#else
static constexpr auto PTR_ALIGN64 = poplar::VectorLayout::ONE_PTR;
#endif

class D1 : public Vertex {
public:
  Input<Vector<float>> x;
  Output<float> sum;
  bool compute() {
    *sum = 0;
    for (unsigned i = 0; i < x.size(); ++i)
      *sum += x[i];
    return true;
  }
};

class D3 : public Vertex { // also D2, D13b
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  void compute() {
    float s = 0;
    if (in->size() != out->size())
      return;
    for (auto v : in)
      s += v;
    for (const auto &v : in)
      s += v;
    for (auto &v : out)
      v = s;
  }
};

class D4 : public MultiVertex {
public:
  InOut<Vector<int>> x;
  bool compute(unsigned w) {
    constexpr unsigned stride = 8 * numWorkers(); // D5
    static_assert(stride == 48, "six workers");
    float tmp[CTXT_WORKERS] = {}; // D41
    if (w == CTXT_WORKERS - 1)
      tmp[w] = 1;
    for (auto i = w; i < x.size(); i += numWorkers())
      x[i] += int(tmp[w]);
    return true;
  }
};

template <typename T> class D9 : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> a;
  Output<Vector<T, ONE_PTR, 8>> out;
  Vector<Input<Vector<T, SPAN, 8>>> in;                 // D11
  Vector<Output<Vector<T, ONE_PTR, 8>>, ONE_PTR> out2d; // D12
  Input<unsigned> n;                                    // D13
  InOut<unsigned> k;
  Output<float> result;
  void compute(unsigned w) {
    const T *p = &a[0];
    const float *q = reinterpret_cast<const float *>(&a[0]);
    T *d = out.data(); // D10
    auto r = reinterpret_cast<float *>(out.data()) + w;
    for (unsigned i = w; i < n; i += this->numWorkers())
      d[i] = p[i];
    for (unsigned i = w; i < n; i += MultiVertex::numWorkers())
      out2d[0][i] = in[0][i];
    auto &row = out2d[0];
    row[0] = T(in[0].size());
    k += 1;
    *k = (*k + 1) % 7;
    result = q == r ? 1.0f : 0.0f;
  }
};

class D13c : public Vertex {
public:
  Vector<Output<int>, ONE_PTR> s;
  Vector<Input<float>, ONE_PTR> in;
  Output<bool> flag; // D14
  void compute() {
    s[0] = 3;
    float x = in[1];
    *flag = x < 2;
    if (*flag)
      *flag = false;
  }
};

class D15 : public Vertex {
public:
  D15(); // D16
  const unsigned count;
  unsigned short n;
  volatile uint8_t scratch;
  bool compute() { return count == n + unsigned(scratch); }
};

template <typename A, typename B, bool C> class D17 : public Vertex {
public:
  Input<A> a;
  Output<B> b;
  bool compute() {
    b = C ? B(*a) : B(0);
    return true;
  }
};
template class D17<float, half, true>;
template class D17<int, float, false>;

template <typename T> class D18 : public Vertex {
public:
  void compute() {}
};
template <> class D18<int> : public MultiVertex {
public:
  void compute(unsigned) {}
};
template <typename T, bool B> class D19 : public Vertex {
public:
  void compute() {}
};
template <typename T> class D19<T, true> : public Vertex {
public:
  Input<T> x;
  void compute() {}
};
template class D18<float>;
template class D19<float, true>;

constexpr bool hasAssembly = false;
class D20 : public SupervisorVertexIf<hasAssembly> {
  static const bool needsAlignWorkers = false;

public:
  static const bool isExternalCodelet = hasAssembly;
  bool compute() { return !needsAlignWorkers; }
};

#define INST(T) template class D9<T>;
INST(float)
INST(half)
INST(unsigned char) // D21

namespace a { // D22
namespace b {
class D22 : public Vertex {
public:
  void compute() {}
};
} // namespace b
} // namespace a
#if __cplusplus >= 201703L
namespace a::b {
class Nested : public Vertex {
public:
  void compute() {}
};
} // namespace a::b
#endif

class [[poplar::constraint("elem(*x) != elem(*y)", "elem(*x) != elem(*z)")]] D23 : public Vertex {
public:
  Input<float> x, y, z;
  void compute() {}
};
template <typename T> class [[poplar::constraint("elem(**x) != elem(*y)")]] D23T : public Vertex {
public:
  Vector<Input<Vector<T>>> x;
  Input<T> y;
  void compute() {}
};
template class D23T<half>;
class WORKER_ALIGN D24 : public Vertex {
public:
  NO_INSTRUMENT void compute() {}
};

#ifdef __clang__ // GCC knows neither (a codelet compiler takes them away)
class D25 : public SupervisorVertex {
public:
  __attribute__((target("supervisor"))) bool compute() { return true; }
};
class D25b : public SupervisorVertex {
public:
  bool compute() __attribute__((target("supervisor"))) { return true; }
};
#endif

static __attribute__((always_inline)) inline unsigned d26(unsigned x) { return x + 1; }
static __attribute__((noinline)) unsigned d26b(unsigned x) { return d26(x); }

template <typename T> struct Helper { // D28, D29
  static T init() { return 1; }
  static T least() { return std::numeric_limits<T>::lowest(); }
  static bool check(T x) { return x == 0 || x < std::numeric_limits<T>::max() || T{} == T(0.5); }
};

static __attribute__((always_inline)) inline unsigned inlined26(unsigned x) { return x + 1; }
static __attribute__((noinline)) unsigned called26(unsigned x) { return x * 2; }
class D26 : public Vertex {
public:
  Input<unsigned> x;
  Output<unsigned> y;
  static __attribute__((always_inline)) unsigned member(unsigned v) { return v - 1; }
  bool compute() {
    *y = member(called26(inlined26(*x)));
    return true;
  }
};

class D27 : public Vertex {
public:
  Input<Vector<half, ONE_PTR>> a, b;
  Output<Vector<half, ONE_PTR>> out;
  Input<unsigned> n;
  Output<float> sum;
  void compute() {
    float f = 0.5f, acc = 0, x = 2;
    half h = 0;
    h = static_cast<half>(f);
    float g = h;
    for (unsigned i = 0; i < n; ++i) {
      acc += float(a[i]) * x;
      out[i] = a[i] + b[i];
      out[i] = f;
    }
    h += g;
    h *= static_cast<half>(2);
    half r = h + g * 2.0f;
    half m = -h;
    out[0] = a[0] > m ? a[0] : half(0);
    acc += std::sqrt(float(h)) + static_cast<float>(fabs(acc)) + float(std::exp(float(r))); // D49
    *sum = acc + float(Helper<half>::init()) + float(Helper<half>::check(h)) + float(d26b(1));
    const half *from = &a[0]; // D31
    std::memcpy(&out[0], from, n * sizeof(half));
    memcpy(&out[0], &b[0], n * sizeof(half));
    const T1 *__attribute__((align_value(8))) unusedPointer = nullptr; // D43
    (void)unusedPointer;
  }

private:
  using T1 = float;
};

#if __cplusplus >= 201703L
template <typename T> class D30 : public Vertex {
public:
  Input<T> x;
  Output<float> y;
  void compute() {
    if constexpr (std::is_same<T, half>::value)
      *y = float(*x);
    else if constexpr (std::is_same_v<T, quarter>)
      *y = toFloat(*x, quarter_metadata{quarter_metadata::f143, 0});
    else
      *y = static_cast<float>(*x);
  }
};
template class D30<half>;
template class D30<quarter>;
template class D30<int>;
#endif

class D32 : public Vertex {
public:
  Input<VectorList<unsigned, DELTAN>> lists;
  Output<VectorList<int, poplar::VectorListLayout::COMPACT_DELTAN>> out;
  void compute() {
    const auto &wl = lists[0];
    for (unsigned j = 0; j + 1 < wl.size(); j += 3)
      out[0][j] = static_cast<int>(wl[j] + wl[j + 1]);
    for (auto row : lists)
      out[0][0] += static_cast<int>(row.size() ? row[0] : 0);
  }
};

class D33 : public Vertex {
public:
  Input<Vector<quarter, ONE_PTR, 8>> in;
  Vector<Output<Vector<quarter>>> out;
  Input<Vector<float>> values;
  void compute() {
    quarter_metadata md = unpackMetadata(in.getMetadata());
    quarter_metadata mdOut = unpackMetadata(out.getMetadata());
    quarter *dst = &out[0][0];
    for (unsigned i = 0; i < values.size(); ++i)
      *dst++ = toQuarter(values[i], mdOut, 1);
    *dst = toQuarter(toHalf(in[0], md), md);
    *reinterpret_cast<unsigned char *>(dst) = quarter(0).value;
  }
};

class D34 : public Vertex {
public:
  InOut<float> x;
  void compute() {
#if defined(__IPU__) && __IPU_ARCH_VERSION__ >= 21
    asm volatile("unknown");
#else
    *x = *x * 2;
#endif
  }
};

#ifdef __POPC__ // D35: one file for both sides
class OnlyForTheDevice : public Vertex {
public:
  bool compute() { return true; }
};
#else
int main() {}
#endif

class D36 : public Vertex {
  InOut<unsigned> n;

public:
  bool compute() {
    n++;
    return n > 3u;
  }
};

template <typename T> struct D37Base : public Vertex { Input<T> x; };
struct D37 : public D37Base<float> {
  Output<float> y;
  void compute() { y = x; }
};
class D37Private : Vertex {
public:
  void compute() {}
};

template <typename T> class D38 : public Vertex {
public:
  Vector<Input<Vector<T, ONE_PTR, 8>>> data;
  using Sub = InOut<Vector<T, ONE_PTR, 4>>; // D39
  Vector<Sub, ONE_PTR> f;
  template <class V> static void each(V const &v, T x) { v[0] = x; }
  static void run(Vector<Input<Vector<T, ONE_PTR, 8>>> const &lists, Sub const &out) {
    for (unsigned i = 0; i < lists.size(); ++i)
      each(out, lists[i][0]);
  }
  void compute() { run(data, f[0]); }
};
template class D38<float>;

template <typename T, bool isInOut> class D40 : public Vertex {
public:
  typename std::conditional<isInOut, Input<Vector<T, ONE_PTR, 8>>,
                            InOut<Vector<T, ONE_PTR, 8>>>::type x;
  Output<T> y;
  void compute() { y = x[0]; }
};
template class D40<float, true>;
template class D40<half, false>;

#ifndef __clang__
#define __builtin_assume(x) (void)(x) // as a codelet compiler does for GCC
#endif
class D42 : public Vertex {
public:
  Input<Vector<int, PTR_ALIGN64, 8>> x;
  Input<Vector<int>> y;
  InOut<int> sum;
  Input<unsigned> n;
  void compute() {
    assert(y.size() % 1 == 0); // D46
    auto size = y.size();      // D47
    static_assert(std::is_integral<decltype(size)>::value, "");
    unsigned most = std::min<unsigned>(static_cast<unsigned>(size), n);
    __builtin_assume(most < 1000);
#ifdef __clang__
#pragma unroll
#endif
    for (rptsize_t i = 0; i < most; ++i)
      *sum += x[i] + y[i];
    printf("%f\n", static_cast<double>(most)); // D50
    (void)std::min(y.size(), y.size());
  }
};

#ifdef DEF_STACK_USAGE
DEF_STACK_USAGE(256, __runCodelet_V); // D45
#endif

// D44: helpers of a header that several codelets include.
template <unsigned n> inline unsigned times(unsigned x) { return n * x; }
constexpr unsigned table[] = {1, 2, 3};
static_assert(table[1] == 2, "");
inline unsigned useTable() {
  return times<2>(table[0]) + unsigned(DELTAN == VectorListLayout::DELTAN);
}
