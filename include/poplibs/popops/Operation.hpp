#include <popops/impl/Config.hpp>
#ifndef POPOPS_OPERATION_HPP
#define POPOPS_OPERATION_HPP

#include <popops/OperationDef.hpp>

#include <iosfwd>

namespace popops {

/// Reads ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, SQUARE_ADD or LOG_ADD.
/// \throws poputil::poplibs_error  any other word.
POP_API std::istream &operator>>(std::istream &in, Operation &op);

/// Writes the enumerator's name, as operator>> reads it.
POP_API std::ostream &operator<<(std::ostream &os, Operation const &op);

} // namespace popops

#endif
