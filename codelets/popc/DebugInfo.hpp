/// \file DebugInfo.hpp
/// Shorthand for libdw.
#pragma once

#include <optional>
#include <string>

#include <dwarf.h>
#include <elfutils/libdw.h>

namespace cottonwood::popc {

/// No class has bases, and no type parts, this deep; a circle would be damage.
inline constexpr unsigned MAX_DEPTH = 200;

inline std::optional<Dwarf_Die> dieAt(Dwarf_Die *die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Die result;
  if (!dwarf_attr_integrate(die, attribute, &found) || !dwarf_formref_die(&found, &result))
    return std::nullopt;
  return result;
}

inline bool flagAt(Dwarf_Die *die, unsigned attribute) {
  Dwarf_Attribute found;
  bool set = false;
  return dwarf_attr(die, attribute, &found) && dwarf_formflag(&found, &set) == 0 && set;
}

inline std::string nameOf(Dwarf_Die *die) {
  char const *const name = dwarf_diename(die);
  return name ? name : "";
}

inline bool isClass(int tag) { return tag == DW_TAG_class_type || tag == DW_TAG_structure_type; }

template <class Visit> void eachChild(Dwarf_Die *parent, Visit &&visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0)
    return;
  do
    visit(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

/// What a type is without its typedefs and qualifiers.
inline std::optional<Dwarf_Die> strippedType(Dwarf_Die die) {
  for (;;) {
    int const tag = dwarf_tag(&die);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
        tag != DW_TAG_template_alias)
      return die;
    std::optional<Dwarf_Die> const next = dieAt(&die, DW_AT_type);
    if (!next)
      return std::nullopt;
    die = *next;
  }
}

/// What the type of a member, a base, an argument or an enumeration is, so stripped.
inline std::optional<Dwarf_Die> strippedTypeOf(Dwarf_Die &die) {
  std::optional<Dwarf_Die> const type = dieAt(&die, DW_AT_type);
  return type ? strippedType(*type) : std::nullopt;
}

} // namespace cottonwood::popc
