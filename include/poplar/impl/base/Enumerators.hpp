// Refusing values that an enumeration does not have.
#pragma once

#include <poplar/impl/base/Error.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace cottonwood::base {

/// \throws E  value is none of the enumerators, which count from 0:
///         `popops::pad: MappingMethod 7 does not exist; allowed: NONE, ZERO, EDGE`.
template <class E, class Enum>
void requireEnumerator(std::string_view where, char const *type, Enum value,
                       std::initializer_list<std::string_view> enumerators) {
  // Compared as a number: a compiler may assume that an enumeration has its values only.
  auto const number = static_cast<long long>(static_cast<std::underlying_type_t<Enum>>(value));
  if (number >= 0 && static_cast<std::size_t>(number) < enumerators.size())
    return;
  std::string allowed;
  for (std::string_view name : enumerators)
    allowed.append(allowed.empty() ? "" : ", ").append(name);
  fail<E>(where, type, " ", number, " does not exist; allowed: ", allowed);
}

/// The same of an enumeration with many values: `allowed: 0 to 33`.
template <class E, class Enum>
void requireUpTo(std::string_view where, char const *type, Enum value, Enum last) {
  using Number = std::underlying_type_t<Enum>;
  auto const number = static_cast<long long>(static_cast<Number>(value));
  auto const most = static_cast<long long>(static_cast<Number>(last));
  if (number < 0 || number > most)
    fail<E>(where, type, " ", number, " does not exist; allowed: 0 to ", most);
}

} // namespace cottonwood::base
