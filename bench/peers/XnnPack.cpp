// XNNPACK: forward convolutions in channels-last layout, and products with a constant B as fully
// connected layers. Weights are packed when an operator is created. (Its half operators ask for
// hardware of phones.)
#include <bench/peers/XnnPack.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace cottonwood::bench {
namespace {

/// XNNPACK may read this much behind the end of inputs.
std::vector<float> withMargin(std::size_t count) {
  return std::vector<float>(count + XNN_EXTRA_BYTES / sizeof(float));
}

std::uint32_t u32(std::size_t size) { return static_cast<std::uint32_t>(size); }

/// [outer, a, b] to [outer, b, a].
std::vector<float> swapped(float const *data, std::size_t outer, std::size_t a, std::size_t b) {
  std::vector<float> result = withMargin(outer * a * b);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < a; ++i)
      for (std::size_t j = 0; j < b; ++j)
        result[(o * b + j) * a + i] = data[(o * a + i) * b + j];
  return result;
}

struct Buffers {
  std::vector<float> input, output;
};

} // namespace

std::string describePeer() {
  if (xnn_initialize(nullptr) != xnn_status_success)
    throw std::runtime_error("XNNPACK does not support this machine");
  return "xnnpack";
}

std::vector<Way> waysOfPeer(Product const &p, Operands const &o) {
  if (!p.constantB || p.batch != 1 || p.transposedA || p.sizeC() == 0 || p.k == 0)
    return {};
  xnn_operator_t raw = nullptr;
  Operator const op = created(
      xnn_create_fully_connected_nc_f32(p.k, p.n, p.k, p.n, o.b, nullptr, -INF, INF,
                                        p.transposedB ? 0 : XNN_FLAG_TRANSPOSE_WEIGHTS, &raw),
      raw);
  pthreadpool_t const pool = poolOf(o.threads);
  if (!op || xnn_setup_fully_connected_nc_f32(op.get(), p.m, o.a, o.c, pool) != xnn_status_success)
    return {};
  return {{"xnnpack", [op, pool] { xnn_run_operator(op.get(), pool); }}};
}

std::vector<Way> waysOfPeer(Conv const &c, Operands const &o) {
  if (c.pass != Conv::Pass::FORWARD || c.layout != Conv::Layout::OWN)
    return {};
  std::size_t const inChannels = c.groups * c.in, outChannels = c.groups * c.out;
  std::size_t const inPixels = c.size * c.size, outPixels = c.outSize() * c.outSize();
  std::uint32_t const pad = u32(c.padding()), kernel = u32(c.kernel), stride = u32(c.stride);
  auto const weights = swapped(o.b, outChannels, c.in, c.kernel * c.kernel);
  xnn_operator_t raw = nullptr;
  Operator const op =
      created(xnn_create_convolution2d_nhwc_f32(
                  pad, pad, pad, pad, kernel, kernel, stride, stride, 1, 1, u32(c.groups), c.in,
                  c.out, inChannels, outChannels, weights.data(), nullptr, -INF, INF, 0, &raw),
              raw);
  auto const buffers = std::make_shared<Buffers>();
  buffers->input = swapped(o.a, c.batch, inChannels, inPixels);
  buffers->output = withMargin(c.sizeOutput());
  pthreadpool_t const pool = poolOf(o.threads);
  if (!op ||
      xnn_setup_convolution2d_nhwc_f32(op.get(), c.batch, c.size, c.size, buffers->input.data(),
                                       buffers->output.data(), pool) != xnn_status_success)
    return {};
  return {{"xnnpack(nhwc)", [op, pool, buffers] { xnn_run_operator(op.get(), pool); },
           [c, o, buffers, outChannels, outPixels] {
             auto const plain = swapped(buffers->output.data(), c.batch, outPixels, outChannels);
             std::copy_n(plain.begin(), c.sizeOutput(), o.c);
           }}};
}

} // namespace cottonwood::bench
