#include <bench/popops/RawArrayOp.hpp>

#include <poplar/impl/base/Half.hpp>
#include <popops/Kernels.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

namespace cottonwood::bench {
namespace {

using Function = ArrayOp::Function;
namespace expr = ::popops::expr;

std::optional<expr::UnaryOpType> unaryOf(Function function) {
  using Op = expr::UnaryOpType;
  switch (function) {
  case Function::RELU:
  case Function::RELU_IN_PLACE:
    return Op::RELU;
  case Function::SQUARE:
    return Op::SQUARE;
  case Function::SQRT:
    return Op::SQRT;
  case Function::RSQRT:
    return Op::RSQRT;
  case Function::EXP:
    return Op::EXPONENT;
  case Function::LOG:
    return Op::LOGARITHM;
  case Function::TANH:
    return Op::TANH;
  case Function::SIGMOID:
    return Op::SIGMOID;
  case Function::ERF:
    return Op::ERF;
  case Function::SIN:
    return Op::SIN;
  case Function::COS:
    return Op::COS;
  case Function::GELU_ERF:
    return Op::GELU_ERF;
  default:
    return std::nullopt;
  }
}

std::optional<expr::BinaryOpType> binaryOf(Function function) {
  using Op = expr::BinaryOpType;
  switch (function) {
  case Function::ADD:
  case Function::ADD_IN_PLACE:
    return Op::ADD;
  case Function::MUL:
    return Op::MULTIPLY;
  case Function::DIV:
    return Op::DIVIDE;
  case Function::MAX:
    return Op::MAXIMUM;
  case Function::POW:
    return Op::POWER;
  default:
    return std::nullopt;
  }
}

std::byte *allocate(std::size_t bytes) {
  constexpr std::size_t LINE = 64;
  return static_cast<std::byte *>(std::aligned_alloc(LINE, (bytes / LINE + 1) * LINE));
}

} // namespace

void RawArrayOp::Free::operator()(std::byte *data) const { std::free(data); }

RawArrayOp::RawArrayOp(ArrayOp const &op)
    : op_(op), a_(allocate(4 * op.sizeA())), b_(allocate(4 * op.sizeB())),
      c_(op.inPlace() ? nullptr : allocate(4 * op.sizeC())) {
  if (!unaryOf(op.function) && !binaryOf(op.function))
    throw std::invalid_argument(std::string("no kernel of its own: ").append(nameOf(op.function)));
  write();
}

void RawArrayOp::fill(Memory const &to, std::vector<float> const &values) {
  if (op_.half)
    std::transform(values.begin(), values.end(), reinterpret_cast<std::uint16_t *>(to.get()),
                   [](float value) { return base::floatToHalf(value); });
  else
    std::copy(values.begin(), values.end(), reinterpret_cast<float *>(to.get()));
}

void RawArrayOp::write() {
  fill(a_, op_.valuesOfA());
  fill(b_, op_.valuesOfB());
}

template <class T> void RawArrayOp::call(unsigned times) {
  T *const a = reinterpret_cast<T *>(a_.get()), *const b = reinterpret_cast<T *>(b_.get());
  T *const c = op_.inPlace() ? a : reinterpret_cast<T *>(c_.get());
  std::size_t const n = op_.size();
  if (auto const unary = unaryOf(op_.function))
    for (unsigned i = 0; i < times; ++i)
      ::popops::kernels::map(*unary, c, n, a);
  else if (auto const binary = binaryOf(op_.function))
    for (unsigned i = 0; i < times; ++i)
      ::popops::kernels::map(*binary, c, n, a, b);
}

void RawArrayOp::run(unsigned times) {
  op_.half ? call<poplar::IeeeHalf>(times) : call<float>(times);
}

std::vector<double> RawArrayOp::sample() const {
  std::byte const *const c = (op_.inPlace() ? a_ : c_).get();
  std::vector<double> values;
  for (std::size_t position : samplePositions(op_.sizeC()))
    values.push_back(op_.half
                         ? base::halfToFloat(reinterpret_cast<std::uint16_t const *>(c)[position])
                         : reinterpret_cast<float const *>(c)[position]);
  return values;
}

} // namespace cottonwood::bench
