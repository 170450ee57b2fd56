#include <popops/impl/Config.hpp>
#ifndef POPOPS_EXPR_OP_UTILS_HPP
#define POPOPS_EXPR_OP_UTILS_HPP

#include <popops/ExprOp.hpp>
#include <poputil/VertexTemplates.hpp>

#include <iosfwd>
#include <string>

namespace popops {
namespace expr {

/// Prints names such as `Add` or `LogarithmOnePlus`. In a namespace of their own, so that the
/// operators are seen only where asked for: `using namespace popops::expr::ostream_ext;`.
namespace ostream_ext {
POP_API std::ostream &operator<<(std::ostream &os, UnaryOpType const &op);
POP_API std::ostream &operator<<(std::ostream &os, BinaryOpType const &op);
POP_API std::ostream &operator<<(std::ostream &os, TernaryOpType const &op);
} // namespace ostream_ext

} // namespace expr
} // namespace popops

namespace poputil {

/// "popops::expr::UnaryOpType::ABSOLUTE" and so on, as vertex names spell them.
template <> struct POP_API VertexTemplateToString<popops::expr::UnaryOpType> {
  static std::string to_string(popops::expr::UnaryOpType const &op);
};
template <> struct POP_API VertexTemplateToString<popops::expr::BinaryOpType> {
  static std::string to_string(popops::expr::BinaryOpType const &op);
};
template <> struct POP_API VertexTemplateToString<popops::expr::TernaryOpType> {
  static std::string to_string(popops::expr::TernaryOpType const &op);
};

} // namespace poputil

#endif
