#pragma once
#include <poplar/Graph.hpp>

#include <fstream>
#include <poplar/exceptions.hpp>
#include <poplar/impl/base/Error.hpp>
#include <sstream>
#include <string>

// Codelets from files and text. There is no compiler for them: what is wrong is said, and what to
// do instead.

namespace cottonwood::graph::detail {

inline constexpr char const *kInstead =
    "codelets are not compiled or loaded at run time; compile the vertex class with the program "
    "and "
    "write POPLAR_VERTEX(Class, field, ...) after it (<poplar/VertexRegistration.hpp>)";

[[noreturn]] POP_INLINE void refuseFile(std::string const &path, poplar::CodeletFileType type) {
  constexpr char const *where = "Graph::addCodelets";
  if (!std::ifstream(path))
    throw poplar::file_load_error(path);
  if (type == poplar::CodeletFileType::Auto)
    type = poplar::getCodeletFileType(path.c_str());
  if (type == poplar::CodeletFileType::Auto)
    base::fail<poplar::poplar_error>(
        where, base::quoted(path),
        " has no ending that names a kind of codelet file (.cpp, .c, .ll, .s, .S, .gp)");
  if (type == poplar::CodeletFileType::Object)
    throw poplar::graph_object_load_error(path, kInstead);
  base::fail<poplar::graph_program_compilation_error>(where, base::quoted(path), ": ", kInstead);
}

} // namespace cottonwood::graph::detail

namespace poplar {

POP_INLINE bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags,
                                   StringRef targetName) {
  static_cast<void>(compileFlags);
  static_cast<void>(targetName);
  data("Graph::addCodelets");
  cottonwood::graph::detail::refuseFile(src.cloneAsString(), type);
}

POP_INLINE bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags,
                                   std::ostream &compileOutput, StringRef targetName) {
  static_cast<void>(compileOutput);
  return addCodelets(src, type, compileFlags, targetName);
}

POP_INLINE bool Graph::addCodelets(ArrayRef<std::string> xs, StringRef compileFlags,
                                   StringRef targetName) {
  data("Graph::addCodelets");
  for (std::string const &file : xs)
    addCodelets(StringRef(file), CodeletFileType::Auto, compileFlags, targetName);
  return false;
}

POP_INLINE void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags,
                                   CodeletFileType type, StringRef targetName) {
  static_cast<void>(stream);
  static_cast<void>(compileFlags);
  static_cast<void>(type);
  static_cast<void>(targetName);
  data("Graph::addCodelets");
  cottonwood::base::fail<graph_program_compilation_error>(
      "Graph::addCodelets", "text: ", cottonwood::graph::detail::kInstead);
}

POP_INLINE void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags,
                                   std::ostream &compileOutput, CodeletFileType type,
                                   StringRef targetName) {
  static_cast<void>(compileOutput);
  addCodelets(stream, compileFlags, type, targetName);
}

} // namespace poplar
