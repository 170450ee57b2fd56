// XNNPACK's operators element by element, softmax, copies and conversions of half.
#include <bench/peers/XnnPack.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cottonwood::bench {
namespace {

using Function = ArrayOp::Function;

/// Two operands: XNNPACK's functions of one shape.
using CreateBinary = xnn_status (*)(float, float, std::uint32_t, xnn_operator_t *);
using SetupBinary = xnn_status (*)(xnn_operator_t, std::size_t, std::size_t const *, std::size_t,
                                   std::size_t const *, float const *, float const *, float *,
                                   pthreadpool_t);
/// One operand [batch, channels].
using CreateUnary = xnn_status (*)(std::size_t, std::size_t, std::size_t, std::uint32_t,
                                   xnn_operator_t *);
using SetupUnary = xnn_status (*)(xnn_operator_t, std::size_t, float const *, float *,
                                  pthreadpool_t);

Way wayOf(Operator const &op, unsigned threads) {
  return {"xnnpack", [op, pool = poolOf(threads)] { xnn_run_operator(op.get(), pool); }};
}

std::vector<Way> binary(ArrayOp const &op, Operands const &o, CreateBinary create,
                        SetupBinary setup) {
  xnn_operator_t raw = nullptr;
  Operator const made = created(create(-INF, INF, 0, &raw), raw);
  std::size_t const shape[] = {op.size()};
  float const *const a = op.inPlace() ? o.c : o.a;
  if (!made ||
      setup(made.get(), 1, shape, 1, shape, a, o.b, o.c, poolOf(o.threads)) != xnn_status_success)
    return {};
  return {wayOf(made, o.threads)};
}

std::vector<Way> unary(ArrayOp const &op, Operands const &o, CreateUnary create, SetupUnary setup) {
  bool const rows = op.function == Function::SOFTMAX;
  std::size_t const channels = rows ? op.columns : 1, batch = rows ? op.rows : op.size();
  xnn_operator_t raw = nullptr;
  Operator const made = created(create(channels, channels, channels, 0, &raw), raw);
  if (!made || setup(made.get(), batch, o.a, o.c, poolOf(o.threads)) != xnn_status_success)
    return {};
  return {wayOf(made, o.threads)};
}

std::vector<Way> relu(ArrayOp const &op, Operands const &o) {
  xnn_operator_t raw = nullptr;
  Operator const made = created(xnn_create_clamp_nc_f32(1, 1, 1, 0, INF, 0, &raw), raw);
  float const *const a = op.inPlace() ? o.c : o.a;
  if (!made || xnn_setup_clamp_nc_f32(made.get(), op.size(), a, o.c, poolOf(o.threads)) !=
                   xnn_status_success)
    return {};
  return {wayOf(made, o.threads)};
}

std::vector<Way> copy(ArrayOp const &op, Operands const &o) {
  xnn_operator_t raw = nullptr;
  Operator const made = created(xnn_create_copy_nc_x32(1, 1, 1, 0, &raw), raw);
  if (!made || xnn_setup_copy_nc_x32(made.get(), op.size(), o.a, o.c, poolOf(o.threads)) !=
                   xnn_status_success)
    return {};
  return {wayOf(made, o.threads)};
}

/// Halves with a margin that XNNPACK may read.
using Halves = std::vector<_Float16>;
std::shared_ptr<Halves> halves(std::size_t size) {
  return std::make_shared<Halves>(size + XNN_EXTRA_BYTES / sizeof(_Float16));
}

std::vector<Way> toHalf(ArrayOp const &op, Operands const &o) {
  auto const c = halves(op.size());
  xnn_operator_t raw = nullptr;
  Operator const made = created(xnn_create_convert_nc_f32_f16(1, 1, 1, 0, &raw), raw);
  if (!made || xnn_setup_convert_nc_f32_f16(made.get(), op.size(), o.a, c->data(),
                                            poolOf(o.threads)) != xnn_status_success)
    return {};
  Way way = wayOf(made, o.threads);
  way.fetch = [c, o, size = op.size()] {
    std::transform(c->begin(), c->begin() + static_cast<std::ptrdiff_t>(size), o.c,
                   [](_Float16 value) { return static_cast<float>(value); });
  };
  way.result = Result::HALF;
  return {way};
}

std::vector<Way> fromHalf(ArrayOp const &op, Operands const &o) {
  auto const a = halves(op.size());
  std::transform(o.a, o.a + op.size(), a->begin(),
                 [](float value) { return static_cast<_Float16>(value); });
  xnn_operator_t raw = nullptr;
  Operator const made = created(xnn_create_convert_nc_f16_f32(1, 1, 1, 0, &raw), raw);
  if (!made || xnn_setup_convert_nc_f16_f32(made.get(), op.size(), a->data(), o.c,
                                            poolOf(o.threads)) != xnn_status_success)
    return {};
  Way way = wayOf(made, o.threads);
  way.fetch = [a] {}; // keeps the operand
  return {way};
}

} // namespace

std::vector<Way> waysOfPeer(ArrayOp const &op, Operands const &o) {
  if (op.raw)
    return {}; // its calls are never inlined
  switch (op.function) {
  case Function::ADD:
  case Function::ADD_IN_PLACE:
    return binary(op, o, xnn_create_add_nd_f32, xnn_setup_add_nd_f32);
  case Function::MUL:
    return binary(op, o, xnn_create_multiply_nd_f32, xnn_setup_multiply_nd_f32);
  case Function::DIV:
    return binary(op, o, xnn_create_divide_nd_f32, xnn_setup_divide_nd_f32);
  case Function::RELU:
  case Function::RELU_IN_PLACE:
    return relu(op, o);
  case Function::SQUARE:
    return unary(op, o, xnn_create_square_nc_f32, xnn_setup_square_nc_f32);
  case Function::SQRT:
    return unary(op, o, xnn_create_square_root_nc_f32, xnn_setup_square_root_nc_f32);
  case Function::SIGMOID:
    return unary(op, o, xnn_create_sigmoid_nc_f32, xnn_setup_sigmoid_nc_f32);
  case Function::SOFTMAX:
    return unary(op, o, xnn_create_softmax_nc_f32, xnn_setup_softmax_nc_f32);
  case Function::COPY:
    return copy(op, o);
  case Function::CAST_TO_HALF:
    return toHalf(op, o);
  case Function::CAST_FROM_HALF:
    return fromHalf(op, o);
  default:
    return {};
  }
}

} // namespace cottonwood::bench
