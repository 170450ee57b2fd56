#include <popops/impl/Config.hpp>
#ifndef POPOPS_ENCODING_CONSTANTS_HPP
#define POPOPS_ENCODING_CONSTANTS_HPP

// Also included by vertices, hence macros.

/// A label that takes no part: no loss, no gradient, not counted.
#define MASKED_LABEL_CODE 0xFFFFFFFFU

/// Added to a probability before its logarithm is taken: the smallest normal float, and the
/// smallest half.
#define EPS_LOG_N_FLOAT (1.17549435e-38F)
#define EPS_LOG_N_HALF (0.000000059605F)

#endif
