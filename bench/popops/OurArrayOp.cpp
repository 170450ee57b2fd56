#include <bench/poplin/Bed.hpp>

#include <popnn/BatchNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/LogSoftmax.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poprand/RandomGen.hpp>

#include <optional>

namespace cottonwood::bench {
namespace {

using namespace poplar;
using Function = ArrayOp::Function;
namespace expr = ::popops::expr;

Type typeOf(Element element) {
  return element == Element::HALF ? HALF : element == Element::INT ? INT : FLOAT;
}

std::optional<expr::UnaryOpType> unaryOf(Function function) {
  switch (function) {
  case Function::SQUARE:
    return expr::UnaryOpType::SQUARE;
  case Function::SQRT:
    return expr::UnaryOpType::SQRT;
  case Function::RSQRT:
    return expr::UnaryOpType::RSQRT;
  case Function::EXP:
    return expr::UnaryOpType::EXPONENT;
  case Function::LOG:
    return expr::UnaryOpType::LOGARITHM;
  case Function::TANH:
    return expr::UnaryOpType::TANH;
  case Function::SIGMOID:
    return expr::UnaryOpType::SIGMOID;
  case Function::ERF:
    return expr::UnaryOpType::ERF;
  case Function::SIN:
    return expr::UnaryOpType::SIN;
  case Function::COS:
    return expr::UnaryOpType::COS;
  case Function::GELU_ERF:
    return expr::UnaryOpType::GELU_ERF;
  default:
    return std::nullopt;
  }
}

std::optional<expr::BinaryOpType> binaryOf(Function function) {
  switch (function) {
  case Function::ADD:
    return expr::BinaryOpType::ADD;
  case Function::MUL:
    return expr::BinaryOpType::MULTIPLY;
  case Function::DIV:
    return expr::BinaryOpType::DIVIDE;
  case Function::MAX:
    return expr::BinaryOpType::MAXIMUM;
  case Function::POW:
    return expr::BinaryOpType::POWER;
  default:
    return std::nullopt;
  }
}

std::optional<::popops::Operation> reductionOf(Function function) {
  switch (function) {
  case Function::SUM:
  case Function::SUM_OF_INT:
    return ::popops::Operation::ADD;
  case Function::MAX_OF:
    return ::popops::Operation::MAX;
  case Function::SQUARE_SUM:
    return ::popops::Operation::SQUARE_ADD;
  default:
    return std::nullopt;
  }
}

/// The shape without dimensions of one element, which say nothing.
std::vector<std::size_t> shapeOf(ArrayOp const &op) {
  std::vector<std::size_t> shape;
  if (op.function == Function::GATHER_ROWS)
    return {op.rows, op.columns};
  for (std::size_t dim : {op.outer, op.rows, op.columns, op.inner})
    if (dim != 1)
      shape.push_back(dim);
  return shape;
}

/// Builds the program of an operation; returns the result.
class Builder {
public:
  Builder(Bed &bed, ArrayOp const &op) : bed_(bed), op_(op) {
    a_ = operand(op.sizeA(), shapeOf(op), "a");
    b_ = operand(
        op.sizeB(),
        op.sizeB() == op.size() ? shapeOf(op) : std::vector<std::size_t>{2, op.sizeB() / 2}, "b");
  }

  Tensor result() {
    if (auto const type = unaryOf(op_.function))
      return ::popops::map(graph(), *type, a_, bed_.once, "c");
    if (auto const type = binaryOf(op_.function))
      return ::popops::map(graph(), *type, a_, b_, bed_.once, "c");
    if (auto const type = reductionOf(op_.function))
      return ::popops::reduce(graph(), a_.reshape({op_.outer, op_.rows, op_.columns}),
                              typeOf(op_.elementOfC()), {1}, *type, bed_.once, "c");
    return op_.inPlace() ? inPlace() : other();
  }

private:
  Graph &graph() { return bed_.graph; }

  Tensor operand(std::size_t size, std::vector<std::size_t> const &shape, char const *name) {
    if (size == 0)
      return {};
    Tensor const tensor = bed_.plain(typeOf(op_.elementOfA()), shape, name);
    graph().createHostWrite(name, tensor);
    return tensor;
  }

  Tensor inPlace() {
    if (op_.function == Function::ADD_IN_PLACE)
      ::popops::addInPlace(graph(), a_, b_, bed_.once, "c");
    else if (op_.function == Function::SCALED_ADD_IN_PLACE)
      ::popops::scaledAddTo(graph(), a_, b_, 0.5F, bed_.once, "c");
    else
      ::popnn::reluInPlace(graph(), a_, bed_.once, "c");
    return a_;
  }

  Tensor mapped(expr::Expr const &expression, std::vector<Tensor> const &operands) {
    return ::popops::map(graph(), expression, operands, bed_.once, "c");
  }

  Tensor other() {
    using namespace expr;
    switch (op_.function) {
    case Function::RELU:
      return ::popnn::relu(graph(), a_, bed_.once, "c");
    case Function::FUSED_RELU:
      return mapped(Max(Add(Mul(_1, Const(0.5F)), _2), Const(0.0F)), {a_, b_});
    case Function::FUSED_SWISH:
      return mapped(Mul(_1, Sigmoid(_1)), {a_});
    case Function::SOFTMAX:
      return ::popnn::softmaxStable(graph(), a_, bed_.once, "c");
    case Function::LOG_SOFTMAX:
      return ::popnn::logSoftmax(graph(), a_, bed_.once, "c");
    case Function::LAYER_NORM:
    case Function::LAYER_NORM_SCALED:
      return layerNorm();
    case Function::BATCH_NORM:
      return ::popnn::bn::batchNormalise(graph(), a_.reshape({op_.outer, op_.rows, op_.columns}),
                                         b_[0], b_[1], bed_.once, "c");
    case Function::ARG_MAX:
      return ::popnn::argMax(graph(), a_.reshape({op_.outer, op_.rows}), bed_.once, "c");
    case Function::GATHER_ROWS:
      return gathered();
    case Function::UNIFORM:
      return ::poprand::uniform(graph(), nullptr, 0,
                                bed_.plain(typeOf(op_.elementOfC()), {op_.size()}, "like"),
                                typeOf(op_.elementOfC()), -1, 1, bed_.once, "c");
    case Function::CAST_TO_HALF:
    case Function::CAST_FROM_HALF:
    case Function::CAST_TO_INT:
    case Function::CAST_FROM_INT:
      return ::popops::cast(graph(), a_, typeOf(op_.elementOfC()), bed_.once, "c");
    default:
      return moved();
    }
  }

  Tensor layerNorm() {
    Tensor const a = a_.reshape({op_.outer * op_.rows, op_.columns});
    auto const [mean, factor] = ::popnn::ln::layerNormStatistics(
        graph(), a, LAYER_NORM_EPSILON, bed_.once, false, false, FLOAT, "c");
    if (op_.function == Function::LAYER_NORM)
      return ::popnn::ln::layerNormWhiten(graph(), a, mean, factor, bed_.once, "c");
    return ::popnn::ln::layerNormalise(graph(), a, b_[0], b_[1], mean, factor, bed_.once, "c")
        .first;
  }

  Tensor gathered() {
    std::vector<unsigned> rows(op_.outer);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = static_cast<unsigned>(op_.gatheredRow(i));
    Tensor const offsets = graph().addVariable(UNSIGNED_INT, {rows.size(), 1}, "rows");
    graph().setTileMapping(offsets, 0);
    graph().setInitialValue(offsets, ArrayRef<unsigned>(rows));
    return ::popops::multiSlice(graph(), a_, offsets, {0}, {1}, bed_.once, ::popops::SlicePlan(),
                                {}, "c");
  }

  Tensor moved() {
    Tensor const c = bed_.plain(typeOf(op_.elementOfC()), {op_.size()}, "c");
    if (op_.function == Function::FILL) {
      ::popops::fill(graph(), c, bed_.once, 1.0F, "c");
      return c;
    }
    Tensor from = a_;
    if (op_.function == Function::TRANSPOSE)
      from = a_.reshape({op_.outer, op_.rows, op_.columns, op_.inner}).dimShuffle({0, 2, 1, 3});
    bed_.once.add(poplar::program::Copy(from.flatten(), c));
    return c;
  }

  Bed &bed_;
  ArrayOp op_;
  Tensor a_, b_;
};

} // namespace

void build(Bed &bed, ArrayOp const &op, OptionFlags const &) {
  bed.graph.createHostRead("c", Builder(bed, op).result());
}

std::string planReportOf(ArrayOp const &, OptionFlags const &) { return {}; }

} // namespace cottonwood::bench
