/// \file Intrinsics.hpp
/// The compiler's intrinsics, without GCC 12's false alarms: its AVX-512 headers start from
/// registers that are undefined on purpose and warn about them wherever they are inlined.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
