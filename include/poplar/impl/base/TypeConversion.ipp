// Bodies of <poplar/TypeConversion.hpp> and <poplar/Quarter.hpp>.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <poplar/HalfFloat.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/impl/base/Enumerators.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/QuarterBits.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <type_traits>

namespace cottonwood::base::detail {

/// How the elements of a host array or of a Type are represented.
enum class Representation {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  Half,
  Float,
  Double,
  LongDouble,
  Quarter
};

POP_INLINE Representation representationOf(std::size_t size, bool isSigned, bool isFloat,
                                           bool isBool) {
  using enum Representation;
  if (isBool)
    return Bool;
  if (isFloat)
    return size == 2 ? Half : size == 4 ? Float : size == 8 ? Double : LongDouble;
  switch (size) {
  case 1:
    return isSigned ? I8 : U8;
  case 2:
    return isSigned ? I16 : U16;
  case 4:
    return isSigned ? I32 : U32;
  default:
    return isSigned ? I64 : U64;
  }
}

POP_INLINE Representation representationOf(poplar::Type type, bool hasMetadata) {
  if (type == poplar::QUARTER) {
    if (hasMetadata)
      return Representation::Quarter;
    fail<poplar::tensor_metadata_error>("poplar::convertDeviceType",
                                        "elements of type quarter need metadata; pass a "
                                        "QuarterMetadata");
  }
  auto const &info = typeInfo(type);
  if (!info.isInteger && !info.isFloat)
    fail<poplar::type_error>("poplar::convertDeviceType", "elements of type ", type,
                             " are not numbers");
  return representationOf(info.size, info.isSigned, info.isFloat, type == poplar::BOOL);
}

/// One number as another; see convertToDeviceType for the rules.
template <class To, class From> To numberAs(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    // Limits as powers of two: they are exact in From, the largest integer may not be.
    constexpr int bits = std::numeric_limits<To>::digits;
    From const above = std::ldexp(From(1), bits);
    if (!(value < above))
      return std::isnan(value) ? To(0) : std::numeric_limits<To>::max();
    if (value <= (std::is_signed_v<To> ? -above : From(-1)))
      return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From> std::uint16_t halfBitsOf(From value) {
  if constexpr (std::is_same_v<From, double> || std::is_same_v<From, long double>)
    return doubleToHalf(static_cast<double>(value));
  else // integers that a float cannot hold are far above the largest half
    return floatToHalf(static_cast<float>(value));
}

/// Tags for representations that are no C++ number type.
struct HalfBits {};
struct QuarterByte {};

struct ConversionContext {
  poplar::QuarterMetadata metadata;
  bool nanoo;
};

template <class T> constexpr std::size_t bytesOf() {
  if constexpr (std::is_same_v<T, HalfBits>)
    return 2;
  else if constexpr (std::is_same_v<T, QuarterByte>)
    return 1;
  else
    return sizeof(T);
}

template <class T> auto load(unsigned char const *from, ConversionContext const &context) {
  if constexpr (std::is_same_v<T, HalfBits>) {
    std::uint16_t bits;
    std::memcpy(&bits, from, 2);
    return halfToFloat(bits);
  } else if constexpr (std::is_same_v<T, QuarterByte>) {
    return quarterToDouble(*from, context.metadata);
  } else if constexpr (std::is_same_v<T, bool>) {
    return *from != 0;
  } else {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
}

template <class T, class From>
void store(From value, unsigned char *to, ConversionContext const &context) {
  if constexpr (std::is_same_v<T, HalfBits>) {
    auto const bits = halfBitsOf<T>(value);
    std::memcpy(to, &bits, 2);
  } else if constexpr (std::is_same_v<T, QuarterByte>) {
    *to = doubleToQuarter(static_cast<double>(value), context.metadata, context.nanoo);
  } else {
    T const converted = numberAs<T>(value);
    std::memcpy(to, &converted, sizeof converted);
  }
}

template <class To, class From>
void convertArray(void const *src, void *dst, std::size_t numElements,
                  ConversionContext const &context) {
  auto const *from = static_cast<unsigned char const *>(src);
  auto *to = static_cast<unsigned char *>(dst);
  for (std::size_t i = 0; i != numElements; ++i, from += bytesOf<From>(), to += bytesOf<To>())
    store<To>(load<From>(from, context), to, context);
}

/// Calls f with a value of the representation's C++ type or tag.
template <class F> void withRepresentation(Representation representation, F const &f) {
  using enum Representation;
  switch (representation) {
  case Bool:
    return f(bool());
  case I8:
    return f(std::int8_t());
  case U8:
    return f(std::uint8_t());
  case I16:
    return f(std::int16_t());
  case U16:
    return f(std::uint16_t());
  case I32:
    return f(std::int32_t());
  case U32:
    return f(std::uint32_t());
  case I64:
    return f(std::int64_t());
  case U64:
    return f(std::uint64_t());
  case Half:
    return f(HalfBits());
  case Float:
    return f(float());
  case Double:
    return f(double());
  case LongDouble:
    return f(static_cast<long double>(0));
  case Quarter:
    return f(QuarterByte());
  }
}

POP_INLINE void convert(Representation from, void const *src, Representation to, void *dst,
                        std::size_t numElements, ConversionContext const &context) {
  if (numElements == 0)
    return;
  if (from == to && from != Representation::Bool && from != Representation::Quarter) {
    withRepresentation(
        from, [&](auto type) { std::memcpy(dst, src, numElements * bytesOf<decltype(type)>()); });
    return;
  }
  withRepresentation(from, [&](auto fromType) {
    withRepresentation(to, [&](auto toType) {
      convertArray<decltype(toType), decltype(fromType)>(src, dst, numElements, context);
    });
  });
}

} // namespace cottonwood::base::detail

namespace cottonwood::base {

POP_INLINE void toDevice(poplar::Type type, poplar::QuarterMetadata const *metadata, bool nanoo,
                         poplar::TypeTraits const &host, void const *src, std::size_t numElements,
                         void *dst) {
  auto const to = detail::representationOf(type, metadata != nullptr);
  auto const from = detail::representationOf(host.size, host.isSigned, host.isFloat, host.isBool);
  detail::convert(from, src, to, dst, numElements,
                  {metadata ? *metadata : poplar::QuarterMetadata(), nanoo});
}

POP_INLINE void fromDevice(poplar::Type type, poplar::QuarterMetadata const *metadata,
                           poplar::TypeTraits const &host, void const *src, std::size_t numElements,
                           void *dst) {
  auto const from = detail::representationOf(type, metadata != nullptr);
  auto const to = detail::representationOf(host.size, host.isSigned, host.isFloat, host.isBool);
  detail::convert(from, src, to, dst, numElements,
                  {metadata ? *metadata : poplar::QuarterMetadata(), true});
}

} // namespace cottonwood::base

namespace poplar {

POP_INLINE QuarterMetadata::QuarterMetadata(Format format, signed char scale) {
  if (scale < QUARTER_METADATA_SCALE_BIAS_MIN || scale > QUARTER_METADATA_SCALE_BIAS_MAX)
    cottonwood::base::fail<poplar_error>("poplar::QuarterMetadata", "scale ",
                                         static_cast<int>(scale), " is out of range; allowed are ",
                                         QUARTER_METADATA_SCALE_BIAS_MIN, " to ",
                                         QUARTER_METADATA_SCALE_BIAS_MAX);
  cottonwood::base::requireEnumerator<poplar_error>("poplar::QuarterMetadata", "Format", format,
                                                    {"F143", "F152"});
  binary_ = static_cast<unsigned char>((format == Format::F143 ? 0x80 : 0) | (scale & 0x3f));
}

POP_INLINE std::string QuarterMetadata::toString() const {
  return cottonwood::base::textOf(getFormat() == Format::F143 ? "F143" : "F152", " * 2^",
                                  static_cast<int>(getScale()));
}

POP_INLINE std::ostream &operator<<(std::ostream &stream, QuarterMetadata const &metadata) {
  return stream << metadata.toString();
}

} // namespace poplar
