// The boundary between an engine and a codelet: small, fixed, and C++11, because vertices written
// in a program include it.
//
// `state` is an image of the vertex class: zeroed storage of sizeof(class) bytes whose fields the
// engine fills by offset. No object is constructed there. The images of the field types are fixed:
//   scalar edge                 T* p
//   span (SPAN, SHORT_SPAN)     {T* p; std::size_t n}
//   any other vector layout     T* p
//   vector of vectors           span or pointer to an array of inner images
//   vector of scalar edges      span or pointer to an array of T*
//   vector list                 {Sub* p; std::size_t n}, Sub = {T* p; std::size_t n}
//   Vector<T> state             span or pointer to the values
//   anything else               the member's own value, of T[N] all of them
// T may be a short vector (float2); the sizes then count short vectors.
#ifndef POPLAR_IMPL_CODELET_ABI_HPP
#define POPLAR_IMPL_CODELET_ABI_HPP

#include <cstdint>

namespace cottonwood {
namespace codelet {

struct VertexContext;

/// Runs compute(); returns what it returned, true for a compute() that returns void.
using Entry = bool (*)(void *state, unsigned worker, VertexContext *context);

/// What a running vertex may know beside its state.
struct VertexContext {
  std::uint32_t tile;   ///< tile the vertex is mapped to, numbered in the top-level graph
  std::uint32_t worker; ///< worker context that runs
  void *state;          ///< state image of the vertex
  void *failure;        ///< where a failure inside the vertex is recorded
  /// Key of the random numbers of this execution of this vertex: the same for its worker contexts,
  /// another one for every other execution, vertex, replica and seed, whatever the threads do. Keys
  /// may differ in few bits; who draws numbers mixes them.
  std::uint64_t randomKey;
  std::uint64_t randomDraws; ///< random numbers that this worker context has drawn with the key
  /// Worker contexts from `worker` on whose work the call may do, and those whose work it has done:
  /// 1 unless the entry says otherwise. Looked at for a MultiVertex only.
  std::uint32_t workersWanted, workersDone;
  /// The vertex of the next compute set that runs as soon as this one has run, if that is known and
  /// nothing else happens in between: the work of all worker contexts of this one is wanted then.
  /// Who finds there what continues its own work may do that, too, all of it, and clears the entry.
  Entry nextEntry;
  void *nextState;
};

/// Whether a state image holds the address of a vector only, or a {pointer, size} pair.
struct SpanImage {
  void *p;
  std::uint64_t n;
};
static_assert(sizeof(SpanImage) == 2 * sizeof(void *), "the vertex state ABI is for 64-bit hosts");

} // namespace codelet
} // namespace cottonwood

#endif
