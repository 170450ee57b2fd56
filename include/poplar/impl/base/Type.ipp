// Bodies of <poplar/Type.hpp>.
#pragma once

#include <ostream>
#include <poplar/Type.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

namespace poplar {

#if !defined(POPLAR_HEADER_ONLY)
#define POP_TYPE_CONSTANT(name, id)                                                                \
  constinit const Type name { cottonwood::base::TypeId::id }
POP_TYPE_CONSTANT(BOOL, Bool);
POP_TYPE_CONSTANT(CHAR, Char);
POP_TYPE_CONSTANT(UNSIGNED_CHAR, UnsignedChar);
POP_TYPE_CONSTANT(SIGNED_CHAR, SignedChar);
POP_TYPE_CONSTANT(UNSIGNED_SHORT, UnsignedShort);
POP_TYPE_CONSTANT(SHORT, Short);
POP_TYPE_CONSTANT(UNSIGNED_INT, UnsignedInt);
POP_TYPE_CONSTANT(INT, Int);
POP_TYPE_CONSTANT(UNSIGNED_LONG, UnsignedLong);
POP_TYPE_CONSTANT(LONG, Long);
POP_TYPE_CONSTANT(UNSIGNED_LONGLONG, UnsignedLongLong);
POP_TYPE_CONSTANT(LONGLONG, LongLong);
POP_TYPE_CONSTANT(QUARTER, Quarter);
POP_TYPE_CONSTANT(QUARTER_METADATA, QuarterMetadata);
POP_TYPE_CONSTANT(HALF, Half);
POP_TYPE_CONSTANT(FLOAT, Float);
#undef POP_TYPE_CONSTANT
#endif

POP_INLINE StringRef Type::toString() const {
  auto const name = cottonwood::base::typeInfo(*this).name;
  return StringRef(name.data(), name.size());
}

POP_INLINE bool Type::isFloatingPoint() const noexcept {
  return cottonwood::base::typeInfo(*this).isFloat;
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, Type const &type) {
  return stream << cottonwood::base::typeInfo(type).name;
}

} // namespace poplar
