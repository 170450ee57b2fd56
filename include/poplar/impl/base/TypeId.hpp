// The element types as numbers, for those who must not see poplar::Type: codelets.
#ifndef POPLAR_IMPL_BASE_TYPEID_HPP
#define POPLAR_IMPL_BASE_TYPEID_HPP

namespace cottonwood {
namespace base {

/// What a poplar::Type holds; for switches and tables inside the library. The order is that of the
/// published list.
enum class TypeId : unsigned char {
  Invalid,
  Bool,
  Char,
  UnsignedChar,
  SignedChar,
  UnsignedShort,
  Short,
  UnsignedInt,
  Int,
  UnsignedLong,
  Long,
  UnsignedLongLong,
  LongLong,
  Quarter,
  QuarterMetadata,
  Half,
  Float
};

} // namespace base
} // namespace cottonwood

#endif
