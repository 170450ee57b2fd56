/// \file VertexFinder.hpp
/// The vertex classes of a source, from the debug information of an object compiled from it: what
/// the compiler itself knows, names of private members and arguments of templates included.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cottonwood::popc {

struct FoundVertex {
  std::string name;                ///< as addVertex() takes it
  std::string cppName;             ///< names the class in C++, with a leading ::
  std::vector<std::string> fields; ///< non-static members that may be fields, those of bases too
  std::string file;                ///< where the class is defined
  unsigned line = 0;
  bool isMulti = false; ///< compute() takes the worker's number
  /// An instance of a template of which no compute() was compiled: it may be an implicit instance,
  /// whose compute() need not even compile.
  bool isDoubtful = false;
};

/// Every class that is fully defined, derives from a vertex class of namespace poplar, has a
/// compute() of its own or from a base, and can be named at namespace scope; in the order of their
/// definitions.
/// \param object  a relocatable file with DWARF of all types, also unused ones
/// \throws poplar::graph_object_creation_error  it cannot be read
std::vector<FoundVertex> findVertices(std::filesystem::path const &object);

} // namespace cottonwood::popc
