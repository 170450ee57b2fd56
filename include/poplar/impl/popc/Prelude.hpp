// Included before every C++ source of codelets: what codelets take for granted and a host's
// compiler does not have.
//
// - GCC is given clang's idioms: the attributes target("supervisor") and align_value, and
// __builtin_assume.
// - The instructions of the device that mean something on a host are functions; the others are
// errors that name the
//   reason, once they are used.
//
// Every codelet parses it: it brings <cstdint> only. It defines no name of its own in the global
// namespace but the builtins, which are templates so that a source's own function of such a name is
// preferred.
#ifndef POPLAR_IMPL_POPC_PRELUDE_HPP
#define POPLAR_IMPL_POPC_PRELUDE_HPP
#pragma GCC system_header

#include <cstdint>
#include <poplar/impl/base/Mix.hpp>
#include <poplar/impl/popc/HostCalls.hpp>

#ifdef __clang__

#pragma clang diagnostic ignored "-Wunknown-attributes" // [[poplar::constraint(...)]]
#pragma clang diagnostic ignored "-Wignored-attributes" // target("supervisor")
#pragma clang diagnostic ignored "-Wassume"      // __builtin_assume of what a function returns
#pragma clang diagnostic ignored "-Wpass-failed" // a loop that #pragma unroll could not unroll

#else

#pragma GCC diagnostic ignored "-Wattributes"
#pragma GCC diagnostic ignored "-Wignored-attributes" // of vector types as template arguments
#pragma GCC diagnostic ignored                                                                     \
    "-Wunknown-pragmas" // has an effect since GCC 13; before, the option has

// __attribute__((target("supervisor"))) is an error for GCC. Attributes named here vanish from the
// first three places of an attribute list; so does target("avx2").
#define POP_ATTRIBUTE_DROPPED_target(x) ~,
#define POP_ATTRIBUTE_DROPPED_align_value(x) ~,
#define POP_ATTRIBUTE_SECOND(a, b, ...) b
#define POP_ATTRIBUTE_CHOOSE(...) POP_ATTRIBUTE_SECOND(__VA_ARGS__)
#define POP_ATTRIBUTE_KEPT(a) POP_ATTRIBUTE_CHOOSE(POP_ATTRIBUTE_DROPPED_##a, a, )
#define POP_ATTRIBUTE_LIST(a, b, c, ...)                                                           \
  POP_ATTRIBUTE_KEPT(a), POP_ATTRIBUTE_KEPT(b), POP_ATTRIBUTE_KEPT(c), __VA_ARGS__
#define POP_ATTRIBUTE_EACH(...) POP_ATTRIBUTE_LIST(__VA_ARGS__)
#define POP_ATTRIBUTE_BARE(...) __VA_ARGS__
#define __attribute__(x) __attribute__((POP_ATTRIBUTE_EACH(POP_ATTRIBUTE_BARE x, , )))

// Looks at the types of the condition only.
#define __builtin_assume(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))

#endif

// The special functions of C++17 are half of what <cmath> costs, and the device's library has none
// of them.
#if !__STDCPP_WANT_MATH_SPEC_FUNCS__
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif

namespace poplar {
class half;
} // namespace poplar

namespace cottonwood {
namespace field {
template <unsigned count> class HalfVector;
} // namespace field

namespace popc {

// The same types as float2 and float4, which are not named here: some sources have their own.
typedef float Float2 __attribute__((vector_size(8)));
typedef float Float4 __attribute__((vector_size(16)));
typedef int Int2 __attribute__((vector_size(8)));

/// The number of the worker status register, CSR_W_WSR__INDEX of <poplar/TileConstants.hpp>.
enum : unsigned { workerStatusIndex = 1 };

/// Enables a template for halves, which are not defined here.
template <class T> struct IfHalf {};
template <> struct IfHalf<poplar::half> { typedef poplar::half type; };

/// A counter of the machine that goes at a steady rate, whatever the clock of its cores does.
inline __attribute__((always_inline)) std::uint64_t cycles() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
#error "codelets need the cycle counter of this processor"
#endif
}

/// The next random bits of the running vertex: a function of the vertex's key, its worker and how
/// many it has drawn, whatever thread it runs on. 0 outside of a vertex.
inline __attribute__((always_inline)) std::uint64_t randomBits() {
  codelet::VertexContext *const vertex = codelet::runningVertex();
  if (!vertex)
    return 0;
  // Keys may differ by a multiple of the step: they are mixed before the worker is added.
  std::uint64_t const stream = base::scrambleBits(base::scrambleBits(vertex->randomKey) +
                                                  base::GOLDEN_STEP * (vertex->worker + 1));
  return base::scrambleBits(stream + base::GOLDEN_STEP * ++vertex->randomDraws);
}

/// A multiple of 2^-bits in (-0.5, 0.5] from as many random bits.
template <int bits> inline __attribute__((always_inline)) float centred(std::uint64_t random) {
  // The top bits as a signed number in [-2^(bits - 1), 2^(bits - 1)).
  int const value = static_cast<int>(static_cast<std::int64_t>(random) >> (64 - bits));
  return static_cast<float>(-value) * (1.0f / (1 << bits));
}

/// The type of what cannot be had, so that its use is the only error of a line.
struct Nothing {
  template <class T> operator T() const;
};

} // namespace popc
} // namespace cottonwood

// Always inlined: GCC does not mangle names that begin like those of its own builtins, so that two
// overloads in one object would be one symbol.
// Function templates give way to functions. They have no arguments to deduce; the unused parameter
// makes them templates.
#define POP_BUILTIN template <int = 0> inline __attribute__((always_inline))

/// The low and the high half of a counter of the machine's clock. Its cycles are not those of a
/// tile.
POP_BUILTIN unsigned __builtin_ipu_get_scount_l() {
  return static_cast<unsigned>(cottonwood::popc::cycles());
}
POP_BUILTIN unsigned __builtin_ipu_get_scount_u() {
  return static_cast<unsigned>(cottonwood::popc::cycles() >> 32);
}

/// The tile that the running vertex is mapped to.
POP_BUILTIN unsigned __builtin_ipu_get_tile_id() {
  cottonwood::codelet::VertexContext const *const vertex = cottonwood::codelet::runningVertex();
  return vertex ? vertex->tile : 0;
}
/// The running vertex itself: `this` of its compute().
POP_BUILTIN void *__builtin_ipu_get_vertex_base() {
  cottonwood::codelet::VertexContext const *const vertex = cottonwood::codelet::runningVertex();
  return vertex ? vertex->state : nullptr;
}
POP_BUILTIN bool __builtin_ipu_is_worker_mode() { return true; }

/// Registers. The worker status register holds the number of the worker, all others read as 0 and
/// keep nothing.
POP_BUILTIN unsigned __builtin_ipu_get(unsigned index) {
  cottonwood::codelet::VertexContext const *const vertex =
      index == cottonwood::popc::workerStatusIndex ? cottonwood::codelet::runningVertex() : nullptr;
  return vertex ? vertex->worker : 0;
}
POP_BUILTIN float __builtin_ipu_uget(unsigned) { return 0; }
POP_BUILTIN void __builtin_ipu_put(unsigned, unsigned) {}
template <class T> inline __attribute__((always_inline)) void __builtin_ipu_uput(T, unsigned) {}

/// Uniform random bits. The sequence of a vertex does not depend on threads.
POP_BUILTIN unsigned long long __builtin_ipu_urand64() { return cottonwood::popc::randomBits(); }
POP_BUILTIN unsigned __builtin_ipu_urand32() {
  return static_cast<unsigned>(cottonwood::popc::randomBits() >> 32);
}
/// Uniform in (-0.5, 0.5]: multiples of 2^-24, and of 2^-12 as a half.
POP_BUILTIN float __builtin_ipu_urand_f32() {
  return cottonwood::popc::centred<24>(cottonwood::popc::randomBits());
}
template <class Half = poplar::half>
inline __attribute__((always_inline)) Half __builtin_ipu_urand_f16() {
  return Half(cottonwood::popc::centred<12>(cottonwood::popc::randomBits()));
}

/// As std::fpclassify.
POP_BUILTIN int __builtin_ipu_f32class(float x) { return __builtin_fpclassify(0, 1, 4, 3, 2, x); }

/// Numbers and short vectors of floats and halves; vectors give masks.
template <class T>
inline __attribute__((always_inline)) auto __builtin_ipu_isnan(T x) -> decltype(x != x) {
  return x != x;
}
template <class T>
inline __attribute__((always_inline)) auto __builtin_ipu_isfinite(T x) -> decltype(x != x) {
  return x - x == x - x;
}
template <class T>
inline __attribute__((always_inline)) auto __builtin_ipu_isinf(T x) -> decltype(x != x) {
  return (x == x) & (x - x != x - x);
}
template <class T>
inline __attribute__((always_inline)) auto __builtin_ipu_cmplt(T a, T b) -> decltype(a < b) {
  return a < b;
}

/// 2^x
POP_BUILTIN float __builtin_ipu_exp2(float x) { return __builtin_exp2f(x); }
template <class Half>
inline __attribute__((always_inline)) typename cottonwood::popc::IfHalf<Half>::type
__builtin_ipu_exp2(Half x) {
  return Half(__builtin_exp2f(float(x)));
}
POP_BUILTIN cottonwood::popc::Float2 __builtin_ipu_exp2(cottonwood::popc::Float2 x) {
  return cottonwood::popc::Float2{__builtin_exp2f(x[0]), __builtin_exp2f(x[1])};
}
template <unsigned count>
inline __attribute__((always_inline)) cottonwood::field::HalfVector<count>
__builtin_ipu_exp2(cottonwood::field::HalfVector<count> x) {
  for (unsigned i = 0; i != count; ++i)
    x[i] = __builtin_exp2f(float(x[i]));
  return x;
}

/// The bits of a that b does not have.
POP_BUILTIN cottonwood::popc::Float2 __builtin_ipu_andc_f32(cottonwood::popc::Float2 a,
                                                            cottonwood::popc::Float2 b) {
  typedef cottonwood::popc::Int2 Bits;
  return reinterpret_cast<cottonwood::popc::Float2>(reinterpret_cast<Bits>(a) &
                                                    ~reinterpret_cast<Bits>(b));
}
POP_BUILTIN float __builtin_ipu_andc_f32(float a, float b) {
  return __builtin_ipu_andc_f32(cottonwood::popc::Float2{a, a}, cottonwood::popc::Float2{b, b})[0];
}
/// The low two bytes of each, from the lowest byte up: those of a, b, a, b.
POP_BUILTIN unsigned __builtin_ipu_shuf8x8lo(unsigned a, unsigned b) {
  return (a & 0xffu) | (b & 0xffu) << 8 | (a & 0xff00u) << 8 | (b & 0xff00u) << 16;
}

#undef POP_BUILTIN

// Through an ellipsis every other function of the name is the better match.
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define POP_UNAVAILABLE(text) __attribute__((unavailable(text)))
#endif
#endif
#ifndef POP_UNAVAILABLE
#define POP_UNAVAILABLE(text) __attribute__((error(text)))
#endif
#define POP_NO_BUILTIN(name, reason)                                                               \
  template <int = 0>                                                                               \
  POP_UNAVAILABLE("__builtin_ipu_" #name " has no meaning on a CPU: " reason                       \
                  "; keep it under #ifdef __IPU__")                                                \
  cottonwood::popc::Nothing __builtin_ipu_##name(...);

POP_NO_BUILTIN(tapack, "addresses are not packed for the load and store instructions of a tile")
POP_NO_BUILTIN(ld64putcs, "there are no matrix units whose weights could be loaded")
POP_NO_BUILTIN(ld128putcs, "there are no matrix units whose weights could be loaded")
POP_NO_BUILTIN(gina, "there are no accumulators of matrix units")
POP_NO_BUILTIN(f32v2gina, "there are no accumulators of matrix units")
POP_NO_BUILTIN(f32v2axpy, "there is no scale register for the instruction")
POP_NO_BUILTIN(f32v2aop, "there are no accumulators of matrix units")
POP_NO_BUILTIN(f32v2cmac, "there are no accumulators of matrix units")
POP_NO_BUILTIN(f16v2cmac, "there are no accumulators of matrix units")
POP_NO_BUILTIN(f16v4cmac, "there are no accumulators of matrix units")
POP_NO_BUILTIN(aacc_zero, "there are no accumulators of matrix units")
POP_NO_BUILTIN(put_tas, "there is no scale register to be set")

#undef POP_NO_BUILTIN
#undef POP_UNAVAILABLE

#endif
