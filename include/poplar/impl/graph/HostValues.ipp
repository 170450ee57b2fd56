#pragma once
#include <poplar/impl/graph/HostValues.hpp>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/base/Half.hpp>
#include <poplar/impl/base/QuarterBits.hpp>
#include <poplar/impl/base/TypeInfo.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace cottonwood::graph {

namespace detail {

/// A half on either side of a conversion.
struct HalfBits {
  std::uint16_t bits;
};

/// BOOL elements: one byte, 0 or 1.
struct BoolByte {
  std::uint8_t value;
};

struct ValueConversion {
  std::string_view where;
  poplar::Type type;
};

template <class To, class From> bool fitsInteger(From value) {
  if constexpr (std::floating_point<From>) {
    // Both limits are powers of two, which every floating type holds exactly. NaN compares false.
    From const limit = std::ldexp(From(1), std::numeric_limits<To>::digits);
    return value < limit && (std::is_signed_v<To> ? value >= -limit || std::trunc(value) == -limit
                                                  : value > From(-1));
  } else {
    return std::in_range<To>(value);
  }
}

template <class To, class From> To convertValue(ValueConversion const &conversion, From value) {
  if constexpr (std::is_same_v<From, HalfBits>) {
    if constexpr (std::is_same_v<To, HalfBits>)
      return value;
    else
      return convertValue<To>(conversion, base::halfToFloat(value.bits));
  } else if constexpr (std::is_same_v<To, HalfBits>) {
    if constexpr (std::is_same_v<From, float>)
      return {base::floatToHalf(value)};
    else
      return {base::doubleToHalf(static_cast<double>(value))};
  } else if constexpr (std::is_same_v<To, BoolByte>) {
    return {static_cast<std::uint8_t>(value != From(0))};
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else {
    if (!fitsInteger<To>(value))
      base::fail<poplar::overflow_error>(
          conversion.where, "the value ",
          [&] {
            if constexpr (std::floating_point<From>)
              return static_cast<double>(value);
            else
              return value;
          }(),
          " does not fit in ", conversion.type, "; allowed are ", +std::numeric_limits<To>::min(),
          " to ", +std::numeric_limits<To>::max());
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convertAll(ValueConversion const &conversion, void const *from, std::size_t count,
                std::byte *to) {
  auto const *source = static_cast<std::byte const *>(from);
  if constexpr (std::is_same_v<To, From>) {
    if (count != 0)
      std::memcpy(to, source, count * sizeof(To));
    return;
  }
  for (std::size_t i = 0; i != count; ++i) {
    From value;
    std::memcpy(&value, source + i * sizeof(From), sizeof(From));
    To const converted = convertValue<To>(conversion, value);
    std::memcpy(to + i * sizeof(To), &converted, sizeof(To));
  }
}

/// Second dispatch: on the host type.
template <class To>
void convertTo(ValueConversion const &conversion, void const *from,
               poplar::TypeTraits const &traits, std::size_t count, std::byte *to) {
  if (traits.isFloat) {
    if (traits.size == sizeof(HalfBits))
      return convertAll<To, HalfBits>(conversion, from, count, to);
    if (traits.size == sizeof(float))
      return convertAll<To, float>(conversion, from, count, to);
    if (traits.size == sizeof(double))
      return convertAll<To, double>(conversion, from, count, to);
    if (traits.size == sizeof(long double))
      return convertAll<To, long double>(conversion, from, count, to);
  } else {
    switch (traits.size) {
    case 1:
      return traits.isSigned ? convertAll<To, std::int8_t>(conversion, from, count, to)
                             : convertAll<To, std::uint8_t>(conversion, from, count, to);
    case 2:
      return traits.isSigned ? convertAll<To, std::int16_t>(conversion, from, count, to)
                             : convertAll<To, std::uint16_t>(conversion, from, count, to);
    case 4:
      return traits.isSigned ? convertAll<To, std::int32_t>(conversion, from, count, to)
                             : convertAll<To, std::uint32_t>(conversion, from, count, to);
    case 8:
      return traits.isSigned ? convertAll<To, std::int64_t>(conversion, from, count, to)
                             : convertAll<To, std::uint64_t>(conversion, from, count, to);
    default:
      break;
    }
  }
  base::fail<poplar::tensor_creation_error>(
      conversion.where, "host values of ", traits.size,
      " bytes do not convert; use an integer, floating point or half type");
}

POP_INLINE void convertToQuarter(ValueConversion const &conversion, void const *from,
                                 poplar::TypeTraits const &traits, std::size_t count, std::byte *to,
                                 std::optional<poplar::QuarterMetadata> metadata) {
  std::vector<double> values(count);
  convertTo<double>(conversion, from, traits, count, reinterpret_cast<std::byte *>(values.data()));
  for (std::size_t i = 0; i != count; ++i) {
    if (!metadata && values[i] != 0 && !std::isnan(values[i]))
      base::fail<poplar::tensor_metadata_error>(
          conversion.where, "the value ", values[i], " cannot become ", conversion.type,
          " as the metadata may change; use constant metadata, or set the bits through "
          "Tensor::reinterpret(UNSIGNED_CHAR)");
    to[i] = std::byte{
        base::doubleToQuarter(values[i], metadata.value_or(poplar::QuarterMetadata()), true)};
  }
}

} // namespace detail

POP_INLINE void convertValues(std::string_view where, poplar::Type type, void const *from,
                              poplar::TypeTraits const &traits, std::size_t count, std::byte *to,
                              std::optional<poplar::QuarterMetadata> metadata) {
  using base::TypeId;
  detail::ValueConversion const conversion{where, type};
  switch (type.id()) {
  case TypeId::Bool:
    return detail::convertTo<detail::BoolByte>(conversion, from, traits, count, to);
  case TypeId::Half:
    return detail::convertTo<detail::HalfBits>(conversion, from, traits, count, to);
  case TypeId::Float:
    return detail::convertTo<float>(conversion, from, traits, count, to);
  case TypeId::Quarter:
    return detail::convertToQuarter(conversion, from, traits, count, to, metadata);
  case TypeId::Invalid:
    base::fail<poplar::tensor_creation_error>(where, "values cannot be given for elements of ",
                                              type);
  default:
    break;
  }
  bool const isSigned = base::typeInfo(type).isSigned;
  switch (base::sizeOf(type)) {
  case 1:
    return isSigned ? detail::convertTo<std::int8_t>(conversion, from, traits, count, to)
                    : detail::convertTo<std::uint8_t>(conversion, from, traits, count, to);
  case 2:
    return isSigned ? detail::convertTo<std::int16_t>(conversion, from, traits, count, to)
                    : detail::convertTo<std::uint16_t>(conversion, from, traits, count, to);
  case 4:
    return isSigned ? detail::convertTo<std::int32_t>(conversion, from, traits, count, to)
                    : detail::convertTo<std::uint32_t>(conversion, from, traits, count, to);
  default:
    return isSigned ? detail::convertTo<std::int64_t>(conversion, from, traits, count, to)
                    : detail::convertTo<std::uint64_t>(conversion, from, traits, count, to);
  }
}

} // namespace cottonwood::graph
