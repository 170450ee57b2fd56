#include <poputil/impl/Config.hpp>
#ifndef POPUTIL_CYCLES_TABLES_HPP
#define POPUTIL_CYCLES_TABLES_HPP

#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poputil/VertexTemplates.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Performance estimators of vertices, in tables by the name of the vertex. An estimator of vertices
// ns::Name<...> is a function
//
//     poplar::VertexPerfEstimate MAKE_PERF_ESTIMATOR_NAME(Name)(
//         poplar::VertexIntrospector const &vertex, poplar::Target const &target, args...);
//
// in whose body the CODELET macros name fields.

namespace poputil {
namespace internal {

using PerfEstimatorTable = std::vector<std::pair<std::string, poplar::PerfEstimateFunc>>;

/// The entry of a vertex: f(vertex, target, args...).
template <typename F, typename... Args>
std::pair<std::string, poplar::PerfEstimateFunc> makePerfEstimatorEntry(std::string const &codelet,
                                                                        F f, Args &&...args) {
  return {codelet,
          poplar::PerfEstimateFunc(std::bind(f, std::placeholders::_1, std::placeholders::_2,
                                             std::forward<Args>(args)...))};
}

/// Makes all estimators of a table known to the graph.
POP_API void registerPerfFunctions(poplar::Graph &graph, PerfEstimatorTable const &table);

/// Cycles that it takes to get a pointer out of a field of that layout: a shift and an addition
/// where it is scaled, and a mask and a shift for a short size beside it.
/// \throws poplibs_error  not a vector
POP_API std::uint64_t getUnpackCost(poplar::layout::Vector const layout);
/// The same for the base pointer of a list.
POP_API std::uint64_t getUnpackCost(poplar::layout::VectorList const layout);
/// Cycles for each vector of a list: its offset and size are in one word of the table of deltas.
/// \throws poplibs_error  not a list with deltas
POP_API std::uint64_t getVectorListDeltaUnpackCost(poplar::layout::VectorList const layout);

} // namespace internal
} // namespace poputil

#define MAKE_PERF_ESTIMATOR_NAME(codelet) getPerfEstimateFor##codelet

/// Entries of a table; the arguments name the instance, and are passed to the estimator.
#define CYCLE_ESTIMATOR_ENTRY_NOPARAMS(NAMESPACE, CODELET)                                         \
  poputil::internal::makePerfEstimatorEntry(#NAMESPACE "::" #CODELET,                              \
                                            MAKE_PERF_ESTIMATOR_NAME(CODELET))
#define CYCLE_ESTIMATOR_ENTRY(NAMESPACE, CODELET, ...)                                             \
  poputil::internal::makePerfEstimatorEntry(                                                       \
      poputil::templateVertex(#NAMESPACE "::" #CODELET, __VA_ARGS__),                              \
      MAKE_PERF_ESTIMATOR_NAME(CODELET), __VA_ARGS__)

/// A variable of a field's name: its description, its value, its values, its lists of values.
#define CODELET_FIELD(field) auto const field = vertex.getFieldInfo(#field)
#define CODELET_SCALAR_VAL(field, type)                                                            \
  auto const field = vertex.getFieldInfo(#field).getInitialValue<type>(target)
#define CODELET_VECTOR_VALS(field, type)                                                           \
  auto const field = vertex.getFieldInfo(#field).getInitialValues<type>(target)
#define CODELET_VECTOR_2D_VALS(field, type)                                                        \
  auto const field = vertex.getFieldInfo(#field).getInitialValues<std::vector<type>>(target)

#endif
