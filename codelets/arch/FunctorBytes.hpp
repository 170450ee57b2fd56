/// \file FunctorBytes.hpp
/// Functors of applications as fields of vertices: their bytes, in a Vector<unsigned>.
#pragma once

#include <codelets/arch/Isa.hpp>

#include <type_traits>

namespace cottonwood::vertices {

/// Words that hold a functor.
template <class F>
inline constexpr unsigned FUNCTOR_WORDS = (sizeof(F) + sizeof(unsigned) - 1) / sizeof(unsigned);

/// A copy of the functor whose bytes a field holds.
template <class F> class FunctorBytes {
  static_assert(std::is_trivially_copyable_v<F>,
                "a functor is copied into vertices byte by byte: it must be trivially copyable");

public:
  POP_SIMD_INLINE explicit FunctorBytes(const unsigned *bytes) {
    __builtin_memcpy(memory_, bytes, sizeof(F));
  }
  POP_SIMD_INLINE const F *get() const {
    return __builtin_launder(reinterpret_cast<const F *>(memory_));
  }

private:
  alignas(F) unsigned char memory_[sizeof(F)];
};

} // namespace cottonwood::vertices
