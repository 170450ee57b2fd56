// The text of PrintTensor.
#pragma once

#include <poplar/PrintTensor.hpp>
#include <poplar/Type.hpp>
#include <poplar/impl/base/Config.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace cottonwood::engine {

/// The elements (packed, row-major, in device representation) as text, without title or newline:
/// `[1.0000000 2.0000000]`, one line a row, one blank of indentation a level. A tensor without
/// dimensions is its element alone, one without elements `[]`. Behind QUARTER elements stands the
/// byte of their metadata.
POP_API std::string tensorText(poplar::Type type, std::span<std::size_t const> shape,
                               std::byte const *data, poplar::PrintTensorFmt const &format);

} // namespace cottonwood::engine
