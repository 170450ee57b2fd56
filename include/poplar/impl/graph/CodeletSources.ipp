#pragma once
#include <poplar/Graph.hpp>

#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/popc/Sources.hpp>

#include <iostream>
#include <sstream>
#include <string>

// Codelets from files and text.

namespace poplar {

POP_INLINE bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags,
                                   StringRef targetName) {
  return addCodelets(src, type, compileFlags, std::cerr, targetName);
}

POP_INLINE bool Graph::addCodelets(StringRef src, CodeletFileType type, StringRef compileFlags,
                                   std::ostream &compileOutput, StringRef targetName) {
  static_cast<void>(targetName); // all targets run the same code
  cottonwood::popc::SourceRequest request;
  request.files.push_back({src.cloneAsString(), type});
  request.flags = compileFlags.cloneAsString();
  std::string diagnostics;
  bool const isNew = cottonwood::popc::addCodelets(data("Graph::addCodelets").registry(), request,
                                                   diagnostics);
  compileOutput << diagnostics;
  return isNew;
}

POP_INLINE bool Graph::addCodelets(ArrayRef<std::string> xs, StringRef compileFlags,
                                   StringRef targetName) {
  static_cast<void>(targetName);
  cottonwood::popc::SourceRequest request;
  for (std::string const &file : xs)
    request.files.push_back({file, CodeletFileType::Auto});
  request.flags = compileFlags.cloneAsString();
  std::string diagnostics;
  bool const isNew = cottonwood::popc::addCodelets(data("Graph::addCodelets").registry(), request,
                                                   diagnostics);
  std::cerr << diagnostics;
  return isNew;
}

POP_INLINE void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags,
                                   CodeletFileType type, StringRef targetName) {
  addCodelets(stream, compileFlags, std::cerr, type, targetName);
}

POP_INLINE void Graph::addCodelets(std::stringstream &stream, StringRef compileFlags,
                                   std::ostream &compileOutput, CodeletFileType type,
                                   StringRef targetName) {
  static_cast<void>(targetName);
  cottonwood::popc::SourceRequest request;
  request.text = stream.str();
  request.textType = type;
  request.flags = compileFlags.cloneAsString();
  std::string diagnostics;
  cottonwood::popc::addCodelets(data("Graph::addCodelets").registry(), request, diagnostics);
  compileOutput << diagnostics;
}

} // namespace poplar
