#include <popnn/impl/Config.hpp>
#ifndef POPNN_NON_LINEARITY_DEF_UTIL_HPP
#define POPNN_NON_LINEARITY_DEF_UTIL_HPP

#include <popnn/NonLinearityDef.hpp>
#include <poputil/VertexTemplates.hpp>

#include <iosfwd>
#include <string>

namespace popnn {

/// "sigmoid", "softmax (stable)" and so on, for people.
POP_API char const *asString(popnn::NonLinearityType const &type);
/// Writes asString().
POP_API std::ostream &operator<<(std::ostream &os, popnn::NonLinearityType const &type);
/// Reads relu, sigmoid, hard_sigmoid, tanh, gelu, gelu_erf, swish, softmax, softmax_stable or
/// softmax_scaled. \throws poputil::poplibs_error  any other word.
POP_API std::istream &operator>>(std::istream &in, popnn::NonLinearityType &type);

} // namespace popnn

namespace poputil {

/// "popnn::NonLinearityType::SIGMOID" and so on. \throws poplibs_error  one of the softmax kinds,
/// which are no parameter of a vertex.
template <> struct POP_API VertexTemplateToString<popnn::NonLinearityType> {
  static std::string to_string(popnn::NonLinearityType const &nlType);
};

} // namespace poputil

#endif
