#include <popnn/impl/Config.hpp>
#ifndef POPNN_NON_LINEARITY_DEF_HPP
#define POPNN_NON_LINEARITY_DEF_HPP

namespace popnn {

enum class NonLinearityType {
  SIGMOID,        ///< 1 / (1 + e^-x)
  HARD_SIGMOID,   ///< max(0, min(1, 0.2 x + 0.5))
  RELU,           ///< max(0, x); 0 for NaN
  TANH,           ///< tanh(x)
  GELU,           ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
  GELU_ERF,       ///< x/2 (1 + erf(x / sqrt(2)))
  SWISH,          ///< x / (1 + e^-x)
  SOFTMAX,        ///< e^x / sum(e^x) over the innermost dimension
  SOFTMAX_STABLE, ///< the same, with the maximum subtracted first
  SOFTMAX_SCALED  ///< SOFTMAX_STABLE times 62000, for HALF
};

} // namespace popnn

#endif
