#include <codelets/popc/VertexFinder.hpp>

#include <codelets/popc/ClassNames.hpp>
#include <codelets/popc/DebugInfo.hpp>

#include <poplar/impl/base/Error.hpp>
#include <poplar/impl/codelet/Codelet.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_set>

#include <elfutils/libdwfl.h>

namespace cottonwood::popc {

namespace {

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
      if (ClassNames::Scope const *const scope = names_.find(declared)) {
        parent = scope->parent;
        isNameable = scope->isNameable;
      }
    isNameable = isNameable && !nameOf(&die).empty();
    Dwarf_Off const offset = dwarf_dieoffset(&die);
    names_.add(die, parent, isNameable);
    if (isClass(tag) && isNameable && !flagAt(&die, DW_AT_declaration))
      classes_.push_back(die);
    eachChild(&die, [&](Dwarf_Die child) { enter(child, offset, isNameable); });
  }

  std::optional<FoundVertex> vertexFrom(Dwarf_Die &die) {
    Kind const kind = kindOf(die, 0);
    if (!kind.isVertex || !kind.compute)
      return std::nullopt;
    std::optional<Spelling> const spelling = names_.qualifiedName(die);
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

  Kind kindOf(Dwarf_Die &die, unsigned depth) {
    Kind kind;
    if (depth > MAX_DEPTH)
      return kind;
    std::string const name = names_.inPoplar(die);
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
      if (std::optional<Dwarf_Die> base = strippedTypeOf(child)) {
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

  static bool isTemplateInstance(Dwarf_Die &die) {
    return nameOf(&die).find('<') != std::string::npos;
  }

  /// Those of bases first, as they lie in memory; a name that a derived class hides stands once.
  void addFields(Dwarf_Die &die, std::vector<std::string> &fields, unsigned depth) {
    if (depth > MAX_DEPTH)
      return;
    eachChild(&die, [&](Dwarf_Die child) {
      if (dwarf_tag(&child) == DW_TAG_inheritance)
        if (std::optional<Dwarf_Die> base = strippedTypeOf(child))
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
    std::optional<Dwarf_Die> type = strippedTypeOf(member);
    int const tag = type ? dwarf_tag(&*type) : 0;
    return type && tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type;
  }

  Dwarf_Die unit_;
  ClassNames names_;
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
