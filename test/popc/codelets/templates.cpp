// Vertices that are instances of templates: each out is a number that only its arguments give.
#include <array>
#include <cstddef>
#include <poplar/Vertex.hpp>
#include <type_traits>

using namespace poplar;

namespace math {
enum class Op { ADD, SUBTRACT = 5, NEGATIVE = -3 };
enum Plain { LOW, HIGH = 9 };
struct Product {
  static int apply(int a, int b) { return a * b; }
};
template <int bias> struct Biased {
  static int apply(int a, int b) { return a + b + bias; }
};
namespace deep {
struct Quotient {
  static int apply(int a, int b) { return a / b; }
};
} // namespace deep

// An enumerator of another namespace, and a class.
template <Op op, typename F> class Enumerated : public Vertex {
public:
  Input<int> a, b;
  Output<int> out;
  void compute() {
    out = F::apply(a, b) + (op == Op::ADD ? 100 : op == Op::SUBTRACT ? -100 : 1000);
  }
};
template class Enumerated<Op::ADD, Product>;
template class Enumerated<Op::SUBTRACT, deep::Quotient>;
template class Enumerated<Op::NEGATIVE, Biased<4>>;
template class Enumerated<static_cast<Op>(5), Biased<-2>>;
} // namespace math

// Types.
template <typename T> class Sized : public Vertex {
public:
  Output<int> out;
  void compute() { out = int(sizeof(T)) * 10 + (std::is_signed<T>::value ? 1 : 0); }
};
#define SIZED(T) template class Sized<T>;
SIZED(bool)
SIZED(char)
SIZED(signed char)
SIZED(unsigned char)
SIZED(short)
SIZED(unsigned short)
SIZED(int)
SIZED(unsigned)
SIZED(long long)
SIZED(unsigned long long)
SIZED(half)
SIZED(float)

// bool, and types of both sides.
template <typename A, typename B, bool add> class Converts : public Vertex {
public:
  Input<A> a;
  Output<B> out;
  bool compute() {
    out = static_cast<B>(add ? static_cast<float>(*a) + 1.0f : static_cast<float>(*a));
    return true;
  }
};
template class Converts<float, half, true>;
template class Converts<half, float, false>;
template class Converts<int, unsigned short, true>;

// Integers of all kinds.
template <int n> class Signed : public Vertex {
public:
  Output<int> out;
  void compute() { out = n; }
};
template class Signed<4>;
template class Signed<-17>;
template class Signed<0>;
template <unsigned n, std::size_t m> class Unsigned : public Vertex {
public:
  Output<int> out;
  void compute() { out = int(n) + int(m); }
};
template class Unsigned<3, 1000>;
template <char c, unsigned char u, short s> class Small : public Vertex {
public:
  Output<int> out;
  void compute() { out = c + u + s; }
};
template class Small<'a', 200, -300>;
template <long long n> class Wide : public Vertex {
public:
  Output<int> out;
  void compute() { out = static_cast<int>(n / 1000000000); }
};
template class Wide<-5000000000>;
template <math::Plain p> class Unscoped : public Vertex {
public:
  Output<int> out;
  void compute() { out = p; }
};
template class Unscoped<math::HIGH>;

// Layouts, and templates of templates for the direction of an edge.
template <typename T, VectorLayout L, unsigned align = alignof(T)> class Laid : public Vertex {
public:
  Input<Vector<T, L, align>> in;
  Output<int> out;
  void compute() { out = static_cast<int>(in[1]) + int(align); }
};
template class Laid<int, VectorLayout::ONE_PTR>;
template class Laid<float, VectorLayout::SPAN, 8>;
template <template <typename> class Edge> class Directed : public Vertex {
public:
  Edge<Vector<int, VectorLayout::SPAN, 8>> x;
  Output<int> out;
  void compute() { out = x[0] + (std::is_same<Edge<int>, InOut<int>>::value ? 1 : 2); }
};
template class Directed<Input>;
template class Directed<InOut>;

// Packs and defaults.
template <typename... T> class Pack : public Vertex {
public:
  Output<int> out;
  void compute() { out = sum(sizeof(T)...); }

private:
  static int sum() { return 1000; }
  template <typename... N> static int sum(std::size_t first, N... rest) {
    return static_cast<int>(first) + sum(rest...);
  }
};
template class Pack<>;
template class Pack<float>;
template class Pack<half, unsigned char, long long>;
template <int... n> class Numbers : public Vertex {
public:
  Output<int> out;
  void compute() {
    const int numbers[] = {0, n...};
    int sum = 0;
    for (int number : numbers)
      sum = 10 * sum + number;
    out = sum;
  }
};
template class Numbers<1, 2, 3>;
template <typename T = float, int n = 2, bool b = false> class Defaults : public Vertex {
public:
  Output<T> out;
  void compute() { out = T(b ? n : 10 * n); }
};
template class Defaults<>;
template class Defaults<int>;
template class Defaults<int, 3, true>;

// Specialisations: the kind of vertex and the fields may differ.
template <typename T> class Special : public Vertex {
public:
  Input<T> a;
  Output<T> out;
  void compute() { out = a; }
};
template <> class Special<int> : public MultiVertex {
public:
  Output<Vector<int>> out;
  void compute(unsigned worker) { out[worker] = -int(worker); }
};
template class Special<float>;

template <typename T, bool b> class Partial : public Vertex {
public:
  Output<T> out;
  void compute() { out = T(1); }
};
template <typename T> class Partial<T, true> : public Vertex {
public:
  Output<T> out;
  const T value;
  void compute() { out = value; }
};
template <> class Partial<half, true> : public Vertex {
public:
  Output<half> out;
  void compute() { out = 3; }
};
template class Partial<float, false>;
template class Partial<float, true>;

// Within namespaces; bases that are instances are no vertices of their own.
namespace a {
namespace b {
template <typename T, int n> class Base : public Vertex {
public:
  Output<T> out;
  void compute() { out = T(n); }
};
template <typename T> class Derived : public Base<T, 12> {};
} // namespace b
template class b::Derived<int>;
} // namespace a
template class a::b::Base<unsigned short, 13>;

using Alias = Signed<21>;
template class Signed<21>;
constexpr int computed(int x) { return x * x; }
template class Signed<computed(5)>;
