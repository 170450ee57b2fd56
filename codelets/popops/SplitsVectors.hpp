/// \file SplitsVectors.hpp
/// Where kernels with eight lanes serve sets with sixteen.
#pragma once

#include <poplar/impl/base/Config.hpp>

namespace cottonwood::kernels {

#if !defined(POPLAR_HEADER_ONLY)
/// Whether instructions on 512 bits run as two on 256.
POP_API bool splitsVectors();
#endif

} // namespace cottonwood::kernels
