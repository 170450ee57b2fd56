#include <codelets/popc/VertexFinder.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Codelet.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace cottonwood::popc {

namespace {

/// A name in the two spellings that are wanted: of C++ and of addVertex(). They differ in
/// enumerators, which C++ may not be able to name.
struct Spelling {
  std::string cpp, vertex;

  Spelling &operator+=(std::string_view text) {
    cpp += text;
    vertex += text;
    return *this;
  }
  Spelling &operator+=(Spelling const &other) {
    cpp += other.cpp;
    vertex += other.vertex;
    return *this;
  }
};

std::optional<Dwarf_Die> dieAt(Dwarf_Die *die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Die result;
  if (!dwarf_attr_integrate(die, attribute, &found) || !dwarf_formref_die(&found, &result))
    return std::nullopt;
  return result;
}

bool flagAt(Dwarf_Die *die, unsigned attribute) {
  Dwarf_Attribute found;
  bool set = false;
  return dwarf_attr(die, attribute, &found) && dwarf_formflag(&found, &set) == 0 && set;
}

std::string nameOf(Dwarf_Die *die) {
  char const *const name = dwarf_diename(die);
  return name ? name : "";
}

bool isClass(int tag) { return tag == DW_TAG_class_type || tag == DW_TAG_structure_type; }

template <class Visit> void eachChild(Dwarf_Die *parent, Visit &&visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0)
    return;
  do
    visit(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

/// What a type is without its typedefs and qualifiers.
std::optional<Dwarf_Die> strippedType(Dwarf_Die die) {
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

class Finder {
public:
  explicit Finder(Dwarf_Die unit) : unit_(unit) {
    eachChild(&unit_, [&](Dwarf_Die child) { enter(child, 0, true); });
  }

  std::vector<FoundVertex> run() {
    std::vector<FoundVertex> found;
    for (Dwarf_Die &die : classes_)
      if (std::optional<FoundVertex> vertex = vertexFrom(die))
        found.push_back(std::move(*vertex));
    return found;
  }

private:
  /// Where a type stands.
  struct Scope {
    Dwarf_Off parent; ///< 0: at global scope
    bool isNameable;  ///< by code at namespace scope
    Dwarf_Die die;
  };

  void enter(Dwarf_Die die, Dwarf_Off parent, bool isNameable) {
    int const tag = dwarf_tag(&die);
    bool const isSpace = tag == DW_TAG_namespace;
    if (tag == DW_TAG_subprogram && !flagAt(&die, DW_AT_declaration))
      if (std::optional<Dwarf_Die> declared = dieAt(&die, DW_AT_specification))
        compiled_.insert(dwarf_dieoffset(&*declared));
    if (!isSpace && !isClass(tag) && tag != DW_TAG_enumeration_type && tag != DW_TAG_union_type)
      return;
    // A definition outside of its namespace refers to its declaration there.
    Dwarf_Attribute attribute;
    Dwarf_Die declared;
    if (!isSpace && dwarf_attr(&die, DW_AT_specification, &attribute) &&
        dwarf_formref_die(&attribute, &declared))
      if (auto const at = scopes_.find(dwarf_dieoffset(&declared)); at != scopes_.end()) {
        parent = at->second.parent;
        isNameable = at->second.isNameable;
      }
    isNameable = isNameable && !nameOf(&die).empty();
    Dwarf_Off const offset = dwarf_dieoffset(&die);
    scopes_.emplace(offset, Scope{parent, isNameable, die});
    if (isClass(tag) && isNameable && !flagAt(&die, DW_AT_declaration))
      classes_.push_back(die);
    eachChild(&die, [&](Dwarf_Die child) { enter(child, offset, isNameable); });
  }

  std::optional<FoundVertex> vertexFrom(Dwarf_Die &die) {
    Kind const kind = kindOf(die, 0);
    if (!kind.isVertex || !kind.compute)
      return std::nullopt;
    std::optional<Spelling> const spelling = qualifiedName(die);
    if (!spelling)
      return std::nullopt;
    FoundVertex vertex;
    vertex.name = codelet::normaliseName(spelling->vertex);
    vertex.cppName = spelling->cpp;
    vertex.isMulti = kind.isMulti;
    addFields(die, vertex.fields, 0);
    if (char const *const file = dwarf_decl_file(&die))
      vertex.file = file;
    int line = 0;
    if (dwarf_decl_line(&die, &line) == 0)
      vertex.line = static_cast<unsigned>(line);
    vertex.isDoubtful = isTemplateInstance(die) && compiled_.count(*kind.compute) == 0;
    return vertex;
  }

  struct Kind {
    bool isVertex = false, isMulti = false;
    std::optional<Dwarf_Off> compute; ///< its declaration: of the class or the nearest base
  };

  /// No class has bases this deep; a circle would be damage.
  static constexpr unsigned MAX_DEPTH = 200;

  Kind kindOf(Dwarf_Die &die, unsigned depth) {
    Kind kind;
    if (depth > MAX_DEPTH)
      return kind;
    std::string const name = inPoplar(die);
    kind.isMulti = name == "MultiVertex";
    kind.isVertex = kind.isMulti || name == "Vertex" || name == "SupervisorVertex" ||
                    name == "ExternalExchangeVertex";
    if (kind.isVertex)
      return kind;
    std::optional<Dwarf_Off> inherited;
    eachChild(&die, [&](Dwarf_Die child) {
      int const tag = dwarf_tag(&child);
      if (tag == DW_TAG_subprogram && nameOf(&child) == "compute" && !kind.compute)
        kind.compute = dwarf_dieoffset(&child);
      if (tag != DW_TAG_inheritance)
        return;
      if (std::optional<Dwarf_Die> base = baseOf(child)) {
        Kind const of = kindOf(*base, depth + 1);
        kind.isVertex = kind.isVertex || of.isVertex;
        kind.isMulti = kind.isMulti || of.isMulti;
        if (!inherited)
          inherited = of.compute;
      }
    });
    if (!kind.compute)
      kind.compute = inherited;
    return kind;
  }

  std::optional<Dwarf_Die> baseOf(Dwarf_Die &inheritance) {
    std::optional<Dwarf_Die> const type = dieAt(&inheritance, DW_AT_type);
    return type ? strippedType(*type) : std::nullopt;
  }

  /// The class's name if it is of namespace poplar itself, else empty.
  std::string inPoplar(Dwarf_Die &die) {
    auto const scope = scopes_.find(dwarf_dieoffset(&die));
    if (scope == scopes_.end() || scope->second.parent == 0)
      return {};
    Scope &space = scopes_.at(scope->second.parent);
    bool const isPoplar = space.parent == 0 && dwarf_tag(&space.die) == DW_TAG_namespace &&
                          nameOf(&space.die) == "poplar";
    return isPoplar ? nameOf(&die) : std::string();
  }

  static bool isTemplateInstance(Dwarf_Die &die) {
    return nameOf(&die).find('<') != std::string::npos;
  }

  /// Those of bases first, as they lie in memory; a name that a derived class hides stands once.
  void addFields(Dwarf_Die &die, std::vector<std::string> &fields, unsigned depth) {
    if (depth > MAX_DEPTH)
      return;
    eachChild(&die, [&](Dwarf_Die child) {
      if (dwarf_tag(&child) == DW_TAG_inheritance)
        if (std::optional<Dwarf_Die> base = baseOf(child))
          addFields(*base, fields, depth + 1);
    });
    eachChild(&die, [&](Dwarf_Die child) {
      if (dwarf_tag(&child) != DW_TAG_member || !mayBeField(child))
        return;
      std::string name = nameOf(&child);
      if (std::find(fields.begin(), fields.end(), name) == fields.end())
        fields.push_back(std::move(name));
    });
  }

  /// No static member, and one that a pointer to member can name: neither unnamed nor of some bits
  /// nor a reference.
  static bool mayBeField(Dwarf_Die &member) {
    if (nameOf(&member).empty() || nameOf(&member).find('.') != std::string::npos ||
        flagAt(&member, DW_AT_external) || flagAt(&member, DW_AT_declaration) ||
        dwarf_hasattr(&member, DW_AT_bit_size))
      return false;
    std::optional<Dwarf_Die> type = dieAt(&member, DW_AT_type);
    if (type)
      type = strippedType(*type);
    int const tag = type ? dwarf_tag(&*type) : 0;
    return type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type;
  }

  // ---- Names

  /// `::ns::Class<float, true>`; nothing if it cannot be named at namespace scope.
  std::optional<Spelling> qualifiedName(Dwarf_Die &die) {
    auto const scope = scopes_.find(dwarf_dieoffset(&die));
    if (scope == scopes_.end() || !scope->second.isNameable)
      return std::nullopt;
    Spelling name;
    if (scope->second.parent != 0) {
      Scope &parent = scopes_.at(scope->second.parent);
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
  std::optional<Spelling> ownName(Dwarf_Die &die) {
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

  std::optional<Spelling> templateArguments(Dwarf_Die &die) {
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

  std::optional<Spelling> typeArgument(Dwarf_Die &parameter) {
    std::optional<Dwarf_Die> const type = dieAt(&parameter, DW_AT_type);
    return type ? typeName(*type, 0) : Spelling{"void", "void"};
  }

  std::optional<Spelling> typeName(Dwarf_Die die, unsigned depth) {
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

  std::optional<Spelling> valueArgument(Dwarf_Die &parameter) {
    std::optional<Dwarf_Die> type = dieAt(&parameter, DW_AT_type);
    if (type)
      type = strippedType(*type);
    Dwarf_Attribute attribute;
    if (!type || !dwarf_attr_integrate(&parameter, DW_AT_const_value, &attribute))
      return std::nullopt;
    bool const isEnum = dwarf_tag(&*type) == DW_TAG_enumeration_type;
    Dwarf_Die integer = *type;
    if (isEnum)
      if (std::optional<Dwarf_Die> const held = dieAt(&*type, DW_AT_type))
        if (std::optional<Dwarf_Die> const plain = strippedType(*held))
          integer = *plain;
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

  static unsigned encodingOf(Dwarf_Die &type) {
    Dwarf_Attribute attribute;
    Dwarf_Word encoding = 0;
    if (dwarf_attr(&type, DW_AT_encoding, &attribute))
      dwarf_formudata(&attribute, &encoding);
    return static_cast<unsigned>(encoding);
  }

  /// The value in decimal. Compilers store the same one in different forms, also as the bits of a
  /// type as wide as the value's.
  static std::optional<std::string> numberText(Dwarf_Attribute &attribute, Dwarf_Die &type) {
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

  /// The qualified enumerator of that value; a value without one is given as its number.
  std::optional<Spelling> enumerator(Dwarf_Die &type, std::string const &number) {
    std::optional<Spelling> const name = qualifiedName(type);
    if (!name)
      return std::nullopt;
    bool const isScoped = flagAt(&type, DW_AT_enum_class);
    std::string found;
    Dwarf_Die integer = type;
    if (std::optional<Dwarf_Die> const held = dieAt(&type, DW_AT_type))
      if (std::optional<Dwarf_Die> const plain = strippedType(*held))
        integer = *plain;
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

  Dwarf_Die unit_;
  std::unordered_map<Dwarf_Off, Scope> scopes_;
  std::vector<Dwarf_Die> classes_;
  std::unordered_set<Dwarf_Off> compiled_; ///< declarations of functions that have code
};

} // namespace

std::vector<FoundVertex> findVertices(std::filesystem::path const &object) {
  // Dwfl, not Dwarf alone: it applies the relocations of an object that was not linked.
  static char *debugPath = nullptr;
  static Dwfl_Callbacks const callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                                        dwfl_offline_section_address, &debugPath};
  auto const refuse = [&] {
    char const *const why = dwfl_errmsg(-1);
    base::fail<poplar::graph_object_creation_error>("popc", "debug information of ",
                                                    base::quoted(object.string()), ": ",
                                                    why ? why : "there is none");
  };
  std::unique_ptr<Dwfl, decltype(&dwfl_end)> const session(dwfl_begin(&callbacks), &dwfl_end);
  if (!session || !dwfl_report_offline(session.get(), "", object.c_str(), -1) ||
      dwfl_report_end(session.get(), nullptr, nullptr) != 0)
    refuse();
  std::vector<FoundVertex> found;
  Dwarf_Die *unit = nullptr;
  Dwarf_Addr bias = 0;
  bool hasAny = false;
  while ((unit = dwfl_nextcu(session.get(), unit, &bias)) != nullptr) {
    hasAny = true;
    for (FoundVertex &vertex : Finder(*unit).run())
      found.push_back(std::move(vertex));
  }
  if (!hasAny)
    refuse();
  return found;
}

} // namespace cottonwood::popc
