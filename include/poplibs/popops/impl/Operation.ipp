#pragma once

#include <popops/Operation.hpp>
#include <popops/OperationDefUtil.hpp>
#include <popops/impl/OpNames.hpp>
#include <poputil/exceptions.hpp>

#include <array>
#include <istream>
#include <ostream>

namespace cottonwood::popops::detail {

struct OperationName {
  char const *enumerator;
  char const *forPeople;
};

// In the order of the enumerators.
inline constexpr std::array<OperationName, 8> OPERATION_NAMES = {{{"ADD", "Add"},
                                                                  {"MUL", "Mul"},
                                                                  {"MIN", "Min"},
                                                                  {"MAX", "Max"},
                                                                  {"LOGICAL_AND", "Logical And"},
                                                                  {"LOGICAL_OR", "Logical Or"},
                                                                  {"SQUARE_ADD", "Square Add"},
                                                                  {"LOG_ADD", "Log Add"}}};

POP_INLINE OperationName const &operationName(::popops::Operation op) {
  requireOp<::poputil::poplibs_error>("popops::Operation", op);
  return OPERATION_NAMES[static_cast<std::size_t>(op)];
}

} // namespace cottonwood::popops::detail

namespace popops {

POP_INLINE std::istream &operator>>(std::istream &in, Operation &op) {
  namespace detail = cottonwood::popops::detail;
  std::string word;
  in >> word;
  for (std::size_t i = 0; i < detail::OPERATION_NAMES.size(); ++i)
    if (word == detail::OPERATION_NAMES[i].enumerator) {
      op = static_cast<Operation>(i);
      return in;
    }
  throw poputil::poplibs_error(
      "popops::Operation: '" + word +
      "' is not an operation; allowed: ADD, MUL, MIN, MAX, LOGICAL_AND, LOGICAL_OR, "
      "SQUARE_ADD, LOG_ADD");
}

POP_INLINE std::ostream &operator<<(std::ostream &os, Operation const &op) {
  return os << cottonwood::popops::detail::operationName(op).enumerator;
}

} // namespace popops

namespace poputil {

POP_INLINE std::string
VertexTemplateToString<popops::Operation>::to_string(popops::Operation const &op) {
  return std::string("popops::Operation::") +
         cottonwood::popops::detail::operationName(op).enumerator;
}

POP_INLINE char const *asString(popops::Operation const &op) {
  return cottonwood::popops::detail::operationName(op).forPeople;
}

} // namespace poputil
