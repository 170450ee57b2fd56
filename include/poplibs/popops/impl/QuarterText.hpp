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

template <class T> std::string castTypeName() {
  if constexpr (std::is_same_v<T, quarter>)
    return "quarter";
  else
    return std::string(::poplar::equivalent_device_type<T>().value.toString());
}

template <class T>
inline constexpr CastType QUARTER_CAST_TYPE{sizeof(T), std::is_same_v<T, float>,
                                            std::is_same_v<T, ::poplar::half>};

template <class Tag, class From, class To>
poputil::VertexText describeVertex(QuarterCast<Tag, From, To> *) {
  using V = QuarterCast<Tag, From, To>;
  std::string name = "popops::Cast<";
  name.append(castTypeName<From>()).append(",").append(castTypeName<To>()).append(">");
  return {std::move(name),
          {POP_FIELD(V, in), POP_FIELD(V, out)},
          &costOfQuarterCast<castKind(QUARTER_CAST_TYPE<From>, QUARTER_CAST_TYPE<To>)>};
}

} // namespace cottonwood::vertices
