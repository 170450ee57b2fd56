// A source with its own short vectors, intrinsics and instructions, as it needs them where there
// are none.
#include <array>
#include <cstddef>
#include <cstring>

typedef uint16_t rptsize_t; // before any other include

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#ifndef __IPU__
template <typename T, std::size_t n> struct OwnVector : std::array<T, n> {};
using float2 = OwnVector<float, 2>;
using float4 = OwnVector<float, 4>;
using half2 = OwnVector<half, 2>;
using half4 = OwnVector<half, 4>;
using char2 = OwnVector<char, 2>;
using uchar4 = OwnVector<unsigned char, 4>;
using short2 = OwnVector<short, 2>;
using ushort4 = OwnVector<unsigned short, 4>;
using int2 = OwnVector<int, 2>;
using uint2 = OwnVector<unsigned, 2>;
using long4 = OwnVector<long, 4>;

namespace ipu {
template <typename T> T load_postinc(const T **a, int i) {
  T value = **a;
  *a += i;
  return value;
}
template <typename T> void store_postinc(T **a, T const &v, int i) {
  **a = v;
  *a += i;
}
template <typename T> T fma(T const &a, T const &b, T const &c) {
  T result;
  for (std::size_t i = 0; i < a.size(); ++i)
    result[i] = a[i] * b[i] + c[i];
  return result;
}
} // namespace ipu
static inline unsigned __builtin_ipu_get_tile_id() { return 4711; }
static inline float2 __builtin_ipu_f32v2axpy(float2 x, float2 y) { return ipu::fma(x, y, y); }
template <unsigned index> void __builtin_ipu_ld64putcs() {}
#endif

using namespace poplar;

class OwnNames : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x;
  Output<Vector<float, VectorLayout::ONE_PTR, 8>> y;
  Output<unsigned> tile;
  const rptsize_t n;
  bool compute() {
    auto in = reinterpret_cast<const float2 *>(x.data());
    auto out = reinterpret_cast<float2 *>(y.data());
    for (rptsize_t i = 0; i < n; ++i) {
      float2 v = ipu::load_postinc(&in, 1);
      ipu::store_postinc(&out, __builtin_ipu_f32v2axpy(v, v), 1);
    }
    *tile = __builtin_ipu_get_tile_id();
    return true;
  }
};
