// Which element types are cast to which.
#pragma once

#include <codelets/popops/CastCost.hpp>
#include <poplar/Type.hpp>
#include <poplar/impl/base/TypeInfo.hpp>

#include <algorithm>
#include <initializer_list>

namespace cottonwood::popops::detail {

using base::TypeId;
using ::poplar::Type;

inline bool isOneOf(Type const &type, std::initializer_list<TypeId> ids) {
  return std::find(ids.begin(), ids.end(), type.id()) != ids.end();
}

inline bool isLongLong(Type const &type) {
  return isOneOf(type, {TypeId::LongLong, TypeId::UnsignedLongLong});
}

inline bool isCastableInteger(Type const &type) {
  return isOneOf(type, {TypeId::Char, TypeId::SignedChar, TypeId::UnsignedChar, TypeId::Short,
                        TypeId::UnsignedShort, TypeId::Int, TypeId::UnsignedInt, TypeId::Bool});
}

/// QUARTER to and from these.
inline bool isQuarterPartner(Type const &type) {
  return isOneOf(type, {TypeId::Quarter, TypeId::Half, TypeId::Float, TypeId::Char,
                        TypeId::SignedChar, TypeId::UnsignedChar});
}

inline bool isCastable(Type const &from, Type const &to) {
  if (from == ::poplar::QUARTER || to == ::poplar::QUARTER)
    return isQuarterPartner(from) && isQuarterPartner(to);
  bool const fromSmall = isCastableInteger(from);
  if (isLongLong(to))
    return fromSmall;
  bool const toFloating = isOneOf(to, {TypeId::Float, TypeId::Half});
  return (fromSmall || isOneOf(from, {TypeId::Float, TypeId::Half})) &&
         (toFloating || isCastableInteger(to));
}

/// What isCastable allows, but for QUARTER.
inline constexpr char const *CASTABLE_PAIRS =
    "float, half, bool and integers of up to 32 bits to each other, the latter two also to 64-bit "
    "integers";

/// Whether the bits are the value in both types; those of QUARTER need their metadata.
inline bool sameBits(Type const &a, Type const &b) {
  return (a == b && !a.requiresMetadata()) || (isLongLong(a) && isLongLong(b)) ||
         (isOneOf(a, {TypeId::Int, TypeId::UnsignedInt}) &&
          isOneOf(b, {TypeId::Int, TypeId::UnsignedInt}));
}

/// What decides the speed of a cast.
inline vertices::CastKind castKindOf(Type const &from, Type const &to) {
  auto const end = [](Type const &type) {
    return vertices::CastType{static_cast<unsigned>(base::sizeOf(type)), type == ::poplar::FLOAT,
                              type == ::poplar::HALF};
  };
  return vertices::castKind(end(from), end(to));
}

} // namespace cottonwood::popops::detail
