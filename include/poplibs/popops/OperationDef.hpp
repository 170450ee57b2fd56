#include <popops/impl/Config.hpp>
#ifndef POPOPS_OPERATION_DEF_HPP
#define POPOPS_OPERATION_DEF_HPP

namespace popops {

/// How a reduction combines elements. SQUARE_ADD sums squares; LOG_ADD sums numbers given by their
/// logarithms.
enum class Operation { ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD, LOG_ADD };

} // namespace popops

#endif
