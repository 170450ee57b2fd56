#include <popnn/impl/Config.hpp>
#ifndef POPNN_POOLING_DEF_HPP
#define POPNN_POOLING_DEF_HPP

namespace popnn {

enum class PoolingType {
  MAX, ///< the largest element
  AVG, ///< the mean of the elements, padding not counted
  SUM  ///< the sum of the elements
};

} // namespace popnn

#endif
