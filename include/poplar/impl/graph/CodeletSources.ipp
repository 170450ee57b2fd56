#pragma once
#include <poplar/Graph.hpp>

#include <poplar/impl/graph/GraphData.hpp>
#include <poplar/impl/popc/Sources.hpp>

#include <iostream>
#include <sstream>
#include <string>
#include <utility>

// Codelets from files and text.

namespace cottonwood::graph::detail {

/// The compiler's words go to `output`.
POP_INLINE bool addSources(codelet::Registry &registry, popc::SourceRequest request,
                           poplar::StringRef flags, std::ostream &output) {
  request.flags = flags.cloneAsString();
  std::string diagnostics;
  bool const isNew = popc::addCodelets(registry, request, diagnostics);
  output << diagnostics;
  return isNew;
}

} // namespace cottonwood::graph::detail

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
  return cottonwood::graph::detail::addSources(data("Graph::addCodelets").registry(),
                                               std::move(request), compileFlags, compileOutput);
}

POP_INLINE bool Graph::addCodelets(ArrayRef<std::string> xs, StringRef compileFlags,
                                   StringRef targetName) {
  static_cast<void>(targetName);
  cottonwood::popc::SourceRequest request;
  for (std::string const &file : xs)
    request.files.push_back({file, CodeletFileType::Auto});
  return cottonwood::graph::detail::addSources(data("Graph::addCodelets").registry(),
                                               std::move(request), compileFlags, std::cerr);
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
  cottonwood::graph::detail::addSources(data("Graph::addCodelets").registry(), std::move(request),
                                        compileFlags, compileOutput);
}

} // namespace poplar
