// 8-bit floats as operands of products and convolutions: tiles with units for them multiply them;
// for other tiles and CPUs they are cast to FLOAT, which holds them exactly whatever their scale
// is.
#pragma once

#include <planners/poplin/ProductTypes.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace cottonwood::poplin {

/// The type in which operands are multiplied on a target.
POP_API planner::MatMulType operandType(::poplar::Target const &target, ::poplar::Type const &type);

/// The type that results have where a caller names one type for all: that of the operands, or HALF.
inline ::poplar::Type resultType(::poplar::Type const &type) {
  return type == ::poplar::QUARTER ? ::poplar::HALF : type;
}

/// Checks the types of a product. \param operands, result  what the text calls them
/// \throws poputil::poplibs_error  types that are not supported.
POP_API void checkProductTypes(char const *where, char const *operands,
                               ::poplar::Type const &operandType, char const *result,
                               ::poplar::Type const &resultType);

/// Operands that the target multiplies: the same ones, or casts of both.
struct ProductOperands {
  ::poplar::Tensor left, right;
};
POP_API ProductOperands castForProduct(::poplar::Graph &graph, ProductOperands const &operands,
                                       ::poplar::program::Sequence &prog,
                                       ::poplar::DebugContext const &debugContext);

/// Copies elements of a type whatever they mean. The destination's metadata, if it has any of its
/// own, become the source's; if these are constant, 8-bit floats are rounded to them.
POP_API void copyWithMetadata(::poplar::Graph &graph, ::poplar::Tensor const &from,
                              ::poplar::Tensor const &to, ::poplar::program::Sequence &prog,
                              ::poplar::DebugContext const &debugContext);

} // namespace cottonwood::poplin
