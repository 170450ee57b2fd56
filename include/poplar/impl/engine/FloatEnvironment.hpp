// Vertices compute with round to nearest, subnormals kept and exceptions masked, whatever the
// application has set.
#pragma once

#include <poplar/impl/base/Config.hpp>

#include <cfenv>
#include <cstdint>

namespace cottonwood::engine {

#if defined(__x86_64__)

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
