/// \file EntryTable.hpp
/// What objects compiled for one instruction set hand to baseline code: the entry points of a
/// family of vertex classes, in the order of the family's list.
///
/// A family is a struct F with
///   template <class Tag> using Vertices = VertexList<...>;
///   template <class Tag> static VertexEntries entries();
/// whose entries<Tag>() is defined in F's .cpp alone, as entriesOf(Vertices<Tag>()), and
/// instantiated there for the tag POP_ISA that the file is compiled for. A family whose vertices
/// only move bytes says `static constexpr bool MOVES_BYTES = true;`: it is compiled for the scalar
/// set alone, which serves all others. One that gains from half arithmetic says
/// `static constexpr bool HALF_ARITHMETIC = true;` and is compiled for the sets that have it, too.
#pragma once

#include <codelets/arch/CpuFeatures.hpp>

#include <poplar/impl/codelet/Abi.hpp>

#include <cstddef>
#include <type_traits>

namespace cottonwood::vertices {

/// Vertex classes of one tag.
template <class... V> struct VertexList { static constexpr std::size_t size = sizeof...(V); };

namespace detail {
template <class... Lists> struct Join;
template <class... A> struct Join<VertexList<A...>> { using type = VertexList<A...>; };
template <class... A, class... B, class... Rest>
struct Join<VertexList<A...>, VertexList<B...>, Rest...> : Join<VertexList<A..., B...>, Rest...> {};
} // namespace detail

/// The lists one after the other.
template <class... Lists> using JoinLists = typename detail::Join<VertexList<>, Lists...>::type;

/// Entry points with static storage.
struct VertexEntries {
  const codelet::Entry *first;
  std::size_t count;
};

/// Neighbouring worker contexts of a MultiVertex that one thread runs. A class whose compute()
/// takes Workers does the work of all of them in one call; its results must not depend on how
/// contexts are put together.
struct Workers {
  constexpr Workers(unsigned worker, unsigned number = 1) : first(worker), count(number) {}
  unsigned first, count;
};

template <class V> bool enterVertex(void *state, unsigned worker, codelet::VertexContext *context);

/// The vertex behind this one, whose work may be done with it, if it is a V; else null.
/// \tparam V  of the same family and tag
template <class V> POP_SIMD_INLINE V *nextVertex(const codelet::VertexContext &context) {
  return context.nextEntry == &enterVertex<V> ? static_cast<V *>(context.nextState) : nullptr;
}

/// Vertices that may do the work of the one behind: computeWithNext(context) does that of all
/// worker contexts of both and returns true, or nothing and returns false. The engine shows a
/// vertex only to calls for all contexts.
template <class V>
concept ContinuedVertex = requires(V &v, const codelet::VertexContext &context) {
  v.computeWithNext(context);
};

/// Runs compute(worker), or compute() of a plain Vertex, on a state image. Without a context the
/// one worker context is run.
template <class V>
bool enterVertex(void *state, [[maybe_unused]] unsigned worker,
                 [[maybe_unused]] codelet::VertexContext *context) {
  V *const vertex = static_cast<V *>(state);
  if constexpr (requires(V & v) { v.compute(); }) {
    return vertex->compute();
  } else if constexpr (requires(V & v, Workers workers) { v.compute(workers); }) {
    const unsigned count = context ? context->workersWanted : 1;
    if (context)
      context->workersDone = count;
    if constexpr (ContinuedVertex<V>)
      if (context && context->nextEntry && vertex->computeWithNext(*context)) {
        context->nextEntry = nullptr;
        return true;
      }
    return vertex->compute(Workers(worker, count));
  } else {
    return vertex->compute(worker);
  }
}

namespace detail {
template <class... V> struct EntryArray {
  static constexpr codelet::Entry ENTRIES[] = {&enterVertex<V>...};
};
} // namespace detail

template <class... V> POP_SIMD_INLINE VertexEntries entriesOf(VertexList<V...>) {
  return {detail::EntryArray<V...>::ENTRIES, sizeof...(V)};
}

/// Families with kernels of their own for sets with half arithmetic.
template <class Family>
concept HalvesFamily = Family::HALF_ARITHMETIC;

/// The tag whose objects have the vertices and kernels of a family for the set of Tag: Tag itself,
/// or the one that it builds on where what Tag adds is of no use to the family.
template <class Family, class Tag>
using ServingTag =
    std::conditional_t<HalvesFamily<Family>, isa::HalvesOf<Tag>, isa::VectorsOf<Tag>>;

/// f(tag) for the tag whose objects serve a family on this machine if the set in use is `isa`.
template <class Family, class F> decltype(auto) withServingTag(isa::Isa isa, F &&f) {
  return isa::withTag(isa::vectorSet(isa),
                      [&](auto tag) { return f(ServingTag<Family, decltype(tag)>()); });
}

/// Families that are compiled for the scalar set alone.
template <class Family>
concept ByteFamily = Family::MOVES_BYTES;

/// Entry points of all classes of a family for one instruction set, from that set's object.
template <class Family> VertexEntries entriesFor(isa::Isa isa) {
  if constexpr (ByteFamily<Family>)
    return Family::template entries<isa::scalar>();
  else
    return withServingTag<Family>(
        isa, [](auto tag) { return Family::template entries<decltype(tag)>(); });
}

} // namespace cottonwood::vertices
