// Values of vertex fields that depend on where other fields of the vertex lie.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_LATEINITCALLBACK_HPP
#define POPLAR_LATEINITCALLBACK_HPP

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace poplar {

/// Where the fields of one vertex lie.
struct VertexEdgeInfo {
  /// One region of a field.
  struct StorageInfo {
    std::uint64_t startOffs; ///< bytes from the start of the memory that holds it
    std::uint32_t len;       ///< bytes
  };
  std::map<std::string, std::vector<StorageInfo>> storage; ///< by field name
};

/// Computes a value from them.
template <class T> using LateInitCallback = std::function<T(VertexEdgeInfo const &)>;

} // namespace poplar

#endif
