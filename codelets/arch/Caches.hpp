/// \file Caches.hpp
/// What kernels and those who choose among them have in common to say about caches.
#pragma once

#include <cstddef>

namespace cottonwood::arch {

/// L2 caches from here on, bytes of one core, stand before a last cache that is far away: a core
/// gets a vector from it every eight cycles.
inline constexpr std::size_t LARGE_L2 = 2 * 1024 * 1024;

} // namespace cottonwood::arch
