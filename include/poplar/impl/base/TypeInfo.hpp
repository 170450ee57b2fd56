// Facts about element types, by Type.
#pragma once

#include <array>
#include <cstddef>
#include <poplar/Type.hpp>
#include <string_view>

namespace cottonwood::base {

struct TypeInfo {
  std::string_view name;
  std::size_t size; // bytes, on every target; 0 for the unset type
  bool isInteger;   // bool and char included
  bool isSigned;
  bool isFloat;
};

/// In the order of TypeId.
inline constexpr std::array<TypeInfo, 17> kTypeInfos{{
    {"<unset type>", 0, false, false, false},
    {"bool", 1, true, false, false},
    {"char", 1, true, true, false}, // signed in codelets
    {"unsigned char", 1, true, false, false},
    {"signed char", 1, true, true, false},
    {"unsigned short", 2, true, false, false},
    {"short", 2, true, true, false},
    {"unsigned int", 4, true, false, false},
    {"int", 4, true, true, false},
    {"unsigned long", sizeof(unsigned long), true, false, false},
    {"long", sizeof(long), true, true, false},
    {"unsigned long long", 8, true, false, false},
    {"long long", 8, true, true, false},
    {"quarter", 1, false, true, true},
    {"quarter_metadata", 1, false, false, false},
    {"half", 2, false, true, true},
    {"float", 4, false, true, true},
}};

constexpr TypeInfo const &typeInfo(poplar::Type type) {
  return kTypeInfos[static_cast<std::size_t>(type.id())];
}
constexpr std::size_t sizeOf(poplar::Type type) { return typeInfo(type).size; }

/// The type of that name, or the unset one.
constexpr poplar::Type typeNamed(std::string_view name) {
  for (std::size_t i = 1; i != kTypeInfos.size(); ++i)
    if (kTypeInfos[i].name == name)
      return poplar::Type(static_cast<TypeId>(i));
  return poplar::Type();
}

} // namespace cottonwood::base
