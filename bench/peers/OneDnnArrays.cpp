// oneDNN: its primitives element by element, reductions, softmax and reorders. Problems of half are
// computed in float: the CPU engine has no primitives of half.
#include <bench/peers/OneDnn.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

namespace cottonwood::bench {
namespace {

using Function = ArrayOp::Function;
using Memory = dnnl::memory;
using Dims = Memory::dims;
using dnnl::algorithm;
using Type = Memory::data_type;
constexpr auto INFERENCE = dnnl::prop_kind::forward_inference;

/// A primitive and what it is called with.
struct Call {
  dnnl::stream stream{engine()};
  dnnl::primitive primitive;
  std::unordered_map<int, Memory> arguments;

  void run() {
    primitive.execute(stream, arguments);
    stream.wait();
  }
};

Way wayOf(dnnl::primitive primitive, std::unordered_map<int, Memory> arguments) {
  auto const call = std::make_shared<Call>();
  call->primitive = std::move(primitive);
  call->arguments = std::move(arguments);
  return {"onednn", [call] { call->run(); }};
}

Memory::desc desc(Dims const &dims, Type type = Type::f32) {
  Dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i)
    strides[i - 1] = strides[i] * dims[i];
  return {dims, type, strides};
}

Memory at(Memory::desc const &desc, float const *data) {
  return {desc, engine(), const_cast<float *>(data)};
}

std::optional<algorithm> binaryOf(Function function) {
  switch (function) {
  case Function::ADD:
  case Function::ADD_IN_PLACE:
    return algorithm::binary_add;
  case Function::MUL:
    return algorithm::binary_mul;
  case Function::DIV:
    return algorithm::binary_div;
  case Function::MAX:
    return algorithm::binary_max;
  default:
    return std::nullopt;
  }
}

/// log is left out: near 1 it is off by hundreds of units in the last place. So is gelu_erf: it
/// takes erf from a polynomial that is off by up to 10^-7, which is thousands of units in the last
/// place of a small result.
std::optional<std::pair<algorithm, float>> eltwiseOf(Function function) {
  using Found = std::pair<algorithm, float>;
  switch (function) {
  case Function::RELU:
  case Function::RELU_IN_PLACE:
    return Found(algorithm::eltwise_relu, 0.0F);
  case Function::SQUARE:
    return Found(algorithm::eltwise_square, 0.0F);
  case Function::SQRT:
    return Found(algorithm::eltwise_sqrt, 0.0F);
  case Function::EXP:
    return Found(algorithm::eltwise_exp, 0.0F);
  case Function::TANH:
    return Found(algorithm::eltwise_tanh, 0.0F);
  case Function::SIGMOID:
    return Found(algorithm::eltwise_logistic, 0.0F);
  case Function::FUSED_SWISH:
    return Found(algorithm::eltwise_swish, 1.0F);
  default:
    return std::nullopt;
  }
}

std::vector<Way> binaryWays(algorithm which, ArrayOp const &op, Operands const &o) {
  auto const d = desc({dim(op.size())});
  dnnl::binary::primitive_desc const chosen(dnnl::binary::desc(which, d, d, d), engine());
  Memory const c = at(d, o.c), a = op.inPlace() ? c : at(d, o.a);
  return {wayOf(dnnl::binary(chosen),
                {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, at(d, o.b)}, {DNNL_ARG_DST, c}})};
}

std::vector<Way> eltwiseWays(algorithm which, float alpha, ArrayOp const &op, Operands const &o) {
  auto const d = desc({dim(op.size())});
  dnnl::eltwise_forward::primitive_desc const chosen(
      dnnl::eltwise_forward::desc(INFERENCE, which, d, alpha, 0.0F), engine());
  Memory const c = at(d, o.c), a = op.inPlace() ? c : at(d, o.a);
  return {wayOf(dnnl::eltwise_forward(chosen), {{DNNL_ARG_SRC, a}, {DNNL_ARG_DST, c}})};
}

std::vector<Way> reduceWays(algorithm which, ArrayOp const &op, Operands const &o) {
  auto const from = desc({dim(op.outer), dim(op.rows), dim(op.columns)});
  auto const to = desc({dim(op.outer), 1, dim(op.columns)});
  dnnl::reduction::primitive_desc const chosen(dnnl::reduction::desc(which, from, to, 0, 0),
                                               engine());
  return {
      wayOf(dnnl::reduction(chosen), {{DNNL_ARG_SRC, at(from, o.a)}, {DNNL_ARG_DST, at(to, o.c)}})};
}

template <class Primitive> std::vector<Way> softmaxWays(ArrayOp const &op, Operands const &o) {
  auto const d = desc({dim(op.rows), dim(op.columns)});
  typename Primitive::primitive_desc const chosen(typename Primitive::desc(INFERENCE, d, 1),
                                                  engine());
  return {wayOf(Primitive(chosen), {{DNNL_ARG_SRC, at(d, o.a)}, {DNNL_ARG_DST, at(d, o.c)}})};
}

std::vector<Way> layerNormWays(ArrayOp const &op, Operands const &o) {
  using Primitive = dnnl::layer_normalization_forward;
  using Flags = dnnl::normalization_flags;
  bool const scaled = op.function == Function::LAYER_NORM_SCALED;
  auto const d = desc({dim(op.rows), dim(op.columns)});
  Primitive::primitive_desc const chosen(
      Primitive::desc(INFERENCE, d, LAYER_NORM_EPSILON,
                      scaled ? Flags::use_scale_shift : Flags::none),
      engine());
  std::unordered_map<int, Memory> arguments{{DNNL_ARG_SRC, at(d, o.a)}, {DNNL_ARG_DST, at(d, o.c)}};
  if (scaled)
    arguments.emplace(DNNL_ARG_SCALE_SHIFT, at(desc({2, dim(op.columns)}), o.b));
  return {wayOf(Primitive(chosen), std::move(arguments))};
}

/// With a mean of 0 and a variance of 1.
std::vector<Way> batchNormWays(ArrayOp const &op, Operands const &o) {
  using Primitive = dnnl::batch_normalization_forward;
  using Flags = dnnl::normalization_flags;
  auto const d = desc({dim(op.outer), dim(op.rows), dim(op.columns)}), c = desc({dim(op.rows)});
  Primitive::primitive_desc const chosen(
      Primitive::desc(INFERENCE, d, 0, Flags::use_global_stats | Flags::use_scale_shift), engine());
  Memory const mean(c, engine()), variance(c, engine());
  std::fill_n(static_cast<float *>(mean.get_data_handle()), op.rows, 0.0F);
  std::fill_n(static_cast<float *>(variance.get_data_handle()), op.rows, 1.0F);
  return {wayOf(Primitive(chosen), {{DNNL_ARG_SRC, at(d, o.a)},
                                    {DNNL_ARG_MEAN, mean},
                                    {DNNL_ARG_VARIANCE, variance},
                                    {DNNL_ARG_SCALE_SHIFT, at(desc({2, dim(op.rows)}), o.b)},
                                    {DNNL_ARG_DST, at(d, o.c)}})};
}

std::vector<Way> reorderWays(Memory::desc const &from, Memory::desc const &to, Operands const &o) {
  Memory const a = at(from, o.a), c = at(to, o.c);
  return {wayOf(dnnl::reorder(a, c), {{DNNL_ARG_FROM, a}, {DNNL_ARG_TO, c}})};
}

/// Integers replace the floats of the operand, and floats those of the result.
std::vector<Way> castWays(ArrayOp const &op, Operands const &o) {
  auto const floats = desc({dim(op.size())}), ints = desc({dim(op.size())}, Type::s32);
  if (op.function == Function::CAST_TO_INT) {
    auto ways = reorderWays(floats, ints, o);
    ways[0].fetch = [o, size = op.size()] {
      auto const *const values = reinterpret_cast<std::int32_t const *>(o.c);
      for (std::size_t i = 0; i < size; ++i)
        o.c[i] = static_cast<float>(values[i]);
    };
    return ways;
  }
  Memory const a(ints, engine()), c = at(floats, o.c);
  auto *const values = static_cast<std::int32_t *>(a.get_data_handle());
  for (std::size_t i = 0; i < op.size(); ++i)
    values[i] = static_cast<std::int32_t>(o.a[i]);
  return {wayOf(dnnl::reorder(a, c), {{DNNL_ARG_FROM, a}, {DNNL_ARG_TO, c}})};
}

std::vector<Way> transposeWays(ArrayOp const &op, Operands const &o) {
  Memory::dim const rows = dim(op.rows), columns = dim(op.columns), inner = dim(op.inner);
  Dims const dims = {dim(op.outer), rows, columns, inner};
  Memory::desc const to(dims, Type::f32, {rows * columns * inner, inner, rows * inner, 1});
  return reorderWays(desc(dims), to, o);
}

std::vector<Way> waysOf(ArrayOp const &op, Operands const &o) {
  if (auto const which = binaryOf(op.function))
    return binaryWays(*which, op, o);
  if (auto const which = eltwiseOf(op.function))
    return eltwiseWays(which->first, which->second, op, o);
  switch (op.function) {
  case Function::SUM:
    return reduceWays(algorithm::reduction_sum, op, o);
  case Function::MAX_OF:
    return reduceWays(algorithm::reduction_max, op, o);
  case Function::SOFTMAX:
    return softmaxWays<dnnl::softmax_forward>(op, o);
  case Function::LOG_SOFTMAX:
    return softmaxWays<dnnl::logsoftmax_forward>(op, o);
  case Function::LAYER_NORM:
  case Function::LAYER_NORM_SCALED:
    return layerNormWays(op, o);
  case Function::BATCH_NORM:
    return batchNormWays(op, o);
  case Function::COPY:
    return reorderWays(desc({dim(op.size())}), desc({dim(op.size())}), o);
  case Function::CAST_TO_INT:
  case Function::CAST_FROM_INT:
    return castWays(op, o);
  case Function::TRANSPOSE:
    return transposeWays(op, o);
  default:
    return {};
  }
}

} // namespace

std::vector<Way> waysOfPeer(ArrayOp const &op, Operands const &o) try {
  return op.raw ? std::vector<Way>{} : waysOf(op, o); // its calls are never inlined
} catch (dnnl::error const &) {
  return {}; // it has no such primitive
}

} // namespace cottonwood::bench
