// Conversion of arrays between host numbers and the elements of a Type.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_TYPECONVERSION_HPP
#define POPLAR_TYPECONVERSION_HPP

#include <cstddef>
#include <poplar/ArrayRef.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>

namespace cottonwood {
namespace base {
// Element i of `dst` becomes element i of `src`. Neither need be aligned; equal representations are
// copied as bytes. `metadata` is for QUARTER; without it that type is a tensor_metadata_error.
POP_API void toDevice(poplar::Type type, poplar::QuarterMetadata const *metadata, bool nanoo,
                      poplar::TypeTraits const &host, void const *src, std::size_t numElements,
                      void *dst);
POP_API void fromDevice(poplar::Type type, poplar::QuarterMetadata const *metadata,
                        poplar::TypeTraits const &host, void const *src, std::size_t numElements,
                        void *dst);
} // namespace base
} // namespace cottonwood

namespace poplar {

/// Writes `src.size()` elements of `type` to `dst`, which need not be aligned. T is any number
/// type, IeeeHalf or half.
///
/// To HALF and FLOAT: rounds to nearest, ties to even; overflow gives infinity. From floating point
/// to integers: cuts off towards zero, ends at the limits of the type, and gives 0 for NaN. Between
/// integers: modulo 2^bits. To BOOL: true unless 0. \throws type_error             the type is
/// unset or QUARTER_METADATA. \throws tensor_metadata_error  QUARTER, which needs the form with
/// metadata.
template <class T> void convertToDeviceType(Type const &type, ArrayRef<T> src, void *dst) {
  static_assert(TypeTraits::isSimpleType<T>(), "convertToDeviceType: T must be a number type");
  cottonwood::base::toDevice(type, nullptr, true, TypeTraits::make<T>(), src.data(), src.size(),
                             dst);
}

/// The same; `metadata` counts for QUARTER only.
/// \param nanoo  what overflow gives for QUARTER: NaN if true, the largest value otherwise
template <class T>
void convertToDeviceType(Type const &type, QuarterMetadata metadata, ArrayRef<T> src, void *dst,
                         bool nanoo = true) {
  static_assert(TypeTraits::isSimpleType<T>(), "convertToDeviceType: T must be a number type");
  cottonwood::base::toDevice(type, &metadata, nanoo, TypeTraits::make<T>(), src.data(), src.size(),
                             dst);
}

/// Reads `dst.size()` elements of `type` from `src`, which need not be aligned. The rules are those
/// of convertToDeviceType.
template <class T>
void convertFromDeviceType(Type const &type, void const *src, gccs::ArrayRef<T> dst) {
  static_assert(TypeTraits::isSimpleType<T>(), "convertFromDeviceType: T must be a number type");
  cottonwood::base::fromDevice(type, nullptr, TypeTraits::make<T>(), src, dst.size(), dst.data());
}
template <class T>
void convertFromDeviceType(Type const &type, QuarterMetadata metadata, void const *src,
                           gccs::ArrayRef<T> dst) {
  static_assert(TypeTraits::isSimpleType<T>(), "convertFromDeviceType: T must be a number type");
  cottonwood::base::fromDevice(type, &metadata, TypeTraits::make<T>(), src, dst.size(), dst.data());
}

} // namespace poplar

#endif
