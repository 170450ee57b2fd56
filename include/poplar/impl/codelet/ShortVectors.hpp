// Short vectors under names of ours: codelets in the wild define float2 and its like themselves.
#ifndef POPLAR_IMPL_CODELET_SHORTVECTORS_HPP
#define POPLAR_IMPL_CODELET_SHORTVECTORS_HPP

#include <cstdint>
#include <poplar/HalfFloat.hpp>
#include <type_traits>

namespace cottonwood {
namespace field {

typedef float Float2 __attribute__((vector_size(8)));
typedef float Float4 __attribute__((vector_size(16)));

/// What comparisons of vectors of halves give. Spelt out: GCC loses sizes that depend on templates.
template <unsigned count> struct HalfMask;
template <> struct HalfMask<2> { typedef short type __attribute__((vector_size(4))); };
template <> struct HalfMask<4> { typedef short type __attribute__((vector_size(8))); };
template <> struct HalfMask<8> { typedef short type __attribute__((vector_size(16))); };

/// A vector of halves: compilers have none that work on every machine. Each element computes in
/// float and is rounded; a scalar stands for a vector of its half. Comparisons give masks: vectors
/// of short, -1 where true and 0 elsewhere.
template <unsigned count> class alignas(count < 4 ? 2 * count : 8) HalfVector {
public:
  typedef typename HalfMask<count>::type Mask;

  HalfVector() = default;
  template <class... T, class = typename std::enable_if<sizeof...(T) == count>::type>
  POP_ALWAYS_INLINE HalfVector(T... values) noexcept : values_{half(values)...} {}

  POP_ALWAYS_INLINE half &operator[](unsigned i) { return values_[i]; }
  POP_ALWAYS_INLINE half const &operator[](unsigned i) const { return values_[i]; }

  POP_ALWAYS_INLINE HalfVector operator+() const { return *this; }
  POP_ALWAYS_INLINE HalfVector operator-() const {
    HalfVector result;
    for (unsigned i = 0; i != count; ++i)
      result.values_[i] = half::fromBits(static_cast<std::uint16_t>(values_[i].bit16() ^ 0x8000u));
    return result;
  }

#define POP_HALF_VECTOR_OPERATOR(OP)                                                               \
  POP_ALWAYS_INLINE HalfVector &operator OP##=(HalfVector const &other) {                          \
    for (unsigned i = 0; i != count; ++i)                                                          \
      values_[i] OP## = other.values_[i];                                                          \
    return *this;                                                                                  \
  }                                                                                                \
  POP_ALWAYS_INLINE HalfVector &operator OP##=(half other) {                                       \
    for (unsigned i = 0; i != count; ++i)                                                          \
      values_[i] OP## = other;                                                                     \
    return *this;                                                                                  \
  }                                                                                                \
  friend POP_ALWAYS_INLINE HalfVector operator OP(HalfVector a, HalfVector const &b) {             \
    return a OP## = b;                                                                             \
  }                                                                                                \
  friend POP_ALWAYS_INLINE HalfVector operator OP(HalfVector a, half b) { return a OP## = b; }     \
  friend POP_ALWAYS_INLINE HalfVector operator OP(half a, HalfVector const &b) {                   \
    return splat(a) OP## = b;                                                                      \
  }
  POP_HALF_VECTOR_OPERATOR(+)
  POP_HALF_VECTOR_OPERATOR(-)
  POP_HALF_VECTOR_OPERATOR(*)
  POP_HALF_VECTOR_OPERATOR(/)
#undef POP_HALF_VECTOR_OPERATOR

#define POP_HALF_VECTOR_COMPARISON(OP)                                                             \
  friend POP_ALWAYS_INLINE Mask operator OP(HalfVector const &a, HalfVector const &b) {            \
    Mask mask;                                                                                     \
    for (unsigned i = 0; i != count; ++i)                                                          \
      mask[i] = float(a.values_[i]) OP float(b.values_[i]) ? -1 : 0;                               \
    return mask;                                                                                   \
  }                                                                                                \
  friend POP_ALWAYS_INLINE Mask operator OP(HalfVector const &a, half b) { return a OP splat(b); } \
  friend POP_ALWAYS_INLINE Mask operator OP(half a, HalfVector const &b) { return splat(a) OP b; }
  POP_HALF_VECTOR_COMPARISON(==)
  POP_HALF_VECTOR_COMPARISON(!=)
  POP_HALF_VECTOR_COMPARISON(<)
  POP_HALF_VECTOR_COMPARISON(<=)
  POP_HALF_VECTOR_COMPARISON(>)
  POP_HALF_VECTOR_COMPARISON(>=)
#undef POP_HALF_VECTOR_COMPARISON

private:
  static POP_ALWAYS_INLINE HalfVector splat(half value) {
    HalfVector result;
    for (unsigned i = 0; i != count; ++i)
      result.values_[i] = value;
    return result;
  }

  half values_[count];
};

} // namespace field
} // namespace cottonwood

#endif
