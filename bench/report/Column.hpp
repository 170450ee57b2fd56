// Columns of numbers as text that is short where neighbours are alike.
#pragma once

#include <bench/report/PageData.hpp>

#include <span>
#include <string>

namespace cottonwood::report {

/// Each number as its difference from the one before (the first: from 0); the difference d as 2d,
/// or -2d-1 when negative; that in bytes of seven bits, low ones first, with the eighth bit in all
/// but the last; these in base64. Numbers must be below 2^52, so that JavaScript's are exact.
/// \throws std::out_of_range  a number is not.
std::string packColumn(std::span<Number const> values);

} // namespace cottonwood::report
