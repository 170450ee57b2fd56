// Codelets from files and text into the registry of a graph.
#pragma once

#include <poplar/CodeletFileType.hpp>
#include <poplar/impl/base/Config.hpp>
#include <poplar/impl/codelet/Registry.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cottonwood::popc {

struct SourceFile {
  std::string path;
  poplar::CodeletFileType type = poplar::CodeletFileType::Auto; ///< Auto: by the path's ending
};

/// Whether it is one that popc made.
POP_API bool isCompiled(SourceFile const &file);

/// Why a file of a kind that is no longer Auto cannot be compiled; empty if it can. Assembly and IR
/// have no meaning here, and Auto is an ending that nothing is known of.
POP_API std::string refusalOf(SourceFile const &file);

struct SourceRequest {
  std::vector<SourceFile> files;   ///< sources are compiled and linked together
  std::optional<std::string> text; ///< a source instead of files
  poplar::CodeletFileType textType = poplar::CodeletFileType::CppSource;
  std::string flags; ///< for the compiler, see splitWords()
};

/// Compiles what has to be compiled, through the cache, for the level of the tag in use; loads it;
/// registers the vertices. Either all are registered or none.
/// \param[out] diagnostics  warnings of the compiler, also those of a compilation before
/// \returns whether any vertex is new
/// \throws poplar::file_load_error  a file cannot be read
/// \throws poplar::graph_program_compilation_error  the compiler refused a source; the text is its
/// own \throws poplar::graph_object_load_error  a .gp is damaged or has no variant for this machine
/// \throws poplar::link_error  a function is nowhere defined
/// \throws poplar::no_environment  there is no popc or no compiler
/// \throws poplar::poplar_error  bad flags; a vertex of that name is defined differently
POP_API bool addCodelets(codelet::Registry &registry, SourceRequest const &request,
                         std::string &diagnostics);

} // namespace cottonwood::popc
