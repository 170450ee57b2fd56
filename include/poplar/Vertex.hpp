// Base classes of vertices. All that a codelet needs comes with this header; it also goes together
// with Graph.hpp.
#include <poplar/impl/base/Config.hpp>

#ifndef POPLAR_VERTEX_HPP
#define POPLAR_VERTEX_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>
#include <poplar/InOutTypes.hpp>
#include <poplar/VectorListTypes.hpp>
#include <type_traits>

/// Asks for the alignment that worker code wants on the device; nothing on a host.
#define WORKER_ALIGN

namespace poplar {

// The bases are empty and have no virtual functions: the image of a vertex is its fields. They are
// found by their addresses, so that access (public or private) does not matter. `compute` may
// return void or bool.

/// `compute()` is called once.
class Vertex {};

/// `compute()` is called once; an ordinary vertex on a host.
class SupervisorVertex {};

class MultiVertexBase {};

/// `compute(unsigned workerId)` is called for each workerId below numWorkers(), in no order and
/// possibly at once, on one vertex state.
class MultiVertex : public MultiVertexBase {
public:
  /// The worker contexts of a tile (Target::getNumWorkerContexts()): 6 on every device. How many
  /// threads really run is another matter.
  static constexpr unsigned numWorkers() { return 6; }
};

/// A vertex that moves data between IPUs by itself.
class ExternalExchangeVertex {};

template <bool pred>
using SupervisorVertexIf = typename std::conditional<pred, SupervisorVertex, Vertex>::type;
template <bool pred>
using MultiVertexIf = typename std::conditional<pred, MultiVertex, Vertex>::type;

} // namespace poplar

#endif
