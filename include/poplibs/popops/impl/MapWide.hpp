// Elementwise operations on integers of 16 and 64 bits.
#pragma once

#include <popops/impl/MapTerm.hpp>

namespace cottonwood::popops {

/// Whether an operation has operands or a result of a type that programs of map vertices do not
/// work on.
POP_INLINE bool isWideOperation(Term const &term);

/// Whether there is a vertex for it on operands of that type.
POP_INLINE bool isWideSupported(MapOp op, ::poplar::Type const &type, ::poplar::Type const &result);

} // namespace cottonwood::popops
