#pragma once
// Values that a program passes as C++ objects, as elements of a device type.

#include <cstddef>
#include <span>
#include <string_view>

#include <optional>
#include <poplar/Quarter.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/impl/base/Config.hpp>

namespace cottonwood::graph {

/// Converts `count` values of the C++ type that `traits` describe to elements of `type` at `to`. To
/// HALF and FLOAT values round to nearest (overflow gives infinity), to QUARTER by their metadata
/// (overflow gives NaN), to BOOL everything but 0 is true, to integers fractions are cut off.
/// \param where     begins the text of errors
/// \param metadata  for QUARTER; without them only zeros and NaN convert
/// \throws poplar::overflow_error         a value, NaN included, does not fit in an integer type
/// \throws poplar::tensor_creation_error  no conversion to `type`, or not a simple host type
/// \throws poplar::tensor_metadata_error  QUARTER without metadata
void convertValues(std::string_view where, poplar::Type type, void const *from,
                   poplar::TypeTraits const &traits, std::size_t count, std::byte *to,
                   std::optional<poplar::QuarterMetadata> metadata = std::nullopt);

} // namespace cottonwood::graph
