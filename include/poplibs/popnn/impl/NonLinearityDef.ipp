#pragma once

#include <popnn/NonLinearityDefUtil.hpp>
#include <poputil/exceptions.hpp>

#include <poplar/impl/base/Enumerators.hpp>

#include <array>
#include <istream>
#include <ostream>

namespace cottonwood::popnn::detail {

struct NonLinearityName {
  char const *enumerator;
  char const *forPeople;
  char const *token;
};

// In the order of the enumerators.
inline constexpr std::array<NonLinearityName, 10> NON_LINEARITY_NAMES = {
    {{"SIGMOID", "sigmoid", "sigmoid"},
     {"HARD_SIGMOID", "hard sigmoid", "hard_sigmoid"},
     {"RELU", "relu", "relu"},
     {"TANH", "tanh", "tanh"},
     {"GELU", "gelu", "gelu"},
     {"GELU_ERF", "gelu_erf", "gelu_erf"},
     {"SWISH", "swish", "swish"},
     {"SOFTMAX", "softmax", "softmax"},
     {"SOFTMAX_STABLE", "softmax (stable)", "softmax_stable"},
     {"SOFTMAX_SCALED", "softmax (scaled, stable)", "softmax_scaled"}}};

POP_INLINE NonLinearityName const &nonLinearityName(::popnn::NonLinearityType type) {
  base::requireUpTo<::poputil::poplibs_error>("popnn::asString", "NonLinearityType", type,
                                              ::popnn::NonLinearityType::SOFTMAX_SCALED);
  return NON_LINEARITY_NAMES[static_cast<std::size_t>(type)];
}

} // namespace cottonwood::popnn::detail

namespace popnn {

POP_INLINE char const *asString(popnn::NonLinearityType const &type) {
  return cottonwood::popnn::detail::nonLinearityName(type).forPeople;
}

POP_INLINE std::ostream &operator<<(std::ostream &os, popnn::NonLinearityType const &type) {
  return os << asString(type);
}

POP_INLINE std::istream &operator>>(std::istream &in, popnn::NonLinearityType &type) {
  std::string word, known;
  in >> word;
  for (auto const &name : cottonwood::popnn::detail::NON_LINEARITY_NAMES) {
    if (word == name.token) {
      type = static_cast<NonLinearityType>(&name -
                                           cottonwood::popnn::detail::NON_LINEARITY_NAMES.data());
      return in;
    }
    known += (known.empty() ? "" : ", ") + std::string(name.token);
  }
  throw poputil::poplibs_error("popnn::NonLinearityType: '" + word +
                               "' is not a non-linearity; allowed: " + known);
}

} // namespace popnn

namespace poputil {

POP_INLINE std::string
VertexTemplateToString<popnn::NonLinearityType>::to_string(popnn::NonLinearityType const &nlType) {
  if (nlType >= popnn::NonLinearityType::SOFTMAX)
    throw poplibs_error(std::string("popnn::NonLinearityType: ") + popnn::asString(nlType) +
                        " is no parameter of a vertex; allowed: the elementwise ones");
  return std::string("popnn::NonLinearityType::") +
         cottonwood::popnn::detail::nonLinearityName(nlType).enumerator;
}

} // namespace poputil
