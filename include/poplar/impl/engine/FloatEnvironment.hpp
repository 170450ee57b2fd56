// Vertices compute with round to nearest, subnormals kept and exceptions masked, whatever the
// application has set.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <cfenv>
#include <cstdint>

namespace cottonwood::engine {

/// Exceptions that an arithmetic operation may raise.
struct FloatFlags {
  static constexpr unsigned INVALID = 1, DIVIDE_BY_ZERO = 4, OVERFLOWS = 8;
};

#if defined(__x86_64__)

/// FloatFlags raised on this thread since clearFloatFlags().
inline unsigned raisedFloatFlags() {
  return __builtin_ia32_stmxcsr() &
         (FloatFlags::INVALID | FloatFlags::DIVIDE_BY_ZERO | FloatFlags::OVERFLOWS);
}
inline void clearFloatFlags() { __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~0x3fu); }

class FloatEnvironment {
public:
  FloatEnvironment() : saved_(__builtin_ia32_stmxcsr()) {
    if (saved_ != STANDARD)
      __builtin_ia32_ldmxcsr(STANDARD);
  }
  ~FloatEnvironment() {
    // Sticky flags that vertices raised are no concern of the application's.
    if (__builtin_ia32_stmxcsr() != saved_)
      __builtin_ia32_ldmxcsr(saved_);
  }
  FloatEnvironment(FloatEnvironment const &) = delete;
  FloatEnvironment &operator=(FloatEnvironment const &) = delete;

private:
  static constexpr unsigned STANDARD = 0x1f80; // power-on value of MXCSR
  unsigned saved_;
};

#else

inline unsigned raisedFloatFlags() {
  int const raised = std::fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
  return ((raised & FE_INVALID) != 0 ? FloatFlags::INVALID : 0) |
         ((raised & FE_DIVBYZERO) != 0 ? FloatFlags::DIVIDE_BY_ZERO : 0) |
         ((raised & FE_OVERFLOW) != 0 ? FloatFlags::OVERFLOWS : 0);
}
inline void clearFloatFlags() { std::feclearexcept(FE_ALL_EXCEPT); }

class FloatEnvironment {
public:
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
  FloatEnvironment(FloatEnvironment const &) = delete;
  FloatEnvironment &operator=(FloatEnvironment const &) = delete;

private:
  std::fenv_t saved_;
};

#endif

} // namespace cottonwood::engine
