/// \file ClassNames.hpp
/// How classes and their template arguments are called: by C++ and by addVertex().
#pragma once

#include <codelets/popc/DebugInfo.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cottonwood::popc {

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

/// The namespaces, classes and enumerations of one compilation.
class ClassNames {
public:
  /// Where a type stands.
  struct Scope {
    Dwarf_Off parent; ///< 0: at global scope
    bool isNameable;  ///< by code at namespace scope
    Dwarf_Die die;
  };

  void add(Dwarf_Die die, Dwarf_Off parent, bool isNameable) {
    scopes_.emplace(dwarf_dieoffset(&die), Scope{parent, isNameable, die});
  }
  /// Null if it was not added.
  Scope *find(Dwarf_Die &die);
  /// The class's name if it is of namespace poplar itself, else empty.
  std::string inPoplar(Dwarf_Die &die);
  /// `::ns::Class<float, true>`; nothing if it cannot be named at namespace scope.
  std::optional<Spelling> qualifiedName(Dwarf_Die &die);

private:
  std::optional<Spelling> ownName(Dwarf_Die &die);
  std::optional<Spelling> templateArguments(Dwarf_Die &die);
  std::optional<Spelling> typeArgument(Dwarf_Die &parameter);
  std::optional<Spelling> typeName(Dwarf_Die die, unsigned depth);
  std::optional<Spelling> valueArgument(Dwarf_Die &parameter);
  std::optional<Spelling> enumerator(Dwarf_Die &type, std::string const &number);

  std::unordered_map<Dwarf_Off, Scope> scopes_;
};

} // namespace cottonwood::popc
