// Names, fields and costs of the vertices that convert 8-bit floats.
#pragma once

#include <codelets/popops/CastCost.hpp>
#include <codelets/popops/QuarterCast.hpp>
#include <poputil/impl/BuiltinCodelets.hpp>

#include <string>
#include <utility>

namespace cottonwood::vertices {

template <CastKind KIND>
codelet::Cost costOfQuarterCast(codelet::VertexSizes const &sizes, model::Machine const &machine) {
  constexpr unsigned OUT = 1;
  return {castCycles(KIND, sizes.elements(OUT), machine.workers), 0};
}

template <class T>
inline constexpr CastType QUARTER_CAST_TYPE{sizeof(T), std::is_same_v<T, float>,
                                            std::is_same_v<T, ::poplar::half>};

template <class Tag, class From, class To>
poputil::VertexText describeVertex(QuarterCast<Tag, From, To> *) {
  using V = QuarterCast<Tag, From, To>;
  return {poputil::templateName<From, To>("popops::Cast"),
          {POP_FIELD(V, in), POP_FIELD(V, out)},
          &costOfQuarterCast<castKind(QUARTER_CAST_TYPE<From>, QUARTER_CAST_TYPE<To>)>};
}

} // namespace cottonwood::vertices
