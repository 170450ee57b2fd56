/// \file SplitsVectors.hpp
/// Where kernels with eight lanes serve sets with sixteen, and lines are fetched near their use.
#pragma once

#include <poplar/impl/base/Config.hpp>

#if defined(POPLAR_HEADER_ONLY)
#include <codelets/arch/CpuFeatures.hpp>
#endif

namespace cottonwood::kernels {

/// Whether instructions on 512 bits run as two on 256.
#if defined(POPLAR_HEADER_ONLY)
inline bool splitsVectors() { return isa::cpuFeatures().splitsVectors; }
#else
POP_API bool splitsVectors();
#endif

} // namespace cottonwood::kernels
