#include <bench/race/Problem.hpp>

#include <stdexcept>
#include <string_view>

namespace cottonwood::bench {
namespace {
constexpr std::string_view MATMUL = "matmul ", CONV = "conv ", ARRAY = "array ";
}

std::string textOf(Problem const &problem) {
  if (auto const *const product = std::get_if<Product>(&problem))
    return std::string(MATMUL) + textOf(*product);
  if (auto const *const op = arrayOpOf(problem))
    return std::string(ARRAY) + textOf(*op);
  return std::string(CONV) + textOf(std::get<Conv>(problem));
}

Problem parseProblem(std::string const &text) {
  if (text.starts_with(MATMUL))
    return parseProduct(text.substr(MATMUL.size()));
  if (text.starts_with(CONV))
    return parseConv(text.substr(CONV.size()));
  if (text.starts_with(ARRAY))
    return parseArrayOp(text.substr(ARRAY.size()));
  throw std::invalid_argument("not a problem: '" + text + "'");
}

} // namespace cottonwood::bench
