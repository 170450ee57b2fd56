#include <codelets/popc/ClassNames.hpp>

#include <poplar/impl/base/Error.hpp>

namespace cottonwood::popc {

namespace {

unsigned encodingOf(Dwarf_Die &type) {
  Dwarf_Attribute attribute;
  Dwarf_Word encoding = 0;
  if (dwarf_attr(&type, DW_AT_encoding, &attribute))
    dwarf_formudata(&attribute, &encoding);
  return static_cast<unsigned>(encoding);
}

/// The value in decimal. Compilers store the same one in different forms, also as the bits of a
/// type as wide as the value's.
std::optional<std::string> numberText(Dwarf_Attribute &attribute, Dwarf_Die &type) {
  Dwarf_Sword value = 0;
  Dwarf_Word bits = 0;
  bool isNegativeForm = false;
  switch (dwarf_whatform(&attribute)) {
  case DW_FORM_sdata:
  case DW_FORM_implicit_const:
    if (dwarf_formsdata(&attribute, &value) != 0)
      return std::nullopt;
    bits = static_cast<Dwarf_Word>(value);
    isNegativeForm = value < 0;
    break;
  default:
    if (dwarf_formudata(&attribute, &bits) != 0)
      return std::nullopt;
  }
  int const bytes = dwarf_bytesize(&type);
  unsigned const encoding = encodingOf(type);
  if (encoding == DW_ATE_float || bytes < 1 || bytes > 8)
    return std::nullopt;
  bool const isSigned = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
  unsigned const unused = 64 - 8 * static_cast<unsigned>(bytes);
  if (isSigned || (isNegativeForm && encoding == 0))
    return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  return std::to_string(bits << unused >> unused);
}

} // namespace

ClassNames::Scope *ClassNames::find(Dwarf_Die &die) {
  auto const found = scopes_.find(dwarf_dieoffset(&die));
  return found == scopes_.end() ? nullptr : &found->second;
}

std::string ClassNames::inPoplar(Dwarf_Die &die) {
  Scope const *const scope = find(die);
  if (!scope || scope->parent == 0)
    return {};
  Scope &space = scopes_.at(scope->parent);
  bool const isPoplar = space.parent == 0 && dwarf_tag(&space.die) == DW_TAG_namespace &&
                        nameOf(&space.die) == "poplar";
  return isPoplar ? nameOf(&die) : std::string();
}

std::optional<Spelling> ClassNames::qualifiedName(Dwarf_Die &die) {
  Scope const *const scope = find(die);
  if (!scope || !scope->isNameable)
    return std::nullopt;
  Spelling name;
  if (scope->parent != 0) {
    Scope &parent = scopes_.at(scope->parent);
    std::optional<Spelling> space = qualifiedName(parent.die);
    if (!space)
      return std::nullopt;
    name = std::move(*space);
  }
  name.cpp += "::";
  if (!name.vertex.empty())
    name.vertex += "::";
  std::optional<Spelling> const own = ownName(die);
  if (!own)
    return std::nullopt;
  name += *own;
  return name;
}

/// The compiler's own name, with arguments that we spell wherever the debug information tells
/// what they are.
std::optional<Spelling> ClassNames::ownName(Dwarf_Die &die) {
  std::string const whole = nameOf(&die);
  std::size_t const bracket = whole.find('<');
  if (bracket == std::string::npos || !isClass(dwarf_tag(&die)))
    return Spelling{whole, whole};
  // How clang and g++ write what has no name.
  if (whole.find("(anonymous") != std::string::npos || whole.find('{') != std::string::npos ||
      whole.find("(lambda") != std::string::npos)
    return std::nullopt;
  std::optional<Spelling> arguments = templateArguments(die);
  if (!arguments)
    return Spelling{whole, whole};
  Spelling name{whole.substr(0, bracket), whole.substr(0, bracket)};
  name += "<";
  name += *arguments;
  name += " >";
  return name;
}

std::optional<Spelling> ClassNames::templateArguments(Dwarf_Die &die) {
  Spelling list;
  bool isFirst = true, isKnown = true, hasAny = false;
  auto const add = [&](auto const &self, Dwarf_Die &child) -> void {
    int const tag = dwarf_tag(&child);
    if (tag == DW_TAG_GNU_template_parameter_pack) {
      hasAny = true;
      eachChild(&child, [&](Dwarf_Die member) { self(self, member); });
      return;
    }
    std::optional<Spelling> argument;
    if (tag == DW_TAG_template_type_parameter)
      argument = typeArgument(child);
    else if (tag == DW_TAG_template_value_parameter)
      argument = valueArgument(child);
    else if (tag != DW_TAG_GNU_template_template_param) // of which only the whole name tells
      return;
    hasAny = true;
    isKnown = isKnown && argument;
    if (!argument)
      return;
    if (!isFirst)
      list += ",";
    isFirst = false;
    list += *argument;
  };
  eachChild(&die, [&](Dwarf_Die child) { add(add, child); });
  if (!hasAny || !isKnown)
    return std::nullopt;
  return list;
}

std::optional<Spelling> ClassNames::typeArgument(Dwarf_Die &parameter) {
  std::optional<Dwarf_Die> const type = dieAt(&parameter, DW_AT_type);
  return type ? typeName(*type, 0) : Spelling{"void", "void"};
}

std::optional<Spelling> ClassNames::typeName(Dwarf_Die die, unsigned depth) {
  if (depth > MAX_DEPTH)
    return std::nullopt;
  int const tag = dwarf_tag(&die);
  auto const wrapped = [&](std::string_view after) -> std::optional<Spelling> {
    std::optional<Dwarf_Die> const inner = dieAt(&die, DW_AT_type);
    std::optional<Spelling> name =
        inner ? typeName(*inner, depth + 1) : std::optional(Spelling{"void", "void"});
    if (name)
      *name += after;
    return name;
  };
  switch (tag) {
  case DW_TAG_base_type:
    return Spelling{nameOf(&die), nameOf(&die)};
  case DW_TAG_class_type:
  case DW_TAG_structure_type:
  case DW_TAG_union_type:
  case DW_TAG_enumeration_type:
    return qualifiedName(die);
  case DW_TAG_typedef:
    return wrapped("");
  case DW_TAG_const_type:
    return wrapped(" const");
  case DW_TAG_volatile_type:
    return wrapped(" volatile");
  case DW_TAG_pointer_type:
    return wrapped("*");
  case DW_TAG_reference_type:
    return wrapped("&");
  case DW_TAG_rvalue_reference_type:
    return wrapped("&&");
  default:
    return std::nullopt;
  }
}

std::optional<Spelling> ClassNames::valueArgument(Dwarf_Die &parameter) {
  std::optional<Dwarf_Die> type = strippedTypeOf(parameter);
  Dwarf_Attribute attribute;
  if (!type || !dwarf_attr_integrate(&parameter, DW_AT_const_value, &attribute))
    return std::nullopt;
  bool const isEnum = dwarf_tag(&*type) == DW_TAG_enumeration_type;
  Dwarf_Die integer = isEnum ? strippedTypeOf(*type).value_or(*type) : *type;
  if (!isEnum && dwarf_tag(&integer) != DW_TAG_base_type)
    return std::nullopt;
  std::optional<std::string> const number = numberText(attribute, integer);
  if (!number)
    return std::nullopt;
  if (isEnum)
    return enumerator(*type, *number);
  if (encodingOf(integer) == DW_ATE_boolean) {
    std::string const text = *number == "0" ? "false" : "true";
    return Spelling{text, text};
  }
  return Spelling{base::textOf("static_cast<", nameOf(&integer), ">(", *number, ")"), *number};
}

/// The qualified enumerator of that value; a value without one is given as its number.
std::optional<Spelling> ClassNames::enumerator(Dwarf_Die &type, std::string const &number) {
  std::optional<Spelling> const name = qualifiedName(type);
  if (!name)
    return std::nullopt;
  bool const isScoped = flagAt(&type, DW_AT_enum_class);
  std::string found;
  Dwarf_Die integer = strippedTypeOf(type).value_or(type);
  eachChild(&type, [&](Dwarf_Die child) {
    Dwarf_Attribute value;
    if (!found.empty() || dwarf_tag(&child) != DW_TAG_enumerator ||
        !dwarf_attr(&child, DW_AT_const_value, &value))
      return;
    if (numberText(value, integer) == number)
      found = nameOf(&child);
  });
  std::string const cpp = base::textOf("static_cast<", name->cpp, ">(", number, ")");
  if (found.empty())
    return Spelling{cpp, number};
  std::string space = name->vertex;
  if (!isScoped) { // its enumerators are names of the scope around it
    std::size_t const colons = space.rfind("::");
    space = colons == std::string::npos ? "" : space.substr(0, colons);
  }
  return Spelling{cpp, space.empty() ? found : space + "::" + found};
}

} // namespace cottonwood::popc
