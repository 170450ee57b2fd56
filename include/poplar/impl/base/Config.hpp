// Build modes and language-level macros. Included first by every published header.
//
// Compiled mode (default): bodies live in libpoplar and its companions; published headers parse as
// C++11. Header-only mode (POPLAR_HEADER_ONLY, C++20): entering any published header brings in all
// of the library. That is why published headers have classic include guards *after* the include of
// this file: the first entry goes through HeaderOnly.hpp, which includes every published header
// (this one again, too) and then the bodies.
#ifndef POPLAR_IMPL_BASE_CONFIG_HPP
#define POPLAR_IMPL_BASE_CONFIG_HPP

#if defined(POPLAR_HEADER_ONLY)
#if __cplusplus < 202002L
#error "POPLAR_HEADER_ONLY needs C++20: compile with -std=c++20, or link the compiled libraries"
#endif
#define POP_INLINE inline
#define POP_API
#define POP_MODE cottonwood_mode_header_only
#define POP_MODE_TEXT "cottonwood_mode_header_only"
#else
#define POP_INLINE
#define POP_API __attribute__((visibility("default")))
#define POP_MODE cottonwood_mode_compiled
#define POP_MODE_TEXT "cottonwood_mode_compiled"
#endif

#define POP_ALWAYS_INLINE inline __attribute__((always_inline))

#if __cplusplus >= 201703L
#define POP_CXX17 1
#define POP_NODISCARD [[nodiscard]]
#else
#define POP_CXX17 0
#define POP_NODISCARD
#endif

// A program that mixes translation units of both modes would have two copies of every registry.
// Each unit has one strong symbol, an alias of an inline function named after the mode and so in
// its COMDAT group: equal modes fold, different modes collide and the linker reports "multiple
// definition of cottonwood_one_mode_per_program". Link time optimisers of g++ and clang++ know of
// groups of functions, not of those that assembly makes.
#if defined(__ELF__) && !defined(POP_NO_MODE_SYMBOL)
extern "C" {
__attribute__((used, nothrow, visibility("hidden"))) inline void POP_MODE() {}
__attribute__((alias(POP_MODE_TEXT), nothrow, visibility("hidden"))) void
cottonwood_one_mode_per_program();
}
#endif

#endif

#if defined(POPLAR_HEADER_ONLY)
#include <poplar/impl/HeaderOnly.hpp>
#endif
